//! The deprecated transport HTTP+SSE of revision 2024-11-05. The response to a GET sends messages
//! to the client. Its first event contains a URL, to which the client POSTs its messages.
//!
//! Such a channel is a [`LineConnection`], like one over a pair of byte streams, but its output is
//! written as events. It ends with the response to the GET.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::request::Parts;
use http::{Method, Response, StatusCode};
use mcp_types::sse::{Event, write_event};
use mcp_wire::WriteQueue;
use mcp_wire::http_headers::SESSION_ID;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use crate::protocol::caller::Extensions;
use crate::protocol::core::Core;
use crate::protocol::quota::permits::{ChannelPermit, RequestPermit};
use crate::protocol::quota::retained::RetainedBytes;
use crate::protocol::quota::{PeerUsage, retained};
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::endpoint::channels::{Channel, Channels};
use crate::transport::http::ids::new_id;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::request::{accept, headers};
use crate::transport::http::response::answer;
use crate::transport::http::response::answer::comment;
use crate::transport::http::response::body::{Chunk, HttpBody, Source};
use crate::transport::http::{config, ids};
use crate::transport::line_connection::{ConnectionDriver, LineConnection};

/// The query parameter with the id of the channel.
const ID: &str = "sessionId";

/// Returns the id of the channel in the URI of a POST.
pub(crate) fn channel_id<'a>(path: Option<&str>, parts: &'a Parts) -> Option<&'a str> {
    if path != Some(parts.uri.path()) {
        return None;
    }
    let mut members = parts.uri.query()?.split('&');
    members.find_map(|member| member.strip_prefix(ID)?.strip_prefix('='))
}

/// Returns `true` if a request opens a channel: a GET without `Mcp-Session-Id`.
pub(crate) fn opens_channel(path: Option<&str>, parts: &Parts) -> bool {
    parts.method == Method::GET
        && path == Some(parts.uri.path())
        && !parts.headers.contains_key(SESSION_ID)
}

impl Endpoint {
    /// Handles GET: opens a channel.
    pub(crate) fn open_channel(
        &self,
        parts: &Parts,
        peer: &Arc<PeerUsage>,
    ) -> Result<Response<HttpBody>, Refusal> {
        accept::check_events(parts)?;
        let permit = Arc::clone(peer).channel().ok_or(Refusal::PeerSessions)?;
        let id = new_id()?;
        let (connection, driver) = LineConnection::open_checked(
            &self.server,
            Extensions::new(),
            headers::transport_info(Some(parts.version)),
            headers::check,
        );
        let write_queue = Arc::clone(&connection.write_queue);
        let channel = Arc::new(Channel {
            principal: config::principal(parts).map(Into::into),
            retained: RetainedBytes::new(peer, retained::memory(0, 0)),
            connection: Mutex::new(connection),
            write_queue: Arc::clone(&write_queue),
        });
        {
            let mut all = self.channels.all();
            if all.len() >= self.server.limits.sessions {
                return Err(Refusal::Sessions);
            }
            all.insert(id.clone(), channel);
        }
        let address = format!("{}?{ID}={id}", parts.uri.path());
        let output = ChannelStream {
            first: Some(event("endpoint", [address.as_bytes()])),
            id,
            channels: Arc::clone(&self.channels),
            server: self.server.clone(),
            write_queue,
            driver,
            grace_end: OnceLock::new(),
            _permit: permit,
            keep_alive: self.server.limits.keep_alive,
        };
        Ok(answer::events(HttpBody::stream(output)))
    }

    /// Handles POST: passes a message to its channel. The response is sent on the channel.
    pub(crate) async fn post_channel(
        &self,
        id: &str,
        extensions: Extensions,
        bytes: &[u8],
        permit: RequestPermit,
    ) -> Result<Response<HttpBody>, Refusal> {
        if !ids::is_session_id(id) {
            return Err(Refusal::UnknownChannel);
        }
        let channel = self.channels.all().get(id).cloned();
        let channel =
            channel.filter(|channel| channel.principal.as_deref() == extensions.principal());
        let channel = channel.ok_or(Refusal::UnknownChannel)?;
        self.check_text(bytes)?;
        let mut extensions = extensions;
        // The extensions of the request own the permit, which is released with the request.
        extensions.insert(permit);
        let accepted = async {
            loop {
                // Accepts no messages of a client that does not read the responses.
                channel.write_queue.wait_capacity().await;
                let mut connection = channel.connection.lock().await;
                if channel.write_queue.is_closed() {
                    return Err(Refusal::UnknownChannel);
                }
                if !channel.write_queue.is_full() {
                    connection.handle_message(bytes, extensions);
                    channel.retained.set(connection.memory());
                    if channel.retained.exceeds_limit() {
                        channel.write_queue.close();
                        return Err(Refusal::SessionMemory);
                    }
                    return Ok(());
                }
            }
        };
        let limit = self.server.limits.request_time;
        tokio::select! {
            biased;
            accepted = accepted => accepted?,
            () = sleep(limit) => return Err(Refusal::UnreadChannel),
        }
        channel.write_queue.notify_writer();
        Ok(answer::empty(StatusCode::ACCEPTED))
    }
}

/// The response to the GET. Dropping it ends the channel and cancels its requests.
struct ChannelStream {
    /// The first event, with the URL for messages.
    first: Option<Vec<u8>>,
    id: String,
    channels: Arc<Channels>,
    server: Arc<Core>,
    write_queue: Arc<WriteQueue>,
    driver: ConnectionDriver,
    /// The end of the grace time, once the server is shutting down.
    grace_end: OnceLock<Instant>,
    _permit: ChannelPermit,
    keep_alive: Duration,
}

impl ChannelStream {
    async fn text(&mut self) -> Option<Vec<u8>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let mut lines = Vec::new();
        loop {
            if self.write_queue.take(&mut lines) {
                let messages = lines.split(|&byte| byte == b'\n');
                let messages = messages.filter(|message| !message.is_empty());
                return Some(event("message", messages));
            }
            let stopped = async {
                self.server.stopping().await;
                // Set once: messages sent during the grace time do not extend it.
                let end = *self.grace_end.get_or_init(|| self.driver.grace_ends());
                self.driver.wait_idle_until(end).await;
            };
            tokio::select! {
                biased;
                is_filled = self.write_queue.wait_filled() => {
                    if !is_filled {
                        return None;
                    }
                }
                () = stopped => self.write_queue.close(),
                () = sleep(self.keep_alive) => return Some(comment()),
            }
        }
    }
}

impl Source for ChannelStream {
    fn next(mut self: Box<Self>) -> Pin<Box<dyn Future<Output = Chunk> + Send>> {
        Box::pin(async move {
            let text = self.text().await;
            let rest: Box<dyn Source> = self;
            Ok(text.map(|text| (text, Some(rest))))
        })
    }
}

impl Drop for ChannelStream {
    fn drop(&mut self) {
        self.channels.all().remove(&self.id);
    }
}

/// Encodes events with the same name.
fn event<'a>(name: &str, data: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut text = Vec::new();
    for data in data {
        let event = Event {
            event: Some(name),
            ..Event::data(data)
        };
        // Both names are valid, so this does not fail.
        let _ = write_event(&mut text, &event);
    }
    text
}
