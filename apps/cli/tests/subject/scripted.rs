//! A server on standard input and output with tasks whose state it sometimes cannot tell, links with
//! URLs, contents that can only be fetched, and metadata that it refuses.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// What the server remembers.
#[derive(Default)]
struct State {
    polls: usize,
    is_cancelled: bool,
}

fn answer(state: &mut State, method: &str, params: &Value) -> Result<Value, Value> {
    let failed = |text: &str| Err(json!({"code": -32603, "message": text}));
    let task = |status: &str| {
        json!({
            "taskId": "t-1", "status": status, "createdAt": "2026-01-02T03:04:05Z",
            "lastUpdatedAt": "2026-01-02T03:04:05Z", "ttlMs": null, "pollIntervalMs": 100,
        })
    };
    Ok(match method {
        "server/discover" => json!({
            "supportedVersions": [mcp_client::types::Revision::LATEST.as_str()],
            "capabilities": {
                "tools": {}, "resources": {}, "experimental": {"sep-2093": {}},
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1"}},
        }),
        "tools/list" => json!({"tools": [{
            "name": "link", "inputSchema": {"type": "object"},
            "icons": [{"src": "https://example.com/i.png", "sizes": ["48x48"], "theme": "dark"}],
        }]}),
        "tools/call" if params["name"] == "durable" => {
            let mut announced = task("working");
            announced["resultType"] = "task".into();
            announced
        }
        "tools/call" => json!({"content": [{
            "type": "resource_link", "uri": "x:a", "name": "a",
            "httpUrl": "https://files.example.com/a?sig=1",
        }]}),
        "tasks/get" => {
            state.polls += 1;
            match state.polls {
                1 => return failed("the database is away"),
                _ if state.is_cancelled => task("cancelled"),
                _ => {
                    let mut done = task("completed");
                    done["result"] = json!({
                        "content": [{"type": "text", "text": "done"}], "resultType": "complete",
                    });
                    done
                }
            }
        }
        "tasks/cancel" => {
            state.is_cancelled = true;
            eprintln!("cancelled");
            json!({})
        }
        "resources/list" => json!({"resources": [
            {"uri": "x:a", "name": "a", "mimeType": "text/plain", "description": "A"},
            {"uri": "x:large", "name": "large", "mimeType": "text/plain", "description": "L",
             "httpUrl": "https://files.example.com/large"},
        ]}),
        "resources/templates/list" => json!({"resourceTemplates": []}),
        "resources/metadata" => return failed("no metadata today"),
        "resources/read" if params["uri"] == "x:large" => {
            let data = json!({"size": 9_000_000, "limit": 1_000_000, "instead": "httpUrl"});
            return Err(json!({"code": -32603, "message": "too large", "data": data}));
        }
        "resources/read" => json!({"contents": [
            {"uri": params["uri"], "text": "A", "mimeType": "text/plain"},
        ]}),
        _ => return Err(json!({"code": -32601, "message": "no such method"})),
    })
}

pub(crate) fn serve() -> std::io::Result<()> {
    let mut state = State::default();
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(asked) = serde_json::from_str::<Value>(&line?) else {
            continue;
        };
        let (id, method) = (&asked["id"], asked["method"].as_str().unwrap_or_default());
        if id.is_null() {
            continue;
        }
        let answer = match answer(&mut state, method, &asked["params"]) {
            Ok(mut result) => {
                for (name, value) in [("resultType", "complete"), ("cacheScope", "private")] {
                    if result.get(name).is_none() {
                        result[name] = value.into();
                    }
                }
                if result.get("ttlMs").is_none() {
                    result["ttlMs"] = 0.into();
                }
                json!({"jsonrpc": "2.0", "id": id, "result": result})
            }
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}
