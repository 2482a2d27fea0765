//! Requests of sessions, as the revisions from 2025-03-26 to 2025-11-25 have them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use mcp_types::rpc::{self, ErrorObject, Message};
use mcp_types::{RequestId, Revision};

use super::answer;
use super::body::{HttpBody, Permit};
use super::entry::Entry;
use super::guard::{self, Refusal};
use super::ids;
use super::jobs::{Jobs, in_flight};
use super::names::{LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID};
use super::reader::Reader;
use super::service::Endpoint;
use super::sessions::Found;
use super::store::{Before, Delta};
use super::stream::{First, Stream};
use crate::changes::BusMessage;
use crate::context::Extensions;
use crate::engine::{Accepted, Answer, Head, Read, Refused, Via, respond};
use crate::listen::tell_session;
use crate::metrics::RefusalCause;
use crate::quota::{PeerUsage, RequestPermit};
use crate::race::race;
use crate::server::Server;
use crate::session::Session;

/// The session that a request names, where it is one of a session at all.
pub(super) fn session_id(parts: &Parts) -> Option<&str> {
    if guard::is_modern(parts) {
        return None;
    }
    let id = parts.headers.get(SESSION_ID)?;
    Some(id.to_str().unwrap_or_default())
}

/// Whether a body is a request that says itself which revision it is of. Sessions are nothing to
/// it.
pub(super) fn is_modern(bytes: &[u8]) -> bool {
    let Ok(Message::Request { params, .. }) = rpc::parse(bytes) else {
        return false;
    };
    Head::read(params).is_ok_and(|head| head.version().is_some())
}

