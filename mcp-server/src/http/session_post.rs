//! POST in a session: what each message asks for.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};
use mcp_types::RequestId;
use mcp_types::rpc::{ErrorObject, Message};

use super::answer;
use super::body::HttpBody;
use super::entry::Entry;
use super::guard::Refusal;
use super::jobs::{Jobs, in_flight};
use super::service::Endpoint;
use super::store::{Before, Delta};
use super::stream::Stream;
use crate::changes::BusMessage;
use crate::context::Extensions;
use crate::engine::{Accepted, Answer, Read, Refused, Via, respond};
use crate::quota::RequestPermit;
use crate::server::Server;

impl Endpoint {
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
