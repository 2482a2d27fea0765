//! The deprecated transport HTTP+SSE of revision 2024-11-05. The response to one GET is the way to
//! the client; it begins with an address, and POSTs to that are the way from the client.
//!
//! Such a channel is a [`Connection`] as over a pair of byte streams, whose output is written as
//! events. It ends with the response to the GET.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use http::request::Parts;
use http::{Method, Response, StatusCode};

use mcp_types::sse::{Event, write_event};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::answer::{self, comment};
use super::body::{HttpBody, Piece, Source};
use super::guard::{self, Refusal};
use super::ids::{self, new_id};
use super::names::SESSION_ID;
use super::service::Endpoint;
use crate::context::Extensions;
use crate::metrics::RefusalCause;
use crate::quota::{ChannelPermit, PeerUsage, RequestPermit};
use crate::race::{Either, race};
use crate::retained::{self, RetainedBytes};
use crate::server::Server;
use crate::transport::{Connection, Outbox, Owner};

/// The part of the address that says which channel a POST is for.
const ID: &str = "sessionId";

/// The channels of an endpoint by their ids.
#[derive(Default)]
pub(super) struct Channels(StdMutex<HashMap<String, Arc<Channel>>>);

struct Channel {
    /// The principal whose GET opened the channel.
    principal: Option<Box<str>>,
    /// Takes one message at a time.
    connection: Mutex<Connection>,
    outbox: Arc<Outbox>,
    /// The memory that its session keeps.
    retained: RetainedBytes,
}

impl Channels {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Channel>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many there are, and how many bytes wait in them for clients to read them.
    pub(super) fn gauges(&self) -> (usize, usize) {
        let channels: Vec<_> = self.all().values().cloned().collect();
        let queued = channels.iter().map(|channel| channel.outbox.queued_bytes());
        (channels.len(), queued.sum())
    }
}

/// The channel that a POST is for, by its address.
pub(super) fn channel_id<'a>(path: Option<&str>, parts: &'a Parts) -> Option<&'a str> {
    if path != Some(parts.uri.path()) {
        return None;
    }
    let mut members = parts.uri.query()?.split('&');
    members.find_map(|member| member.strip_prefix(ID)?.strip_prefix('='))
}

/// Whether a request opens a channel: a GET that names no session.
pub(super) fn opens(path: Option<&str>, parts: &Parts) -> bool {
    parts.method == Method::GET
        && path == Some(parts.uri.path())
        && !parts.headers.contains_key(SESSION_ID)
}

const TOO_MUCH: Refusal = Refusal(
    StatusCode::SERVICE_UNAVAILABLE,
    "sessions keep too much memory: this one is closed",
);

impl Endpoint {
    /// GET: opens a channel.
    pub(super) fn open_channel(
        &self,
        parts: &Parts,
        peer: &Arc<PeerUsage>,
    ) -> Result<Response<HttpBody>, Refusal> {
        guard::check_events(parts)?;
        let permit = Arc::clone(peer).channel().ok_or(Refusal(
            StatusCode::TOO_MANY_REQUESTS,
            "this client has too many sessions",
        ))?;
        let id = new_id()?;
        let (connection, owner) = Connection::open(&self.server, Extensions::new());
        let outbox = Arc::clone(connection.outbox());
        let channel = Arc::new(Channel {
            principal: guard::principal(parts).map(Into::into),
            retained: RetainedBytes::new(peer, retained::memory(0, 0)),
            connection: Mutex::new(connection),
            outbox: Arc::clone(&outbox),
        });
        {
            let mut all = self.channels.all();
            if all.len() >= self.server.limits().sessions {
                self.count(RefusalCause::Sessions);
                return Err(Refusal(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "too many sessions",
                ));
            }
            all.insert(id.clone(), channel);
        }
        let address = format!("{}?{ID}={id}", parts.uri.path());
        let output = Output {
            first: Some(event("endpoint", [address.as_bytes()])),
            id,
            channels: Arc::clone(&self.channels),
            server: self.server.clone(),
            outbox,
            owner,
            ends: OnceLock::new(),
            _permit: permit,
            keep_alive: self.server.limits().keep_alive,
        };
        Ok(answer::events(HttpBody::stream(output)))
    }

