//! GET in a session: the stream of announcements, or the rest of a stream that broke off.

use std::sync::Arc;

use http::Response;
use http::request::Parts;

use super::stream::Stream;
use crate::protocol::announcements::send_changes;
use crate::protocol::changes::BusMessage;
use crate::transport::http::answer;
use crate::transport::http::body::HttpBody;
use crate::transport::http::config;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::header_names::LAST_EVENT_ID;
use crate::transport::http::ids;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::session::handle::SessionHandle;
use crate::transport::http::session::stream_reader::StreamReader;
use crate::util::select::select;

impl Endpoint {
    /// GET: announcements, or the rest of a stream.
    pub(crate) async fn get(&self, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
        config::check_events(parts)?;
        let entry = self.entry(parts).await?;
        let keep_alive = self.server.limits().keep_alive;
        let held = entry.reading();
        if let Some(last) = parts.headers.get(LAST_EVENT_ID) {
            let place = last.to_str().ok().and_then(ids::split_event_id);
            let Some((stream, after)) = place else {
                let found = String::from_utf8_lossy(last.as_bytes()).into_owned();
                return Err(Refusal::LastEventId(found));
            };
            let reader = if let Some(stream) = entry.stream(stream) {
                let kick = stream.kick();
                StreamReader::live(stream, kick, Some(after), keep_alive, held)
            } else {
                let store = Arc::clone(&self.events);
                StreamReader::stored(
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
        let (stream, new) = entry
            .announcements(|| fresh)
            .ok_or(Refusal::UnknownSession)?;
        let kick = stream.kick();
        let reader = StreamReader::live(Arc::clone(&stream), kick, None, keep_alive, held);
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
    fn announce(&self, entry: &Arc<SessionHandle>, stream: &Arc<Stream>) {
        let sink: Arc<Stream> = Arc::clone(stream);
        let tell = send_changes(&self.server, Arc::clone(&entry.session), sink);
        let told = Arc::clone(stream);
        let stay = self.sessions.stay(entry);
        let server = self.server.clone();
        entry.run(stream, async move {
            told.begin().await;
            let tell = select(select(tell, told.pump()), select(stay, server.stopping()));
            select(tell, told.ended()).await;
            told.end(None);
            told.finish().await;
        });
    }

    /// A stream for what belongs to one request of a session.
    pub(crate) fn stream(&self, entry: &SessionHandle) -> Stream {
        let limit = self.server.limits().queued_bytes;
        Stream::new(&entry.session, &self.events, limit, &entry.peer)
    }
}
