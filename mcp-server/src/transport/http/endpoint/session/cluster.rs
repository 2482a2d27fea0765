//! Handles the messages about sessions that the processes of one endpoint send each other.

use std::sync::Arc;

use mcp_types::peer_text::Chain;

use crate::protocol::dispatch::lifecycle::Cancellation;
use crate::protocol::dispatch::{Parsed, respond};
use crate::protocol::quota::PeerUsage;
use crate::protocol::store::link::BusReceiver;
use crate::protocol::store::message::BusMessage;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::session::record::SessionDelta;

impl Endpoint {
    /// Counts a message of so many bytes to the other processes for the peer that causes it, if
    /// there is a bus.
    pub(crate) fn count_message(&self, peer: &Arc<PeerUsage>, bytes: usize) -> Result<(), Refusal> {
        if self.server.stores.bus.is_some() && !Arc::clone(peer).bus_message(bytes) {
            return Err(Refusal::PeerMessages);
        }
        Ok(())
    }

    /// Sends a message to the other processes, if there is a bus. It has been
    /// [counted](Self::count_message).
    pub(crate) async fn publish(&self, message: &BusMessage) -> Result<(), Refusal> {
        if let Some(bus) = &self.server.stores.bus {
            bus.publish(message).await?;
        }
        Ok(())
    }
}

impl BusReceiver for Endpoint {
    fn receive(&self, message: &BusMessage) {
        match message {
            BusMessage::Answer { session, message } => {
                let Some(handle) = self.sessions.local(session) else {
                    return;
                };
                let session = Some(&*handle.session);
                let limits = self.server.limits();
                match self.server.read(message, session) {
                    Ok(Parsed::One(message)) => {
                        respond::deliver_response(session, &message, limits);
                    }
                    Ok(Parsed::Batch(messages)) => {
                        for message in messages.iter().flatten() {
                            respond::deliver_response(session, message, limits);
                        }
                    }
                    // A malformed one has failed its request.
                    Err(_) => {}
                }
            }
            BusMessage::Cancel {
                session,
                request,
                reason,
            } => {
                if let Some(handle) = self.sessions.local(session) {
                    handle.cancel(&Cancellation {
                        id: request.clone(),
                        reason: reason.clone(),
                    });
                }
            }
            BusMessage::SessionEnded { session } => {
                self.sessions.ended_elsewhere(session);
            }
            BusMessage::SessionChanged { session, value } => {
                let Some(handle) = self.sessions.local(session) else {
                    return;
                };
                match SessionDelta::read(value) {
                    Ok(delta) => {
                        let _changing = handle.begin_change();
                        delta.apply(&handle.session);
                        let sessions = Arc::clone(&self.sessions);
                        let handle = Arc::clone(&handle);
                        let runtime = handle.runtime().clone();
                        runtime.spawn(async move { sessions.update_copy_memory(&handle).await });
                    }
                    Err(error) => {
                        tracing::error!(error = %Chain(&error), "malformed change of a session");
                    }
                }
            }
            BusMessage::Listening { session, stream } => {
                if let Some(handle) = self.sessions.local(session) {
                    handle.end_announcements_except(stream);
                }
            }
            BusMessage::Everything => self.sessions.bus_lost_messages(),
            BusMessage::Changes(_) | BusMessage::Extension { .. } => {}
            #[cfg(feature = "proposals")]
            BusMessage::UrlsRevoked { .. } => {}
        }
    }
}
