//! The answer, which depends on the id of the request and on nothing else.

use serde_json::{Value, json};

/// What is answered in a revision.
#[derive(Clone, Copy)]
pub(crate) struct Fixed {
    modern: bool,
}

impl Fixed {
    pub(crate) fn new(revision: &str) -> Self {
        let modern = revision >= "2026-07-28";
        Self { modern }
    }

    /// The answer to a request.
    pub(crate) fn result(self, request: &[u8]) -> serde_json::Result<Value> {
        let mut request: Value = serde_json::from_slice(request)?;
        let id = request["id"].take();
        if request["method"] == "initialize" {
            return Ok(json!({
                "jsonrpc": "2.0",
                "id": id,
                "result": {
                    "protocolVersion": request["params"]["protocolVersion"].take(),
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "floor", "version": "1.0.0" },
                },
            }));
        }
        let content = json!([{ "type": "text", "text": "Hello, benchmark!" }]);
        let result = if self.modern {
            let info = json!({ "version": "1.0.0", "name": "bench" });
            json!({
                "content": content,
                "resultType": "complete",
                "_meta": { "io.modelcontextprotocol/serverInfo": info },
            })
        } else {
            json!({ "content": content })
        };
        Ok(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }
}

/// What comes before the answer.
pub(crate) fn progress() -> Value {
    json!({
        "jsonrpc": "2.0",
        "method": "notifications/progress",
        "params": { "progressToken": "p1", "progress": 1.0, "total": 2.0 },
    })
}
