//! A server of the newest revision that is controlled by a test.

use mcp_client::{Client, ClientBuilder};
use serde_json::{Value, json};

pub(crate) use crate::support::script::Script;
pub(crate) use crate::support::soon;

/// Returns a client, and the script of its server, which declares these proposals.
pub(crate) async fn modern(builder: ClientBuilder, proposals: &[&str]) -> (Client, Script) {
    let proposals = proposals.iter();
    let experimental: serde_json::Map<_, _> = proposals
        .map(|name| ((*name).to_owned(), json!({})))
        .collect();
    let capabilities = json!({"experimental": experimental, "resources": {}});
    Script::modern(builder, &capabilities.to_string()).await
}

/// The same with a server of 2025-11-25, which declares all proposals although its revision has
/// none.
pub(crate) async fn legacy(builder: ClientBuilder) -> (Client, Script) {
    let capabilities = r#"{"experimental":{"sep-2093":{},"versioned-resources":{}}}"#;
    Script::legacy(builder, "2025-11-25", capabilities).await
}

impl Script {
    /// Answers the next request with a result or an error, and returns the request.
    pub(crate) async fn answer_next(&mut self, answer: Value) -> Value {
        let asked = self.read().await;
        let mut message = answer;
        message["jsonrpc"] = "2.0".into();
        message["id"] = asked["id"].clone();
        self.send(message).await;
        asked
    }

    /// Sends a notification.
    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }
}
