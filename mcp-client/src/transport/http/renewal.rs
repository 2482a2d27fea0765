//! [`Renewal`]: a session begun in place of one that is gone.
//!
//! The transport's own task begins it, whoever asks: a call that did so itself would hold up all
//! others where the program has made it and does not wait for it at the moment.

use std::sync::Arc;

use mcp_types::Request;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::v2025_11_25::InitializeRequest;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};

use super::legacy::{LONGEST_PAUSE, PAUSE};
use super::link::HttpLink;
use super::session::Stage;
use crate::protocol::connection::Core;
use crate::protocol::error::{CallError, ConnectError, TransportError};
use crate::protocol::negotiation::{initialize, set_level};

/// What the task and those who ask it know of each other.
#[derive(Default)]
pub(super) struct Renewal {
    asked: Notify,
    /// Why the last attempt failed, if it did. Sent at the end of each.
    ended: watch::Sender<Option<Arc<ConnectError>>>,
}

impl HttpLink {
    /// Waits for a session, other than the one with this number, which is gone.
    pub(super) async fn renew(&self, gone: Option<u64>) -> Result<(), TransportError> {
        if let Some(number) = gone {
            self.gone(number);
        }
        let mut ended = self.renewal.ended.subscribe();
        if self.session().is_ready() {
            return Ok(());
        }
        self.renewal.asked.notify_one();
        // Never closed.
        let _ = ended.changed().await;
        let error = ended.borrow().clone();
        error.map_or(Ok(()), |source| Err(TransportError::Session { source }))
    }

    /// Begins a session, in the time of a call: nobody else ends a handshake that hangs.
    async fn begin_anew(&self, core: &Arc<Core>) -> Result<(), ConnectError> {
        // Whoever asked does not wait any more.
        core.requests.end();
        let revision = core.revision();
        let after = core.limits.call_time;
        let agreed = timeout(after, initialize(core, revision)).await;
        let agreed = agreed.unwrap_or_else(|_| {
            let method = InitializeRequest::METHOD;
            Err(CallError::Timeout { method, after }.into())
        });
        let agreed = agreed.inspect_err(|_| {
            // It may have become a server of another era.
            self.remember(None);
        })?;
        // What is to be sent was written for another one.
        if agreed != revision {
            let theirs = vec![agreed.as_str().to_owned()];
            return Err(ConnectError::Revision { theirs });
        }
        Ok(())
    }
}

/// Begins sessions in place of those that are gone: at once where somebody waits for one, else now
/// and then, for the server may have something to say.
pub(super) async fn renew(link: &HttpLink, core: &Arc<Core>) {
    let mut sessions = link.session.subscribe();
    let mut pause = PAUSE;
    let mut last: Option<Instant> = None;
    loop {
        // A server may end every session as soon as it is begun.
        let soon = last.is_some_and(|last| last.elapsed() < LONGEST_PAUSE);
        let unasked = async {
            let gone = sessions.wait_for(|session| {
                // Before the first one, it is the program that connects.
                session.number > 0 && session.stage == Stage::Gone
            });
            // Never closed.
            let _ = gone.await;
            if soon {
                sleep(pause).await;
            }
        };
        let asked = tokio::select! {
            () = link.renewal.asked.notified() => true,
            () = unasked => false,
        };
        if link.session().is_ready() {
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
        if let Err(error) = link.begin_anew(core).await {
            // Whoever asked hears it.
            if !asked {
                tracing::warn!(error = %PeerDisplay(&error), "the session is gone");
            }
            // Also where it was half begun.
            link.gone(link.session().number);
            link.renewal.ended.send_replace(Some(Arc::new(error)));
            continue;
        }
        link.renewal.ended.send_replace(None);
        tokio::select! {
            set = set_level(core) => if let Err(error) = set {
                let error = PeerDisplay(&error);
                tracing::warn!(%error, "the server was not told what to log");
            },
            // The next one is told.
            _ = sessions.wait_for(|session| !session.is_ready()) => {}
        }
    }
}
