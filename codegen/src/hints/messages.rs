//! [`Messages`]: how the messages of a schema are recognized.

use std::collections::BTreeMap;

use serde::Deserialize;

/// How messages are recognized. The defaults are the words of JSON-RPC.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Messages {
    /// The member whose constant is the method.
    pub tag: String,
    /// The member that contains the params.
    pub params: String,
    /// The name suffix of requests.
    pub request: String,
    /// The name suffix of notifications.
    pub notification: String,
    /// The name suffix of results.
    pub result: String,
    /// The name suffix of responses.
    pub response: String,
    /// The member of a response whose type is the result type of the request.
    pub response_member: String,
    /// Result definitions that do not follow from the name of the request: request to result.
    pub results: BTreeMap<String, String>,
    /// The results of requests whose result type is unknown. The first one that is defined is used.
    pub fallback: Vec<String>,
    /// Unions whose members are sent by clients.
    pub client: Vec<String>,
    /// Unions whose members are sent by servers.
    pub server: Vec<String>,
    /// Definitions whose members are the capabilities of a side.
    pub capabilities: Vec<String>,
}

impl Default for Messages {
    fn default() -> Self {
        Self {
            tag: "method".into(),
            params: "params".into(),
            request: "Request".into(),
            notification: "Notification".into(),
            result: "Result".into(),
            response: "ResultResponse".into(),
            response_member: "result".into(),
            results: BTreeMap::new(),
            fallback: Vec::new(),
            client: Vec::new(),
            server: Vec::new(),
            capabilities: Vec::new(),
        }
    }
}
