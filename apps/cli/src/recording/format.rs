//! The format of a recording: JSON lines. The first one is a [`Header`], the others are
//! [`Entry`]s in the order in which they passed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The version of the format that this program writes and reads.
pub(crate) const VERSION: u32 = 1;

/// The first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The version of the format.
    #[serde(rename = "mcpRecording")]
    pub(crate) version: u32,
    /// The program that wrote the recording, with its version.
    pub(crate) program: String,
    /// When the recording began, as in RFC 3339.
    pub(crate) time: String,
    pub(crate) server: Server,
    pub(crate) secrets: Secrets,
}

/// The server, which also determines the transport.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Server {
    /// A program with its arguments, over standard input and output.
    Program(Vec<String>),
    /// A URL, over HTTP.
    Url(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Secrets {
    Removed,
    Kept,
}

/// Who sent what an entry records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Side {
    Client,
    Server,
    /// A remark of the program that wrote the recording.
    Recorder,
}

/// Where a message passed, unless it is the usual stream of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stream {
    /// Standard error of the program.
    Stderr,
    /// Server-sent events in a response.
    Sse,
}

/// A line: a message, a text, or a step of HTTP without either.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// When it passed, as in RFC 3339.
    pub(crate) time: String,
    /// The same in milliseconds since the start of the recording.
    pub(crate) ms: f64,
    pub(crate) from: Side,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stream: Option<Stream>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) http: Option<Box<HttpPart>>,
    /// The JSON as it was sent, except for removed secrets and line breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Box<RawValue>>,
    /// Anything else, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// The complete size in bytes of a text that is shortened or not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
}

/// What HTTP adds to a message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HttpPart {
    /// The number of the request, from one. The response has the same.
    pub(crate) exchange: u64,
    /// The method of a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) method: Option<String>,
    /// The path of a request, with its query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// The status of a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// The number of the session, from one. Its id is a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<u64>,
    /// The name of a server-sent event that is not a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<String>,
    /// The id of a server-sent event.
    #[serde(rename = "eventId", default, skip_serializing_if = "Option::is_none")]
    pub(crate) event_id: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
}