impl Endpoint {
    /// The session of a request.
    pub(super) async fn entry(&self, parts: &Parts) -> Result<Arc<Entry>, Refusal> {
        let missing = Refusal(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is missing");
        let id = session_id(parts).ok_or(missing)?;
        self.entry_of(id, parts).await
    }

    /// The session of a request that names it.
    pub(super) async fn entry_of(&self, id: &str, parts: &Parts) -> Result<Arc<Entry>, Refusal> {
        for version in parts.headers.get_all(PROTOCOL_VERSION) {
            let version = version.to_str().unwrap_or_default().trim();
            if version.parse::<Revision>().is_err() {
                let what = "`MCP-Protocol-Version` is none that is supported";
                return Err(Refusal(StatusCode::BAD_REQUEST, what));
            }
        }
        let found = if ids::is_session_id(id) {
            self.sessions.find(id, guard::principal(parts)).await
        } else {
            Found::Unknown
        };
        match found {
            Found::Here(entry) => return Ok(entry),
            Found::NoPlace => {
                self.count(RefusalCause::Sessions);
                return Err(TOO_MANY);
            }
            Found::Expired => Box::pin(self.sessions.end(id)).await,
            Found::Unknown => {}
        }
        Err(NO_SESSION)
    }

    /// DELETE: ends the session.
    pub(super) async fn delete(&self, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
        let entry = self.entry(parts).await?;
        self.sessions.end(entry.id()).await;
        Ok(answer::empty(StatusCode::NO_CONTENT))
    }

    /// Keeps a session that began, and says its id.
    pub(super) async fn begin(
        &self,
        session: Arc<Session>,
        first: Answer,
        peer: Arc<PeerUsage>,
    ) -> Response<HttpBody> {
        let Some(entry) = self.sessions.begin(session, peer).await else {
            self.count(RefusalCause::Sessions);
            return self.refuse(TOO_MANY);
        };
        let mut response = answer::answer(first);
        if let Ok(id) = HeaderValue::from_str(entry.id()) {
            response.headers_mut().insert(SESSION_ID, id);
        }
        response
    }

    /// GET: announcements, or the rest of a stream.
    pub(super) async fn get(&self, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
        guard::check_events(parts)?;
        let entry = self.entry(parts).await?;
        let keep_alive = self.server.limits().keep_alive;
        let held = entry.reading();
        if let Some(last) = parts.headers.get(LAST_EVENT_ID) {
            let place = last.to_str().ok().and_then(ids::split_event_id);
            let Some((stream, after)) = place else {
                let what = "`Last-Event-ID` is none of ours";
                return Err(Refusal(StatusCode::BAD_REQUEST, what));
            };
            let reader = if let Some(stream) = entry.stream(stream) {
                let kick = stream.kick();
                Reader::live(stream, kick, Some(after), keep_alive, held)
            } else {
                let store = Arc::clone(&self.events);
                Reader::stored(
                    &self.server,
                    store,
                    entry.id(),
                    stream,
                    after,
                    keep_alive,
                    held,
                )
            };
            return Ok(answer::events(HttpBody::reader(reader)));
        }
        let fresh = Arc::new(self.stream(&entry));
        fresh.name(entry.stream_name()?);
        let (stream, new) = entry.announcements(|| fresh).ok_or(NO_SESSION)?;
        let kick = stream.kick();
        let reader = Reader::live(Arc::clone(&stream), kick, None, keep_alive, held);
        if new {
            self.announce(&entry, &stream);
            self.publish(BusMessage::Listening {
                session: entry.id().into(),
                stream: stream.id().into(),
            });
        }
        Ok(answer::events(HttpBody::reader(reader)))
    }

    /// Tells the client of changes, as long as the session lasts.
    fn announce(&self, entry: &Arc<Entry>, stream: &Arc<Stream>) {
        let outlet: Arc<Stream> = Arc::clone(stream);
        let tell = tell_session(&self.server, Arc::clone(&entry.session), outlet);
        let told = Arc::clone(stream);
        let stay = self.sessions.stay(entry);
        let server = self.server.clone();
        entry.run(stream, async move {
            told.begin().await;
            let tell = race(race(tell, told.pump()), race(stay, server.stopping()));
            race(tell, told.ended()).await;
            told.end(None);
            told.finish().await;
        });
    }

    /// A stream for what belongs to one request of a session.
    fn stream(&self, entry: &Entry) -> Stream {
        let limit = self.server.limits().queued_bytes;
        Stream::new(&entry.session, &self.events, limit, &entry.peer)
    }

    /// POST in a session.
    pub(super) async fn post(
        &self,
        entry: &Arc<Entry>,
        extensions: Arc<Extensions>,
        bytes: Bytes,
        mut permit: RequestPermit,
    ) -> Result<Response<HttpBody>, Refusal> {
        let mut read = match self.server.read(&bytes, Some(&entry.session)) {
            Ok(read) => read,
            Err(Some(fault)) => return Ok(answer::answer(fault)),
            Err(None) => {
                let what = "an answer that cannot be read";
                return Err(Refusal(StatusCode::BAD_REQUEST, what));
            }
        };
        let refused = self.keep_accepted(&mut read)?;
        let Asked {
            mut jobs,
            stream,
            notified,
            before,
        } = self.take(entry, extensions, read, &bytes, &mut permit)?;
        for answer in refused {
            jobs.answer(answer);
        }
        // A handler may run for long, and has what it needs of the body.
        drop(bytes);
        for handler in notified {
            self.notified(handler).await;
        }
        if jobs.is_empty() {
            return Ok(answer::empty(StatusCode::ACCEPTED));
        }
        let response = self.serve(entry, jobs, stream, permit).await?;
        if let Some(before) = before {
            Box::pin(self.changed(entry, &before.delta(&entry.session))).await;
            Box::pin(self.sessions.weigh(entry)).await;
        }
        Ok(response)
    }

    /// Takes the messages of a POST.
    fn take(
        &self,
        entry: &Arc<Entry>,
        extensions: Arc<Extensions>,
        read: Read<'_>,
        bytes: &[u8],
        permit: &mut RequestPermit,
    ) -> Result<Asked, Refusal> {
        let session = &entry.session;
        let stream = Arc::new(self.stream(entry));
        let outlet: Arc<Stream> = Arc::clone(&stream);
        let via = Via {
            outlet,
            session: Some(Arc::clone(session)),
            // One handshake is enough for a session.
            session_id: None,
            extensions,
            #[cfg(feature = "versioned-resources")]
            subscribed: None,
        };
        let mut jobs = Jobs::default();
        let mut notified = Vec::new();
        let mut again = false;
        let mut before = None;
        let mut requests = 0;
        let batch = matches!(read, Read::Batch(_));
        let mut take = |message: Message<'_>| {
            if self.answered(entry, &message, (!batch).then_some(bytes)) {
                return;
            }
            if let Message::Request { id, method, .. } = &message {
                if entry.is_running(id) {
                    return jobs.answer(in_flight(id));
                }
                // Each request of a batch counts. Those for which there is no room are answered
                // one by one, as over a pair of byte streams: the client need not repeat the
                // others, which may have had effects.
                requests += 1;
                if requests > 1
                    && let Err(error) = permit.add(1)
                {
                    return jobs.answer(too_many_requests(id, self.exhausted(error)));
                }
                if changes_session(method) {
                    before.get_or_insert_with(|| Before::of(session));
                }
            }
            match self.server.dispatch(message, &via) {
                Accepted::Nothing => {}
                Accepted::Answer(answer) => jobs.answer(answer),
                Accepted::Session(..) => again = true,
                Accepted::Call(call) => jobs.call(call),
                Accepted::Notification(handler) => notified.push(handler),
                Accepted::Cancel(id) => self.cancel(entry, id),
            }
        };
        match read {
            Read::One(message) => take(message),
            Read::Batch(messages) => {
                let mut faults = Vec::new();
                for message in messages {
                    match message {
                        Ok(message) => take(message),
                        Err(error) => faults.extend(Server::refuse(&error)),
                    }
                }
                for fault in faults {
                    jobs.answer(fault);
                }
                jobs.set_batch();
            }
        }
        if again {
            let what = "the session has begun already";
            return Err(Refusal(StatusCode::BAD_REQUEST, what));
        }
        Ok(Asked {
            jobs,
            stream,
            notified,
            before,
        })
    }

