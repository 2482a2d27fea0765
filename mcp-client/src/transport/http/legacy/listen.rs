//! The stream on which a server of a revision with sessions sends requests and notifications.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use mcp_types::peer_text::PeerDisplay;
use tokio::time::sleep;

use super::session_check::{is_refused, may_have_ended};
use crate::protocol::connection::Connection;
use crate::protocol::error::HttpError;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::response::{Media, media};
use crate::transport::http::retry::{LONGEST_PAUSE, PAUSE, retry_after, wait};
use crate::transport::http::session::Session;

/// The shortest pause after a stream that contained no event, even if the server requests a shorter
/// one.
const EMPTY_PAUSE: Duration = Duration::from_secs(1);

/// Keeps the stream of each session open, if the server offers one.
pub(in crate::transport::http) async fn listen(endpoint: &Endpoint, connection: &Arc<Connection>) {
    let mut sessions = endpoint.session.subscribe();
    loop {
        let session = sessions.wait_for(|session| session.is_ready() && session.messages.is_none());
        let Ok(session) = session.await.map(|session| session.clone()) else {
            return;
        };
        let next = async {
            let next = sessions.wait_for(|next| next.is_ready() && next.number != session.number);
            next.await.is_ok()
        };
        let listening = async {
            follow(endpoint, connection, &session).await;
            std::future::pending().await
        };
        tokio::select! {
            true = next => {}
            () = listening => {}
            else => return,
        }
    }
}

/// Returns `true` if the server may offer its stream later.
fn is_temporary(status: StatusCode) -> bool {
    status.is_server_error()
        || matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
        )
}

/// Reads the stream of a session, and opens it again when it ends, as long as the server offers it.
async fn follow(endpoint: &Endpoint, connection: &Arc<Connection>, session: &Session) {
    let mut last = String::new();
    let mut retry = None;
    let mut pause = PAUSE;
    let mut opened = false;
    let mut again = true;
    loop {
        let mut shortest = None;
        let response = endpoint.get(connection.revision(), session, &last).await;
        if response
            .as_ref()
            .is_err_and(HttpError::is_connection_failure)
            && std::mem::take(&mut again)
        {
            // A pooled connection may be dead. Try again at once: messages that the server sends
            // before the stream is open are lost.
            continue;
        }
        endpoint.session.send_if_modified(|now| {
            let first = now.number == session.number && !now.stream_answered;
            now.stream_answered |= first;
            first
        });
        match response {
            Ok(response) if response.status().is_success() => {
                if media(response.headers()) != Media::Events {
                    tracing::warn!(
                        "the server answered the request for its stream with another content type"
                    );
                    return;
                }
                opened = true;
                let mut received = false;
                let mut events = endpoint.events(session.number, response.into_body());
                let ended = events.for_each(|event| {
                    pause = PAUSE;
                    received = true;
                    match event {
                        Ok(event) if event.event == "message" && !event.data.is_empty() => {
                            // Malformed messages are logged.
                            let _ = connection.receive_in(session.number, event.data.as_bytes());
                        }
                        Ok(_) => {}
                        Err(error) => {
                            tracing::warn!(error = %PeerDisplay(error), "an event cannot be read");
                        }
                    }
                    ControlFlow::<()>::Continue(())
                });
                if let Err(error) = ended.await {
                    let error = PeerDisplay(&error);
                    tracing::debug!(%error, "the stream of the server was interrupted");
                }
                retry = events.decoder().retry().or(retry);
                let last_id = events.decoder().last_event_id();
                if !last_id.is_empty() {
                    last_id.clone_into(&mut last);
                }
                if !received {
                    shortest = Some(EMPTY_PAUSE);
                }
            }
            Ok(response) if is_temporary(response.status()) => {
                tracing::debug!(status = %response.status(), "cannot open the stream of the server");
                shortest = retry_after(response.headers());
            }
            Ok(response) => {
                let status = response.status();
                let ended = match status {
                    _ if session.id.is_none() || !may_have_ended(status) => Some(false),
                    StatusCode::NOT_FOUND if opened => Some(true),
                    // The status may mean that the server offers no stream.
                    _ => is_refused(endpoint, connection, session).await,
                };
                match ended {
                    Some(true) => return endpoint.end_session(session.number),
                    Some(false) => {
                        tracing::debug!(%status, "the server offers no stream");
                        return;
                    }
                    None => tracing::debug!("no response to a ping"),
                }
            }
            Err(error) if error.is_connection_failure() => {
                tracing::debug!(error = %PeerDisplay(&error), "cannot open the stream of the server");
            }
            Err(error) => {
                tracing::warn!(error = %PeerDisplay(&error), "cannot open the stream of the server");
                return;
            }
        }
        sleep(wait(retry.max(shortest), pause)).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
