//! A connection over Streamable HTTP.

use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Response, Uri};
use mcp_client::types::headers::{
    METHOD, NAME, PARAM_PREFIX, PROTOCOL_VERSION, SESSION_ID, encode_value, name_member,
};
use mcp_client::types::json::{self, Value};
use mcp_client::types::meta;
use mcp_client::types::sse::Decoder;
use mcp_client_oauth::OAuth;
use tokio::sync::mpsc;

use super::Sent;
use crate::args::Options;
use crate::failure::Failure;
use crate::output;
use crate::recording::http::{Pool, added, login, parse, send_with_token};

struct Connection {
    pool: Pool<Full<Bytes>>,
    url: Uri,
    added: HeaderMap,
    login: Option<OAuth>,
    received: mpsc::Sender<String>,
    limit: usize,
}

/// Sends messages in requests of their own, the next one when the head of the response to the last
/// one is there.
pub(super) fn start(
    url: &str,
    options: &Options,
    mut sent: mpsc::Receiver<Sent>,
    received: mpsc::Sender<String>,
) -> Result<(), Failure> {
    let url = parse(url)?;
    let added = added(&url, options)?;
    let connection = Arc::new(Connection {
        pool: Pool::new(&url, options)?,
        login: login(&added, options)?,
        added,
        url,
        received,
        limit: options.max_message,
    });
    tokio::spawn(async move {
        let mut session = Session::default();
        while let Some(message) = sent.recv().await {
            let Some(request) = connection.request(&message, &session) else {
                continue;
            };
            let response = match connection.send(request).await {
                Ok(response) => response,
                Err(error) => {
                    output::print_error(&format!("the server cannot be reached: {error}"));
                    return;
                }
            };
            session.learn(&message, &response);
            tokio::spawn(read(Arc::clone(&connection), response));
        }
    });
    Ok(())
}

/// What later requests repeat.
#[derive(Default)]
struct Session {
    id: Option<HeaderValue>,
    revision: Option<HeaderValue>,
}

impl Session {
    fn learn(&mut self, sent: &Sent, response: &Response<Incoming>) {
        if let Some(id) = response.headers().get(SESSION_ID) {
            self.id = Some(id.clone());
        }
        let message: Value = json::from_str(&sent.text).unwrap_or_default();
        if message.get("method").and_then(Value::as_str) == Some("initialize") {
            let revision = message.pointer("/params/protocolVersion");
            let revision = revision.and_then(Value::as_str);
            self.revision = revision.and_then(|revision| HeaderValue::from_str(revision).ok());
        }
    }
}

impl Connection {
    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, String> {
        let Some(login) = &self.login else {
            return self.pool.send(request).await;
        };
        let send = |headers: HeaderMap| {
            let mut request = request.clone();
            request.headers_mut().extend(headers);
            self.pool.send(request)
        };
        let report = |error: String| output::print_error(&error);
        send_with_token(login, (&self.url, request.method()), send, report).await
    }

    fn request(&self, sent: &Sent, session: &Session) -> Option<Request<Full<Bytes>>> {
        let message: Value = json::from_str(&sent.text).ok()?;
        let body = Full::new(Bytes::from(sent.text.clone()));
        let mut request = Request::post(self.url.clone()).body(body).ok()?;
        let headers = request.headers_mut();
        *headers = self.added.clone();
        let types = "application/json, text/event-stream";
        headers.insert(ACCEPT, HeaderValue::from_static(types));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let is_first = message.get("method").and_then(Value::as_str) == Some("initialize");
        if let Some(id) = session.id.as_ref().filter(|_| !is_first) {
            headers.insert(SESSION_ID, id.clone());
        }
        let params = message.get("params");
        let described = params.and_then(|params| params.get("_meta"));
        let revision = described
            .and_then(|described| described.get(meta::PROTOCOL_VERSION))
            .and_then(Value::as_str);
        if let Some(revision) = revision {
            let method = message.get("method").and_then(Value::as_str);
            insert(headers, PROTOCOL_VERSION, revision);
            insert(headers, METHOD, method.unwrap_or_default());
            let name = method.and_then(name_member);
            let name = name.and_then(|name| params?.get(name)?.as_str());
            if let Some(name) = name {
                insert(headers, NAME, &encode_value(name));
            }
        } else if let Some(revision) = session.revision.as_ref().filter(|_| !is_first) {
            headers.insert(PROTOCOL_VERSION, revision.clone());
        }
        for (name, value) in &sent.headers {
            if name.starts_with(PARAM_PREFIX) {
                insert(headers, name, value);
            }
        }
        Some(request)
    }
}

fn insert(headers: &mut HeaderMap, name: &str, value: &str) {
    let name = HeaderName::from_bytes(name.as_bytes());
    if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
        headers.insert(name, value);
    }
}

/// Reads the messages in a response.
async fn read(connection: Arc<Connection>, response: Response<Incoming>) {
    let media_type = response.headers().get(CONTENT_TYPE);
    let is_stream =
        media_type.is_some_and(|value| value.as_bytes().starts_with(b"text/event-stream"));
    let mut decoder = Decoder::new(connection.limit);
    let mut text = Vec::new();
    let mut body = response.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if !is_stream {
            text.extend_from_slice(&data);
            if text.len() > connection.limit {
                return;
            }
            continue;
        }
        let mut data = &*data;
        loop {
            let message = match decoder.next(&mut data) {
                Ok(Some(event)) if event.event == "message" => event.data.to_owned(),
                Ok(Some(_)) => continue,
                Ok(None) => break,
                Err(error) => {
                    output::print_error(&format!("an event was skipped: {error}"));
                    continue;
                }
            };
            if connection.received.send(message).await.is_err() {
                return;
            }
        }
    }
    let text = String::from_utf8_lossy(&text);
    if !text.trim().is_empty() {
        // The replay has ended.
        let _ = connection.received.send(text.into_owned()).await;
    }
}