    /// Lets other processes know what changed in a session.
    async fn changed(&self, entry: &Entry, delta: &Delta) {
        if *delta == Delta::default() {
            return;
        }
        self.sessions.change(entry, delta).await;
        self.publish(BusMessage::SessionChanged {
            session: entry.id().into(),
            value: delta.value(),
        });
    }

    /// Hands the answer to a request of ours over; `false` where the message is none.
    ///
    /// `text` is that of the message; in a batch it has none of its own.
    fn answered(&self, entry: &Entry, message: &Message<'_>, text: Option<&[u8]>) -> bool {
        let session = Some(&*entry.session);
        let Some(known) = respond::hand_over(session, message, self.server.limits()) else {
            return false;
        };
        if !known {
            // Another process may have asked.
            let session = entry.id().into();
            let message = text.map_or_else(|| respond::text(message), <[u8]>::to_vec);
            self.publish(BusMessage::Answer { session, message });
        }
        true
    }

    fn cancel(&self, entry: &Entry, request: RequestId) {
        if !entry.cancel(&request) {
            let session = entry.id().into();
            self.publish(BusMessage::Cancel { session, request });
        }
    }

    /// Serves the requests of one POST, which go on if the client is gone.
    async fn serve(
        &self,
        entry: &Arc<Entry>,
        mut jobs: Jobs,
        stream: Arc<Stream>,
        permit: RequestPermit,
    ) -> Result<Response<HttpBody>, Refusal> {
        let keep_alive = self.server.limits().keep_alive;
        // Most handlers are done at once.
        // Nobody is woken if not: the worker looks at once, too.
        let permit = if let Poll::Ready(last) = jobs.poll(&mut Context::from_waker(Waker::noop())) {
            stream.end(last);
            Permit::from(permit)
        } else {
            let permit = Arc::new(permit);
            jobs.sit(entry, &stream);
            let worker = Arc::clone(&stream);
            let kept = Permit::Shared {
                _permit: Arc::clone(&permit),
            };
            let runs = entry.run(&stream, async move {
                let _permit = permit;
                let last = worker.work(jobs).await;
                if worker.end(last) {
                    worker.finish().await;
                }
            });
            if !runs {
                return Err(NO_SESSION);
            }
            kept
        };
        let unread = Unread(stream);
        let stream = &unread.0;
        let mut response = match stream.first(keep_alive).await {
            First::Answer(last) => whole(last),
            First::Events => {
                stream.name(entry.stream_name()?);
                let text = stream.complete().await;
                answer::events(HttpBody::whole(text))
            }
            First::Stream => self.events(entry, stream).await?,
        };
        response.body_mut().keep_permit(permit);
        Ok(response)
    }

    /// The response of a stream that goes on.
    async fn events(
        &self,
        entry: &Arc<Entry>,
        stream: &Arc<Stream>,
    ) -> Result<Response<HttpBody>, Refusal> {
        let keep_alive = self.server.limits().keep_alive;
        stream.name(entry.stream_name()?);
        // Before anything can be forgotten.
        stream.attach(0, Some(0));
        let over = stream.begin().await;
        let held = entry.reading();
        let reader = Reader::from_start(Arc::clone(stream), keep_alive, held);
        if over {
            let rest = Arc::clone(stream);
            entry.run(stream, async move { rest.finish().await });
        }
        Ok(answer::events(HttpBody::reader(reader)))
    }
}

/// What the messages of a POST ask for.
struct Asked {
    jobs: Jobs,
    /// Where the requests say what belongs to them.
    stream: Arc<Stream>,
    notified: Vec<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// The session as it was, where it may change.
    before: Option<Before>,
}

const NO_SESSION: Refusal = Refusal(
    StatusCode::NOT_FOUND,
    "this session is not known, or has ended",
);
const TOO_MANY: Refusal = Refusal(StatusCode::SERVICE_UNAVAILABLE, "too many sessions");

/// The answer to a request of a batch for which there is no room.
fn too_many_requests(id: &RequestId, refusal: Refusal) -> Answer {
    let Refusal(_, what) = refusal;
    let error = ErrorObject::internal_error(what);
    Answer::error(Some(id), &error, Refused::Malformed)
}

/// Whether a method changes what a session established.
fn changes_session(method: &str) -> bool {
    matches!(
        method,
        "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe"
    )
}

/// A response of one text. To clients of these revisions 404 says that the session is over: an
/// error is an answer like others, but for what is wrong about HTTP itself.
fn whole(last: Answer) -> Response<HttpBody> {
    if last.refused == Some(Refused::Mismatch) {
        return answer::answer(last);
    }
    answer::json(StatusCode::OK, last.message)
}

/// A stream on which nothing was written yet: nobody will read it where this is dropped before.
struct Unread(Arc<Stream>);

impl Drop for Unread {
    fn drop(&mut self) {
        self.0.close();
    }
}
