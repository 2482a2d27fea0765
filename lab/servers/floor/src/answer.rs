//! The response, which depends only on the id of the request and on whether it is the first of a
//! connection.

use serde_json::{Value, json};

/// The responses of a revision.
#[derive(Clone, Copy)]
pub(crate) struct Fixed {
    pub(crate) modern: bool,
    /// Calls are parsed only in part.
    pub(crate) hasty: bool,
}

impl Fixed {
    pub(crate) fn new(revision: &str, hasty: bool) -> Self {
        let modern = revision >= "2026-07-28";
        Self { modern, hasty }
    }

    /// Returns the response to a request.
    pub(crate) fn result(self, request: &mut Value) -> Value {
        let id = request["id"].take();
        if request["method"] == "server/discover" {
            return json!({
                "jsonrpc": "2.0",
                "id": id,
                "result": {
                    "resultType": "complete",
                    "supportedVersions": ["2026-07-28"],
                    "capabilities": { "tools": {} },
                    "ttlMs": 0,
                    "cacheScope": "private",
                },
            });
        }
        if request["method"] == "initialize" {
            return json!({
                "jsonrpc": "2.0",
                "id": id,
                "result": {
                    "protocolVersion": request["params"]["protocolVersion"].take(),
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "floor", "version": "1.0.0" },
                },
            });
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
        json!({ "jsonrpc": "2.0", "id": id, "result": result })
    }
}

/// Returns the notification before the response, if the request asks for progress.
pub(crate) fn progress(request: &mut Value) -> Value {
    let token = request["params"]["_meta"]["progressToken"].take();
    json!({
        "jsonrpc": "2.0",
        "method": "notifications/progress",
        "params": { "progressToken": token, "progress": 1.0, "total": 2.0 },
    })
}
