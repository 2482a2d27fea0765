//! A server on standard input and output with faults that `mcp check` finds.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

fn tools(params: &Value) -> Value {
    let object = json!({"type": "object"});
    if params["cursor"].is_null() {
        let described = json!({"type": "object", "required": ["b"], "properties": {
            "a": {"type": "string"}, "c d": {"type": "string", "description": "A text"},
        }});
        let union = json!({"type": "object", "anyOf": [{"required": ["a"]}]});
        return json!({"nextCursor": "2", "tools": [
            {"name": "good", "title": "Good", "description": "Does it", "annotations": {}, "inputSchema": object},
            {"name": "good", "description": "Does it again", "inputSchema": object},
            {"name": "with space", "inputSchema": described},
            {"name": "union", "description": "x".repeat(1025), "inputSchema": union},
        ]});
    }
    json!({"tools": [
        {"name": "far", "description": "d", "inputSchema": {"type": "object", "properties": {
            "a": {"description": "d", "$ref": "https://example.com/schema.json"}}}},
        {"name": "wrong", "description": "d", "inputSchema": {"type": "object", "properties": {
            "a": {"description": "d", "type": "text"}}}},
        {"name": "rootless", "description": "d", "inputSchema": {"properties": {}}},
        {"name": 7, "inputSchema": object},
    ]})
}

fn answer(method: &str, params: &Value) -> Result<Value, Value> {
    Ok(match method {
        "server/discover" => json!({
            "supportedVersions": [mcp_client::types::Revision::LATEST.as_str()],
            "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "faulty", "version": ""}},
        }),
        "tools/list" => tools(params),
        "resources/list" => json!({"resources": [
            {"uri": "test:there", "name": "there"}, {"uri": "test:gone", "name": "gone"},
            {"uri": "nowhere", "name": "nowhere"},
            {"uri": "test:big", "name": "big", "size": "large"},
        ]}),
        "resources/templates/list" => json!({"resourceTemplates": [
            {"uriTemplate": "test:{a", "name": "open"},
        ], "nextCursor": null}),
        "resources/read" if params["uri"] != "test:gone" => {
            json!({"contents": [{"uri": params["uri"], "text": "x"}]})
        }
        "prompts/list" => return Err(json!({"code": -32601, "message": "no prompts"})),
        _ => return Err(json!({"code": -32602, "message": "not known\u{1b}[2J"})),
    })
}

pub(crate) fn serve() -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "Server is starting up")?;
    for line in std::io::stdin().lock().lines() {
        let Ok(asked) = serde_json::from_str::<Value>(&line?) else {
            continue;
        };
        let id = &asked["id"];
        if id.is_null() {
            continue;
        }
        let method = asked["method"].as_str().unwrap_or_default();
        let answer = match answer(method, &asked["params"]) {
            Ok(mut result) => {
                for (name, value) in [("resultType", "complete"), ("cacheScope", "private")] {
                    result[name] = value.into();
                }
                result["ttlMs"] = 0.into();
                json!({"jsonrpc": "2.0", "id": id, "result": result})
            }
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}
