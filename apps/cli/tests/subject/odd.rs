//! A server on standard input and output with what typed servers do not send: schemas of all kinds,
//! capabilities that are `false`, lists that end with a fault, and results that are invalid.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// The members that each of its results has.
fn complete(mut result: Value) -> Value {
    for (name, value) in [("resultType", "complete"), ("cacheScope", "private")] {
        if result.get(name).is_none() {
            result[name] = value.into();
        }
    }
    result["ttlMs"] = 0.into();
    result
}

fn types() -> Value {
    let nullable = |schema: Value| json!({"anyOf": [schema, {"type": "null"}], "default": null});
    json!({
        "type": "object",
        "required": ["text", "place"],
        "$defs": {
            "Place": {"type": "object", "required": ["city"], "properties": {
                "city": {"type": "string"}, "near": {"type": "array", "items": {"$ref": "#/$defs/Place"}},
            }},
            "Colour": {"enum": ["red", "1"]},
        },
        "properties": {
            "text": nullable(json!({"type": "string"})),
            "words": {"type": ["string", "null"]},
            "count": nullable(json!({"type": "integer", "minimum": 1})),
            "flag": {"allOf": [{"type": "boolean"}], "description": "On"},
            "either": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
            "place": {"$ref": "#/$defs/Place"},
            "colour": nullable(json!({"$ref": "#/$defs/Colour"})),
            "level": {"enum": [1, 2]},
            "only": {"const": "12"},
            "list": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "numbers": {"type": "array", "items": {"type": "integer"}},
            "month": {"type": "integer", "minimum": 1, "maximum": 12},
        },
    })
}

fn tools(cursor: &Value) -> Value {
    let tool = |name: &str, schema: Value| json!({"name": name, "inputSchema": schema});
    let none = json!({"type": "object"});
    match cursor.as_str() {
        None => {
            let mut first = tool("types", types());
            first["annotations"] = json!({"readOnlyHint": true, "openWorldHint": false});
            first["outputSchema"] =
                json!({"type": "object", "properties": {"sum": {"type": "number"}}});
            first["icons"] = json!([{"src": "data:image/png;base64,AAAA", "sizes": ["48x48"]}]);
            json!({"tools": [first], "nextCursor": "2"})
        }
        Some(page) => {
            eprintln!("page {page}");
            json!({"tools": [tool("media", none.clone()), tool("form", none)], "nextCursor": "2"})
        }
    }
}

fn call(params: &Value) -> Value {
    let text = |text: String| json!({"type": "text", "text": text});
    match params["name"].as_str().unwrap_or_default() {
        "media" => json!({"content": [
            text("one".to_owned()),
            {"type": "image", "data": "AQID", "mimeType": "image/png"},
            {"type": "audio", "data": "BAUG\r\nBw==\r\n", "mimeType": "audio/wav"},
        ]}),
        "invalid" => json!({"content": [{"type": "text", "text": 7}], "isError": true}),
        "form" if params["inputResponses"].is_null() => json!({
            "resultType": "input_required",
            "inputRequests": {"q": {"method": "elicitation/create", "params": {
                "mode": "form", "message": "Who?", "requestedSchema": {
                    "type": "object", "required": ["mail", "size", "topics"], "properties": {
                        "mail": {"type": "string", "format": "email", "maxLength": 20, "pattern": "\\.(com|example)$"},
                        "size": {"type": "string", "oneOf": [
                            {"const": "s", "title": "Small"}, {"const": "l", "title": "Large"},
                        ]},
                        "age": {"type": "integer", "minimum": 18},
                        "topics": {"type": "array", "minItems": 2,
                            "items": {"type": "string", "enum": ["a", "b", "c"]}},
                    },
                },
            }}},
        }),
        "form" => json!({"content": [text(params["inputResponses"]["q"].to_string())]}),
        _ => json!({
            "content": [text(params["arguments"].to_string())], "structuredContent": {"sum": 1},
        }),
    }
}

fn answer(method: &str, params: &Value) -> Result<Value, Value> {
    let result = match method {
        "server/discover" => json!({
            "supportedVersions": [mcp_client::types::Revision::LATEST.as_str()],
            "capabilities": {
                "tools": {"listChanged": false}, "resources": {"subscribe": false},
                "completions": {},
            },
            "_meta": {"io.modelcontextprotocol/serverInfo": {
                "name": "odd", "version": "1", "websiteUrl": "javascript:alert(1)",
                "icons": [{"src": "https://example.com/i.png", "mimeType": "image/png"}],
            }},
        }),
        "tools/list" => tools(&params["cursor"]),
        "tools/call" => call(params),
        "resources/list" => json!({"resources": []}),
        "resources/templates/list" => json!({"resourceTemplates": []}),
        "resources/read" => json!({"contents": [
            {"uri": "x:a", "text": "A"}, {"uri": "x:b", "text": "B", "mimeType": "text/plain"},
        ]}),
        "completion/complete" => json!({"completion": {
            "values": [params["argument"]["value"].clone(), params["context"].to_string()],
            "hasMore": true,
        }}),
        "custom/method" => json!({"echo": params["arguments"]}),
        _ => return Err(json!({"code": -32601, "message": "no such method"})),
    };
    Ok(complete(result))
}

pub(crate) fn serve() -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(asked) = serde_json::from_str::<Value>(&line?) else {
            continue;
        };
        let (id, method) = (&asked["id"], asked["method"].as_str().unwrap_or_default());
        if id.is_null() {
            continue;
        }
        if method == "subscriptions/listen" {
            let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
            let params = json!({"notifications": {}, "_meta": meta});
            let method = "notifications/subscriptions/acknowledged";
            writeln!(
                output,
                "{}",
                json!({"jsonrpc": "2.0", "method": method, "params": params})
            )?;
            output.flush()?;
            continue;
        }
        let answer = match answer(method, &asked["params"]) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}