    /// POST: takes a message of a channel. What there is to say to it is said there.
    pub(super) async fn post_channel(
        &self,
        id: &str,
        extensions: Extensions,
        bytes: &[u8],
        permit: RequestPermit,
    ) -> Result<Response<HttpBody>, Refusal> {
        let unknown = Refusal(
            StatusCode::NOT_FOUND,
            "this session is not known, or its stream has ended",
        );
        if !ids::is_session_id(id) {
            return Err(unknown);
        }
        let channel = self.channels.all().get(id).cloned();
        let channel =
            channel.filter(|channel| channel.principal.as_deref() == extensions.principal());
        let channel = channel.ok_or(unknown)?;
        self.check_text(bytes)?;
        let mut extensions = extensions;
        // The place is taken as long as a request is served that needs it.
        extensions.insert(permit);
        let take = async {
            loop {
                // Who does not read is not listened to.
                channel.outbox.has_room().await;
                let mut connection = channel.connection.lock().await;
                if channel.outbox.is_closed() {
                    return Err(unknown);
                }
                if !channel.outbox.is_full() {
                    connection.take(bytes, extensions);
                    channel.retained.set(connection.memory());
                    if channel.retained.is_too_much() {
                        channel.outbox.close();
                        return Err(TOO_MUCH);
                    }
                    return Ok(());
                }
            }
        };
        let limit = self.server.limits().request_time;
        match race(take, sleep(limit)).await {
            Either::First(taken) => taken?,
            Either::Second(()) => {
                self.count(RefusalCause::PeerQuota);
                let what = "the stream of this session is not read";
                return Err(Refusal(StatusCode::SERVICE_UNAVAILABLE, what));
            }
        }
        channel.outbox.announce();
        Ok(answer::empty(StatusCode::ACCEPTED))
    }
}

/// The response to the GET. Dropping it ends the channel, and all that runs for it.
struct Output {
    /// The event with the address.
    first: Option<Vec<u8>>,
    id: String,
    channels: Arc<Channels>,
    server: Server,
    outbox: Arc<Outbox>,
    owner: Owner,
    /// When the grace time is over, once the server is shutting down.
    ends: OnceLock<Instant>,
    _permit: ChannelPermit,
    keep_alive: Duration,
}

impl Output {
    async fn text(&mut self) -> Option<Vec<u8>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let mut lines = Vec::new();
        loop {
            if self.outbox.take(&mut lines) {
                let messages = lines.split(|&byte| byte == b'\n');
                let messages = messages.filter(|message| !message.is_empty());
                return Some(event("message", messages));
            }
            let stopped = async {
                self.server.stopping().await;
                // It does not begin anew with what is said meanwhile.
                let end = *self.ends.get_or_init(|| self.owner.grace_ends());
                self.owner.settle_by(end).await;
            };
            let filled = race(self.outbox.filled(), stopped);
            match race(filled, sleep(self.keep_alive)).await {
                Either::First(Either::First(true)) => {}
                Either::First(Either::First(false)) => return None,
                Either::First(Either::Second(())) => self.outbox.close(),
                Either::Second(()) => return Some(comment()),
            }
        }
    }
}

impl Source for Output {
    fn next(mut self: Box<Self>) -> Pin<Box<dyn Future<Output = Piece> + Send>> {
        Box::pin(async move {
            let text = self.text().await?;
            let rest: Box<dyn Source> = self;
            Some((text, Some(rest)))
        })
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.channels.all().remove(&self.id);
    }
}

/// Events of one name.
fn event<'a>(name: &str, data: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut text = Vec::new();
    for data in data {
        let event = Event {
            event: Some(name),
            ..Event::data(data)
        };
        // Both names can be written.
        let _ = write_event(&mut text, &event);
    }
    text
}
