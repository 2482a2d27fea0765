//! What goes on beside the calls, from the beginning of a connection to its end.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use mcp_types::Revision;
use mcp_types::peer_text::PeerDisplay;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::link::HttpLink;
use super::old::{self, OldStream};
use super::outbox::Note;
use super::{listen, renewal};
use crate::protocol::connection::Core;
use crate::protocol::error::HttpError;

/// Messages that are posted at once, beside the calls.
const POSTS: usize = 8;

/// How long to wait each time before a message is posted again.
const AGAIN: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_millis(50),
    Duration::from_millis(500),
];

/// What the end of a connection may take.
const END: Duration = Duration::from_secs(5);

/// Moves what no call moves, until the client is gone.
pub(super) async fn run(link: Arc<HttpLink>, core: Arc<Core>, streams: mpsc::Receiver<OldStream>) {
    let work = async {
        tokio::join!(
            listen::listen(&link, &core),
            old::read(&link, &core, streams),
            renewal::renew(&link, &core),
            send(&link, &core),
        )
    };
    tokio::select! {
        () = core.life.closing() => {}
        _ = work => {}
    }
    if timeout(END, end(&link, &core)).await.is_err() {
        tracing::debug!("the server did not hear of the end in time");
    }
}

/// Sends what does not wait to be seen sent.
async fn send(link: &Arc<HttpLink>, core: &Arc<Core>) {
    // Ends what is under way when it is dropped itself.
    let mut posts = JoinSet::new();
    loop {
        tokio::select! {
            note = link.outbox.take(), if posts.len() < POSTS => {
                let (link, core) = (Arc::clone(link), Arc::clone(core));
                posts.spawn(async move { post(&link, &core, note).await });
            }
            Some(_) = posts.join_next() => {}
        }
    }
}

/// Posts a message, again where the exchange fails: a connection may have been dead before anybody
/// noticed, and a server that waits for an answer does not ask for it twice. One that comes twice is
/// ignored.
async fn post(link: &HttpLink, core: &Core, note: Note) {
    let body = Bytes::from(note.message);
    let mut pauses = AGAIN.into_iter();
    loop {
        let session = link.session();
        let other = note.session.is_some_and(|number| number != session.number);
        if core.revision() == Revision::LATEST || !session.is_ready() || other {
            tracing::warn!("a message that the server cannot be sent is dropped");
            return;
        }
        let sent = link.post(core, &session, body.clone());
        match timeout(core.limits.call_time, sent).await {
            Ok(Ok(response)) if response.status().is_success() => {}
            Ok(Ok(response)) => {
                let status = response.status();
                tracing::warn!(%status, "the server refused a message");
            }
            Ok(Err(error)) => {
                if matches!(error, HttpError::Exchange(_))
                    && let Some(pause) = pauses.next()
                {
                    tracing::debug!(error = %PeerDisplay(&error), "a message is sent again");
                    sleep(pause).await;
                    continue;
                }
                tracing::warn!(error = %PeerDisplay(&error), "a message was not sent");
            }
            Err(_) => tracing::warn!("the server does not take a message"),
        }
        return;
    }
}

/// Ends a session in order.
async fn end(link: &Arc<HttpLink>, core: &Arc<Core>) {
    while let Some(note) = link.outbox.take_now() {
        post(link, core, note).await;
    }
    let session = link.session();
    if session.id.is_none() {
        return;
    }
    let revision = core.revision();
    let response = link
        .wire
        .send(Method::DELETE, &link.wire.url, Bytes::new(), |headers| {
            session.head(headers, revision);
        });
    let response: Result<_, HttpError> = response.await;
    match response {
        // A server may not let clients end sessions.
        Ok(response) => tracing::debug!(status = %response.status(), "the session is over"),
        Err(error) => {
            tracing::debug!(error = %PeerDisplay(&error), "the session could not be ended");
        }
    }
}
