//! [`Session`]: the messages of a recording, each response with its request.

use std::collections::HashMap;

use mcp_client::types::id::RequestId;
use mcp_client::types::rpc::{self, ErrorObject};
use serde_json::value::RawValue;

use super::format::{Entry, Side};
use super::reader::Recording;

/// The maximum number of messages of a batch.
const BATCH: usize = 10_000;

/// The messages of a recording, in order.
pub(crate) struct Session<'a> {
    pub(crate) messages: Vec<Message<'a>>,
}

/// A message.
pub(crate) struct Message<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) text: &'a str,
    pub(crate) kind: Kind<'a>,
    /// The response of a request, or the request of a response, as an index of the messages.
    pub(crate) pair: Option<usize>,
}

/// What a message is, with its params, its result or its error as JSON text.
pub(crate) enum Kind<'a> {
    Request {
        id: RequestId,
        method: String,
        params: Option<&'a str>,
    },
    Notification {
        method: String,
        params: Option<&'a str>,
    },
    Result {
        id: RequestId,
        result: &'a str,
    },
    Error {
        id: Option<RequestId>,
        error: &'a str,
    },
    /// Not a message of JSON-RPC, for this reason.
    Invalid(String),
}

impl<'a> Session<'a> {
    pub(crate) fn new(recording: &'a Recording) -> Self {
        let mut messages = Vec::new();
        for entry in &recording.entries {
            let Some(message) = &entry.message else {
                continue;
            };
            match rpc::split_batch(message.get().as_bytes(), BATCH) {
                Ok(Some(batch)) => {
                    let batch = batch.into_iter().map(RawValue::get);
                    messages.extend(batch.map(|text| Message::new(entry, text)));
                }
                _ => messages.push(Message::new(entry, message.get())),
            }
        }
        let mut session = Self { messages };
        session.pair(&sessions(recording));
        session
    }

    /// Finds the request of each response. Ids are only unique for a side and an HTTP session.
    fn pair(&mut self, sessions: &HashMap<u64, u64>) {
        let mut open = HashMap::new();
        let mut posted = HashMap::new();
        for at in 0..self.messages.len() {
            let Some(message) = self.messages.get(at) else {
                return;
            };
            let exchange = message.exchange();
            let session = exchange.and_then(|exchange| sessions.get(&exchange).copied());
            let from = message.entry.from;
            if let Kind::Request { id, .. } = &message.kind {
                open.insert((from, id.clone(), Place::Session(session)), at);
                if let Some(exchange) = exchange {
                    open.insert((from, id.clone(), Place::Exchange(exchange)), at);
                    posted.insert(exchange, at);
                }
                continue;
            }
            let Some(id) = message.kind.answers().cloned() else {
                // A server that rejects a request may not know its id.
                if let (Kind::Error { .. }, Some(exchange)) = (&message.kind, exchange)
                    && let Some(request) = posted.remove(&exchange)
                {
                    self.join(at, request);
                }
                continue;
            };
            let requester = match from {
                Side::Client => Side::Server,
                _ => Side::Client,
            };
            let by_session = (requester, id.clone(), Place::Session(session));
            let request = exchange
                .and_then(|exchange| open.remove(&(requester, id, Place::Exchange(exchange))))
                .or_else(|| open.get(&by_session).copied());
            let Some(request) = request else { continue };
            if open.get(&by_session) == Some(&request) {
                open.remove(&by_session);
            }
            self.join(at, request);
        }
    }

    fn join(&mut self, response: usize, request: usize) {
        for (one, other) in [(response, request), (request, response)] {
            if let Some(message) = self.messages.get_mut(one) {
                message.pair = message.pair.or(Some(other));
            }
        }
    }

    /// Returns the request of a response, or the response of a request.
    pub(crate) fn pair_of(&self, message: &Message<'a>) -> Option<&Message<'a>> {
        self.messages.get(message.pair?)
    }
}

/// Where the id of a request is unique.
#[derive(PartialEq, Eq, Hash)]
enum Place {
    Session(Option<u64>),
    Exchange(u64),
}

/// Returns the HTTP session of each exchange: the response to `initialize` names it first.
fn sessions(recording: &Recording) -> HashMap<u64, u64> {
    let parts = recording.entries.iter();
    let parts = parts.filter_map(|entry| entry.http.as_ref());
    parts
        .filter_map(|part| Some((part.exchange, part.session?)))
        .collect()
}

impl<'a> Message<'a> {
    fn new(entry: &'a Entry, text: &'a str) -> Self {
        let kind = match rpc::parse_str(text) {
            Ok(rpc::Message::Request {
                id, method, params, ..
            }) => Kind::Request {
                id,
                method: method.into_owned(),
                params: params.map(RawValue::get),
            },
            Ok(rpc::Message::Notification { method, params, .. }) => Kind::Notification {
                method: method.into_owned(),
                params: params.map(RawValue::get),
            },
            Ok(rpc::Message::Result { id, result, .. }) => Kind::Result {
                id,
                result: result.get(),
            },
            Ok(rpc::Message::Error { id, error, .. }) => Kind::Error {
                id,
                error: error.get(),
            },
            Err(error) => Kind::Invalid(error.to_string()),
        };
        Self {
            entry,
            text,
            kind,
            pair: None,
        }
    }

    /// Returns the number of the HTTP request in which the message passed.
    pub(crate) fn exchange(&self) -> Option<u64> {
        Some(self.entry.http.as_ref()?.exchange)
    }

    /// Returns the method of a request or a notification.
    pub(crate) fn method(&self) -> Option<&str> {
        match &self.kind {
            Kind::Request { method, .. } | Kind::Notification { method, .. } => Some(method),
            _ => None,
        }
    }

    /// Returns the params of a request or a notification.
    pub(crate) fn params(&self) -> Option<&'a str> {
        match self.kind {
            Kind::Request { params, .. } | Kind::Notification { params, .. } => params,
            _ => None,
        }
    }
}

impl Kind<'_> {
    /// Returns the id that a response answers.
    pub(crate) fn answers(&self) -> Option<&RequestId> {
        match self {
            Self::Result { id, .. } => Some(id),
            Self::Error { id, .. } => id.as_ref(),
            _ => None,
        }
    }
}

/// Returns the code and the message of an error.
pub(crate) fn error_of(text: &str) -> Option<(i64, String)> {
    let error: ErrorObject = mcp_client::types::json::from_str(text).ok()?;
    Some((error.code, error.message))
}
