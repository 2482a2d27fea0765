//! Starts a new session after one has ended.
//!
//! A task of the transport does so instead of the call that noticed the end: if the program does
//! not poll that call, all others would wait for it.

use std::sync::Arc;

use mcp_types::Request;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::v2025_11_25::InitializeRequest;
use tokio::time::{Instant, sleep, timeout};

use crate::protocol::connection::Connection;
use crate::protocol::error::{CallError, ConnectError};
use crate::protocol::negotiation::handshake::initialize;
use crate::protocol::negotiation::set_level;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::retry::{LONGEST_PAUSE, PAUSE};
use crate::transport::http::session::SessionPhase;

/// Starts a session, with the timeout of a call: the handshake has no caller with a timeout.
async fn start_session(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
) -> Result<(), ConnectError> {
    // The ended session does not expect their responses.
    connection.inbound.abort_requests();
    let revision = connection.revision();
    let after = connection.limits.call_time;
    let agreed = timeout(after, initialize(connection, revision))
        .await
        .unwrap_or_else(|_| {
            let method = InitializeRequest::METHOD;
            Err(CallError::Timeout {
                method: method.into(),
                after,
                output: connection.last_output.get(),
            }
            .into())
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

/// Starts a new session whenever one has ended: at once if a call waits for it, otherwise with
/// growing pauses, to receive messages of the server.
pub(in crate::transport::http) async fn run(endpoint: &Endpoint, connection: &Arc<Connection>) {
    let mut sessions = endpoint.session.subscribe();
    let mut pause = PAUSE;
    let mut last_start: Option<Instant> = None;
    loop {
        // A server may end every session right after its start.
        let soon = last_start.is_some_and(|last| last.elapsed() < LONGEST_PAUSE);
        let session_ended = async {
            let ended = sessions.wait_for(|session| {
                // The client builder starts the first session.
                session.number > 0 && session.phase == SessionPhase::Ended
            });
            // Fails only if the sender is dropped, and `endpoint` owns it.
            let _ = ended.await;
            if soon {
                sleep(pause).await;
            }
        };
        let requested = tokio::select! {
            () = endpoint.recovery.wanted.notified() => true,
            () = session_ended => false,
        };
        if endpoint.session().is_ready() {
            continue;
        }
        if !requested {
            pause = if soon {
                (pause * 2).min(LONGEST_PAUSE)
            } else {
                PAUSE
            };
            last_start = Some(Instant::now());
        }
        if let Err(error) = start_session(endpoint, connection).await {
            // A call that waits reports it.
            if !requested {
                tracing::warn!(error = %PeerDisplay(&error), "the session has ended, and no new one could be started");
            }
            // The failed handshake may have started a session.
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
                tracing::warn!(%error, "cannot set the log level of the server");
            },
            // The level is set in the next session.
            _ = sessions.wait_for(|session| !session.is_ready()) => {}
        }
    }
}
