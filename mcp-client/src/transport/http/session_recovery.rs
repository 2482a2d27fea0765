//! Begins a session in place of one that has ended.
//!
//! A task of the transport does so, not the call that noticed the end: the program may not poll that
//! call at the moment, and all others would wait for it.

use std::sync::Arc;

use mcp_types::Request;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::v2025_11_25::InitializeRequest;
use tokio::time::{Instant, sleep, timeout};

use super::endpoint::Endpoint;
use super::retry::{LONGEST_PAUSE, PAUSE};
use super::session::SessionPhase;
use crate::protocol::connection::Connection;
use crate::protocol::error::{CallError, ConnectError};
use crate::protocol::negotiation::{initialize, set_level};

/// Begins a session, with the timeout of a call: the handshake has no caller that ends it.
async fn begin_anew(endpoint: &Endpoint, connection: &Arc<Connection>) -> Result<(), ConnectError> {
    // The ended session does not wait for their responses.
    connection.inbound.abort_requests();
    let revision = connection.revision();
    let after = connection.limits.call_time;
    let agreed = timeout(after, initialize(connection, revision)).await;
    let agreed = agreed.unwrap_or_else(|_| {
        let method = InitializeRequest::METHOD;
        Err(CallError::Timeout { method, after }.into())
    });
    let agreed = agreed.inspect_err(|_| {
        // The server may have been replaced by one of another era.
        endpoint.remember(None);
    })?;
    // Waiting messages were encoded for the previous revision.
    if agreed != revision {
        let theirs = vec![agreed.as_str().to_owned()];
        let ours = vec![revision];
        return Err(ConnectError::Revision { ours, theirs });
    }
    Ok(())
}

/// Begins sessions in place of those that have ended: at once if a call waits for one, otherwise with
/// growing pauses, because the server may have messages.
pub(super) async fn run(endpoint: &Endpoint, connection: &Arc<Connection>) {
    let mut sessions = endpoint.session.subscribe();
    let mut pause = PAUSE;
    let mut last: Option<Instant> = None;
    loop {
        // A server may end every session as soon as it is begun.
        let soon = last.is_some_and(|last| last.elapsed() < LONGEST_PAUSE);
        let unasked = async {
            let gone = sessions.wait_for(|session| {
                // The program begins the first session itself.
                session.number > 0 && session.phase == SessionPhase::Gone
            });
            // Fails only if the sender is dropped, and `endpoint` owns it.
            let _ = gone.await;
            if soon {
                sleep(pause).await;
            }
        };
        let asked = tokio::select! {
            () = endpoint.recovery.wanted.notified() => true,
            () = unasked => false,
        };
        if endpoint.session().is_ready() {
            continue;
        }
        if !asked {
            pause = if soon {
                (pause * 2).min(LONGEST_PAUSE)
            } else {
                PAUSE
            };
            last = Some(Instant::now());
        }
        if let Err(error) = begin_anew(endpoint, connection).await {
            // A call that waits reports it.
            if !asked {
                tracing::warn!(error = %PeerDisplay(&error), "the session is gone");
            }
            // The handshake may have begun a session.
            endpoint.end_session(endpoint.session().number);
            endpoint
                .recovery
                .attempts
                .send_replace(Some(Arc::new(error)));
            continue;
        }
        endpoint.recovery.attempts.send_replace(None);
        tokio::select! {
            set = set_level(connection) => if let Err(error) = set {
                let error = PeerDisplay(&error);
                tracing::warn!(%error, "the server was not told what to log");
            },
            // The level is set in the next session.
            _ = sessions.wait_for(|session| !session.is_ready()) => {}
        }
    }
}
