//! Requests of sessions, as the revisions from 2025-03-26 to 2025-11-25 have them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use mcp_types::rpc::{ErrorObject, Message};
use mcp_types::{RequestId, Revision, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;

use super::answer::{self, HttpBody};
use super::guard::{self, Refusal};
use super::names::{LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID};
use super::service::{Endpoint, new_id};
use super::sessions::Entry;
use super::stream::{First, Reader, Stream};
use crate::changes::{BusMessage, BusReceiver};
use crate::context::Extensions;
use crate::engine::{Accepted, Answer, Call, Read, Via};
use crate::listen::tell_session;
use crate::race::{Either, race};
use crate::session::Session;

/// The session that a request names, where it is one of a session at all.
pub(super) fn session_id(parts: &Parts) -> Option<&str> {
    let version = parts.headers.get(PROTOCOL_VERSION);
    if version.is_some_and(|version| version == Revision::LATEST.as_str()) {
        return None;
    }
    let id = parts.headers.get(SESSION_ID)?;
    Some(id.to_str().unwrap_or_default())
}

const UNKNOWN: Refusal = Refusal(StatusCode::NOT_FOUND, "this session is not known, or over");

impl Endpoint {
    async fn entry(&self, parts: &Parts) -> Result<Arc<Entry>, Refusal> {
        let missing = Refusal(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is missing");
        let id = session_id(parts).ok_or(missing)?;
        for version in parts.headers.get_all(PROTOCOL_VERSION) {
            let version = version.to_str().unwrap_or_default().trim();
            if version.parse::<Revision>().is_err() {
                let what = "`MCP-Protocol-Version` is none that is supported";
                return Err(Refusal(StatusCode::BAD_REQUEST, what));
            }
        }
        self.sessions.find(id).await.ok_or(UNKNOWN)
    }

    /// DELETE: ends the session.
    pub(super) async fn delete(&self, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
        let entry = self.entry(parts).await?;
        self.end(entry.id()).await;
        Ok(answer::empty(StatusCode::NO_CONTENT))
    }

    async fn end(&self, id: &str) {
        self.sessions.remove(id).await;
        if let Err(error) = self.events.remove(id).await {
            tracing::error!(error = %crate::error::Chain(&error), "events cannot be removed");
        }
        self.publish(BusMessage::SessionEnded { session: id.into() });
    }

    fn publish(&self, message: BusMessage) {
        if let Some(bus) = &self.server.inner.bus {
            bus.publish(message);
        }
    }

    /// Keeps a session that began, and says its id.
    pub(super) async fn begin(&self, session: Arc<Session>, first: Answer) -> Response<HttpBody> {
        let (entry, gone) = self.sessions.add(Arc::clone(&session));
        for id in gone {
            self.end(&id).await;
        }
        let Some(entry) = entry else {
            let what = "too many sessions";
            return answer::refusal(Refusal(StatusCode::SERVICE_UNAVAILABLE, what));
        };
        self.sessions.save(&session).await;
        let mut response = answer::answer(first);
        if let Ok(id) = HeaderValue::from_str(entry.id()) {
            response.headers_mut().insert(SESSION_ID, id);
        }
        response
    }

    /// GET: announcements, or the rest of a stream.
    pub(super) async fn get(&self, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
        if !guard::accepts_events(parts) {
            let what = "`Accept` must have text/event-stream";
            return Err(Refusal(StatusCode::NOT_ACCEPTABLE, what));
        }
        let entry = self.entry(parts).await?;
        let keep_alive = self.server.limits().keep_alive;
        let held = Box::new(entry.reading());
        if let Some(last) = parts.headers.get(LAST_EVENT_ID) {
            let place = last.to_str().ok().and_then(|last| last.split_once('-'));
            let place = place.and_then(|(stream, number)| Some((stream, number.parse().ok()?)));
            let Some((stream, after)) = place else {
                let what = "`Last-Event-ID` is none of ours";
                return Err(Refusal(StatusCode::BAD_REQUEST, what));
            };
            let reader = if let Some(stream) = entry.stream(stream) {
                let kick = stream.kick();
                Reader::live(stream, Some(after), kick, keep_alive, held)
            } else {
                let store = Arc::clone(&self.events);
                Reader::stored(store, entry.id(), stream, after, keep_alive, held)
            };
            return Ok(answer::events(HttpBody::stream(reader)));
        }
        let fresh = Arc::new(self.stream(&entry.session));
        let (stream, new) = entry.announcements(|| fresh);
        let kick = stream.kick();
        if new {
            stream.begin(new_id()?).await;
            let (server, session) = (self.server.clone(), Arc::clone(&entry.session));
            let outlet: Arc<Stream> = Arc::clone(&stream);
            let pumped = Arc::clone(&stream);
            entry.run(None, &stream, async move {
                race(tell_session(server, session, outlet), pumped.pump()).await;
            });
        }
        let after = (!new).then(|| stream.number());
        let reader = Reader::live(stream, after, kick, keep_alive, held);
        Ok(answer::events(HttpBody::stream(reader)))
    }

    /// A stream for what belongs to one request of a session.
    fn stream(&self, session: &Session) -> Stream {
        let store = Arc::clone(&self.events);
        let primes = session.revision >= Revision::V2025_11_25;
        let id = session.id.as_deref().unwrap_or_default();
        let limits = self.server.limits();
        Stream::new(id, store, primes, limits)
    }

    /// POST in a session.
    pub(super) async fn post(
        &self,
        parts: Parts,
        bytes: &[u8],
        permit: OwnedSemaphorePermit,
    ) -> Result<Response<HttpBody>, Refusal> {
        let entry = self.entry(&parts).await?;
        let session = &entry.session;
        let stream = Arc::new(self.stream(session));
        let outlet: Arc<Stream> = Arc::clone(&stream);
        let via = Via {
            outlet,
            session: Some(Arc::clone(session)),
            // One handshake is enough for a session.
            session_id: None,
            extensions: Arc::new(Extensions::of_http(parts)),
        };
        let limits = self.server.limits();
        let mut jobs = Jobs::default();
        let mut notified = Vec::new();
        let mut again = false;
        let mut changed = false;
        let mut take = |message: Message<'_>| {
            changed |= message.method().is_some_and(changes_session);
            if self.answered(&entry, &message, bytes) {
                return;
            }
            match self.server.dispatch(message, &via) {
                Accepted::Nothing => {}
                Accepted::Answer(answer) => jobs.answers.push(answer),
                Accepted::Session(..) => again = true,
                Accepted::Call(call) => jobs.calls.push(call),
                Accepted::Notification(handler) => notified.push(handler),
                Accepted::Cancel(id) => self.cancel(&entry, id),
            }
        };
        match self.server.read(bytes, Some(session)) {
            Ok(Read::One(message)) => take(message),
            Ok(Read::Batch(messages)) => {
                let mut faults = Vec::new();
                for message in messages {
                    match message {
                        Ok(message) => take(message),
                        Err(error) => faults.extend(crate::server::Server::refuse(&error)),
                    }
                }
                jobs.answers.append(&mut faults);
                jobs.batch = true;
            }
            Err(Some(fault)) => return Ok(answer::answer(fault)),
            Err(None) => {
                let what = "an answer that cannot be read";
                return Err(Refusal(StatusCode::BAD_REQUEST, what));
            }
        }
        if again {
            let what = "the session has begun already";
            return Err(Refusal(StatusCode::BAD_REQUEST, what));
        }
        for handler in notified {
            if let Either::Second(()) = race(handler, sleep(limits.request_time)).await {
                tracing::warn!("a notification took too long");
            }
        }
        if jobs.is_empty() {
            return Ok(answer::empty(StatusCode::ACCEPTED));
        }
        let response = self.serve(&entry, jobs, stream, permit).await?;
        if changed {
            self.sessions.save(session).await;
            let session = entry.id().into();
            self.publish(BusMessage::SessionChanged { session });
        }
        Ok(response)
    }

    /// Hands the answer to a request of ours over; `false` where the message is none.
    fn answered(&self, entry: &Entry, message: &Message<'_>, bytes: &[u8]) -> bool {
        let Some(known) = hand_over(&entry.session, message) else {
            return false;
        };
        if !known {
            // Another process may have asked. It finds the answer in the whole text.
            let session = entry.id().into();
            let message = bytes.to_vec();
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
        permit: OwnedSemaphorePermit,
    ) -> Result<Response<HttpBody>, Refusal> {
        let limits = self.server.limits();
        let first = std::future::poll_fn(|task| Poll::Ready(jobs.poll_all(task))).await;
        if let Some(last) = first {
            return Ok(whole(stream.take(), last));
        }
        let id = jobs.id();
        let worker = Arc::clone(&stream);
        entry.run(id, &stream, async move {
            let _permit = permit;
            let answer = match race(jobs, worker.pump()).await {
                Either::First(answer) => answer,
                Either::Second(()) => return,
            };
            if worker.answered(answer) {
                worker.finish().await;
            }
        });
        let unread = Unread(stream);
        let stream = &unread.0;
        Ok(match stream.first(limits.keep_alive).await {
            First::Whole(said, last) => whole(said, last),
            First::Events => {
                let over = stream.begin(new_id()?).await;
                let held = Box::new(entry.reading());
                let reader = Reader::live(Arc::clone(stream), None, 0, limits.keep_alive, held);
                if over {
                    let rest = Arc::clone(stream);
                    entry.run(None, stream, async move { rest.finish().await });
                }
                answer::events(HttpBody::stream(reader))
            }
        })
    }
}

/// Whether a method changes what a session established.
fn changes_session(method: &str) -> bool {
    matches!(
        method,
        "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe"
    )
}

/// Hands an answer to the handler that waits for it: whether there was one, `None` where the
/// message is no answer.
fn hand_over(session: &Session, message: &Message<'_>) -> Option<bool> {
    let (id, response) = match message {
        Message::Result { id, result, .. } => (id, Ok((*result).to_owned())),
        Message::Error {
            id: Some(id),
            error,
            ..
        } => {
            let error = json::from_str(error.get()).unwrap_or_else(|error| {
                ErrorObject::internal_error(format!("the peer's error is not one: {error}"))
            });
            (id, Err(error))
        }
        _ => return None,
    };
    Some(session.calls.answer(id, response))
}

/// A response that is complete.
fn whole(said: Vec<bytes::Bytes>, last: Answer) -> Response<HttpBody> {
    if said.is_empty() {
        // To clients of these revisions 404 says that the session is over: an error is an answer
        // like others.
        return answer::json(StatusCode::OK, last.message);
    }
    let last = bytes::Bytes::from(last.message);
    answer::whole_events(said.into_iter().chain([last]))
}

/// A stream on which nothing was written yet: nobody will read it where this is dropped before.
struct Unread(Arc<Stream>);

impl Drop for Unread {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The requests of one POST: one, or those of a batch, whose answers are one message.
#[derive(Default)]
struct Jobs {
    calls: Vec<Call>,
    answers: Vec<Answer>,
    batch: bool,
}

impl Jobs {
    fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.answers.is_empty()
    }

    /// The id to cancel it by; a batch has none.
    fn id(&self) -> Option<RequestId> {
        match self.calls.as_slice() {
            [call] if !self.batch => call.id().cloned(),
            _ => None,
        }
    }

    fn poll_all(&mut self, task: &mut Context<'_>) -> Option<Answer> {
        let mut waiting = Vec::with_capacity(self.calls.len());
        for mut call in self.calls.drain(..) {
            match Pin::new(&mut call).poll(task) {
                Poll::Ready(answer) => self.answers.push(answer),
                Poll::Pending => waiting.push(call),
            }
        }
        self.calls = waiting;
        if !self.calls.is_empty() {
            return None;
        }
        if !self.batch {
            return self.answers.pop();
        }
        let mut message = Vec::from(*b"[");
        for (at, answer) in self.answers.iter().enumerate() {
            if at > 0 {
                message.push(b',');
            }
            message.extend_from_slice(&answer.message);
        }
        message.push(b']');
        let refused = None;
        Some(Answer { message, refused })
    }
}

impl Future for Jobs {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Answer> {
        match self.poll_all(task) {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        }
    }
}

impl BusReceiver for Endpoint {
    fn receive(&self, message: BusMessage) {
        match message {
            BusMessage::Answer { session, message } => {
                let Some(entry) = self.sessions.here(&session) else {
                    return;
                };
                match self.server.read(&message, Some(&entry.session)) {
                    Ok(Read::One(message)) => {
                        hand_over(&entry.session, &message);
                    }
                    Ok(Read::Batch(messages)) => {
                        for message in messages.iter().flatten() {
                            hand_over(&entry.session, message);
                        }
                    }
                    Err(_) => {}
                }
            }
            BusMessage::Cancel { session, request } => {
                if let Some(entry) = self.sessions.here(&session) {
                    entry.cancel(&request);
                }
            }
            BusMessage::SessionEnded { session } => {
                self.sessions.forget(&session);
            }
            BusMessage::SessionChanged { session } => {
                if let Some(entry) = self.sessions.here(&session) {
                    entry.changed_elsewhere();
                }
            }
            BusMessage::Change(_) => {}
        }
    }
}
