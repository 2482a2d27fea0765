//! GET in a session: the stream of announcements, or the rest of a stream that broke off.

use std::sync::Arc;

use http::request::Parts;
use http::{Response, StatusCode};

use super::answer;
use super::body::HttpBody;
use super::entry::Entry;
use super::guard::{self, Refusal};
use super::ids;
use super::legacy::NO_SESSION;
use super::names::LAST_EVENT_ID;
use super::reader::Reader;
use super::service::Endpoint;
use super::stream::Stream;
use crate::changes::BusMessage;
use crate::listen::tell_session;
use crate::race::race;

impl Endpoint {
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
    pub(super) fn stream(&self, entry: &Entry) -> Stream {
        let limit = self.server.limits().queued_bytes;
        Stream::new(&entry.session, &self.events, limit, &entry.peer)
    }
}
