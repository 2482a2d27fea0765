//! GET in a session: opens the stream of announcements, or resumes a stream.

use std::net::SocketAddr;
use std::sync::Arc;

use http::request::Parts;
use http::{Response, StatusCode};
use mcp_wire::http_headers::LAST_EVENT_ID;

use crate::protocol::caller::{Caller, Extensions};
use crate::protocol::dispatch::announcements::send_changes;
use crate::protocol::quota::PeerUsage;
use crate::protocol::store::StreamKey;
use crate::protocol::store::message::BusMessage;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::ids;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::request::accept;
use crate::transport::http::response::answer;
use crate::transport::http::response::body::HttpBody;
use crate::transport::http::session::handle::{ConnectionGuard, SessionHandle};
use crate::transport::http::session::stream::Stream;
use crate::transport::http::session::stream_reader::{DetachedStream, StreamReader};
use crate::transport::http::session::stream_record::StreamRecord;

impl Endpoint {
    /// Handles GET: opens the stream of announcements, or resumes the stream of `Last-Event-ID`.
    pub(crate) async fn get(
        &self,
        parts: &Arc<Parts>,
        remote: Option<SocketAddr>,
        peer: &Arc<PeerUsage>,
    ) -> Result<Response<HttpBody>, Refusal> {
        accept::check_events(parts)?;
        let handle = self.session_of(parts).await?;
        let keep_alive = self.server.limits.keep_alive;
        let guard = handle.connect();
        if let Some(event_id) = parts.headers.get(LAST_EVENT_ID) {
            let position = event_id.to_str().ok().and_then(ids::split_event_id);
            let Some((stream, after)) = position else {
                let found = String::from_utf8_lossy(event_id.as_bytes()).into_owned();
                return Err(Refusal::LastEventId(found));
            };
            if let Some(stream) = handle.stream(stream) {
                let generation = stream.disconnect_readers();
                let reader = StreamReader::live(stream, generation, Some(after), keep_alive, guard);
                return Ok(answer::events(HttpBody::events(reader)));
            }
            let key = StreamKey {
                session: handle.id(),
                stream,
            };
            let about = self.server.stores.about_stream(key).await?;
            let about = StreamRecord::read(&about.unwrap_or_default());
            if about.is_for_announcements {
                // Another process sent them until now. What it sent in the meantime is not worth
                // reading: anything may have changed.
                return self
                    .announce(parts, remote, peer, &handle, guard, true)
                    .await;
            }
            let stores = DetachedStream {
                server: Arc::clone(&self.server),
                session: handle.id().into(),
                stream: stream.into(),
                about,
            };
            // Clients take an empty stream for one that was interrupted, and resume it again and again.
            if stores.has_ended(after).await? {
                return Ok(answer::empty(StatusCode::NO_CONTENT));
            }
            let reader = StreamReader::stored(stores, after, keep_alive, guard);
            return Ok(answer::events(HttpBody::events(reader)));
        }
        self.announce(parts, remote, peer, &handle, guard, false)
            .await
    }

    /// Creates the response with the stream of announcements. If the client is `behind`, it is told
    /// that anything may have changed.
    async fn announce(
        &self,
        parts: &Arc<Parts>,
        remote: Option<SocketAddr>,
        peer: &Arc<PeerUsage>,
        handle: &Arc<SessionHandle>,
        guard: ConnectionGuard,
        behind: bool,
    ) -> Result<Response<HttpBody>, Refusal> {
        self.count_message(peer, 0)?;
        let keep_alive = self.server.limits.keep_alive;
        let new_stream = Arc::new(self.new_stream(handle));
        new_stream.name(StreamRecord::of_announcements());
        let (stream, is_new) = handle
            .announcements(|| new_stream)
            .ok_or(Refusal::UnknownSession)?;
        let generation = stream.disconnect_readers();
        let reader = StreamReader::live(Arc::clone(&stream), generation, None, keep_alive, guard);
        // A client that subscribed at another process, whose request is not known here.
        let extensions = Arc::new(Extensions::of_http(Arc::clone(parts), remote));
        handle.session.set_listener(Caller {
            extensions,
            values: None,
        });
        Box::pin(self.sessions.update_memory(handle)).await;
        if is_new {
            self.spawn_announcements(handle, &stream, behind);
        }
        // Also if the stream exists: the client may have read that of another process meanwhile.
        if self.server.stores.bus.is_some() {
            handle.begin_announcing();
            let listening = BusMessage::Listening {
                session: handle.id().into(),
                stream: stream.id().into(),
            };
            let published = self.publish(&listening).await;
            published.inspect_err(|_| handle.end_announcing(1))?;
        }
        Ok(answer::events(HttpBody::events(reader)))
    }

    /// Spawns the task that sends notifications of changes until the session ends.
    fn spawn_announcements(&self, handle: &Arc<SessionHandle>, stream: &Arc<Stream>, behind: bool) {
        let sink: Arc<Stream> = Arc::clone(stream);
        let changes = send_changes(&self.server, Arc::clone(&handle.session), sink, behind);
        let announcements = Arc::clone(stream);
        let server = self.server.clone();
        handle.run(stream, async move {
            announcements.start().await;
            tokio::select! {
                biased;
                () = changes => {}
                () = announcements.pump() => {}
                () = server.stopping() => {}
                () = announcements.wait_ended() => {}
            }
            announcements.end(None);
            announcements.finish().await;
        });
    }

    /// Creates a stream for the messages of a request in a session.
    pub(crate) fn new_stream(&self, handle: &SessionHandle) -> Stream {
        let limit = self.server.limits.queued_bytes;
        Stream::new(&handle.session, &self.server, limit, &handle.peer)
    }
}
