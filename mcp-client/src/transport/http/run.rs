//! Drives a connection: the tasks that run beside the calls.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use mcp_types::peer_text::PeerDisplay;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::endpoint::Endpoint;
use super::post_queue::QueuedPost;
use crate::protocol::connection::Connection;
use crate::protocol::error::HttpError;
use crate::transport::http::http_client::Events;
use crate::transport::http::legacy::http_sse;
use crate::transport::http::legacy::{listen, session_recovery};

/// The maximum number of concurrent POSTs, beside those of calls.
const POSTS: usize = 8;

/// The pauses before a message is posted again.
const PAUSES: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_millis(50),
    Duration::from_millis(500),
];

/// The time in which a closing connection sends the queued messages and ends its session.
const END_TIME: Duration = Duration::from_secs(5);

/// Runs the tasks of a connection until the client closes it.
pub(super) async fn run(
    endpoint: Arc<Endpoint>,
    connection: Arc<Connection>,
    streams: mpsc::Receiver<Events>,
) {
    let work = async {
        tokio::join!(
            listen::listen(&endpoint, &connection),
            http_sse::read(&endpoint, &connection, streams),
            session_recovery::run(&endpoint, &connection),
            send(&endpoint, &connection),
        )
    };
    tokio::select! {
        () = connection.state.shutdown_requested() => {}
        _ = work => {}
    }
    if timeout(END_TIME, end(&endpoint, &connection))
        .await
        .is_err()
    {
        tracing::debug!("the session was not ended in time");
    }
}

/// Posts the queued messages.
async fn send(endpoint: &Arc<Endpoint>, connection: &Arc<Connection>) {
    // Dropping the set aborts the posts.
    let mut posts = JoinSet::new();
    loop {
        tokio::select! {
            queued = endpoint.post_queue.take(), if posts.len() < POSTS => {
                let (endpoint, connection) = (Arc::clone(endpoint), Arc::clone(connection));
                posts.spawn(async move { post(&endpoint, &connection, queued).await });
            }
            Some(_) = posts.join_next() => {}
        }
    }
}

/// Posts a message, and again if the exchange fails: a pooled connection may have been dead, and a
/// server that waits for a response does not repeat its request. Servers ignore duplicates.
async fn post(endpoint: &Endpoint, connection: &Connection, queued: QueuedPost) {
    let body = Bytes::from(queued.message);
    let mut pauses = PAUSES.into_iter();
    loop {
        let session = endpoint.session();
        let other = queued
            .session
            .is_some_and(|number| number != session.number);
        if connection.revision().is_modern() || !session.is_ready() || other {
            tracing::warn!("a message is dropped because its session has ended");
            return;
        }
        let sent = endpoint.post(connection.revision(), &session, body.clone());
        match timeout(connection.limits.call_time, sent).await {
            Ok(Ok(response)) if response.status().is_success() => {}
            Ok(Ok(response)) => {
                let status = response.status();
                tracing::warn!(%status, "the server rejected a message");
            }
            Ok(Err(error)) => {
                if error.is_connection_failure()
                    && let Some(pause) = pauses.next()
                {
                    tracing::debug!(error = %PeerDisplay(&error), "a message is sent again");
                    sleep(pause).await;
                    continue;
                }
                tracing::warn!(error = %PeerDisplay(&error), "a message was not sent");
            }
            Err(_) => tracing::warn!("the server did not accept a message in time"),
        }
        return;
    }
}

/// Posts the queued messages, and ends the session on the server.
async fn end(endpoint: &Arc<Endpoint>, connection: &Arc<Connection>) {
    while let Some(queued) = endpoint.post_queue.take_now() {
        post(endpoint, connection, queued).await;
    }
    let session = endpoint.session();
    if session.id.is_none() {
        return;
    }
    let revision = connection.revision();
    let response = endpoint.client.send(
        Method::DELETE,
        &endpoint.client.url,
        Bytes::new(),
        |headers| {
            session.set_headers(headers, revision);
        },
    );
    let response: Result<_, HttpError> = response.await;
    match response {
        // A server may not let clients end sessions.
        Ok(response) => tracing::debug!(status = %response.status(), "the session is ended"),
        Err(error) => {
            tracing::debug!(error = %PeerDisplay(&error), "the session could not be ended");
        }
    }
}
