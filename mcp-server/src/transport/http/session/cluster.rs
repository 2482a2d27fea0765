//! What the processes that serve one endpoint tell each other about sessions.

use crate::protocol::changes::{BusMessage, BusReceiver};
use crate::protocol::dispatch::Parsed;
use crate::protocol::error_text::Chain;
use crate::protocol::respond;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::session::session_store::SessionDelta;

impl Endpoint {
    /// Tells the other processes.
    pub(crate) fn publish(&self, message: BusMessage) {
        if let Some(bus) = &self.server.bus {
            bus.publish(message);
        }
    }
}

impl BusReceiver for Endpoint {
    fn receive(&self, message: BusMessage) {
        match message {
            BusMessage::Answer { session, message } => {
                let Some(entry) = self.sessions.here(&session) else {
                    return;
                };
                let asked = Some(&*entry.session);
                let limits = self.server.limits();
                match self.server.read(&message, asked) {
                    Ok(Parsed::One(message)) => {
                        respond::hand_over(asked, &message, limits);
                    }
                    Ok(Parsed::Batch(messages)) => {
                        for message in messages.iter().flatten() {
                            respond::hand_over(asked, message, limits);
                        }
                    }
                    Err(_) => {}
                }
            }
            BusMessage::Cancel { session, request } => {
                if let Some(entry) = self.sessions.here(&session) {
                    entry.cancel(&request);
                }
            }
            BusMessage::SessionEnded { session } => {
                self.sessions.ended_elsewhere(&session);
            }
            BusMessage::SessionChanged { session, value } => {
                let Some(entry) = self.sessions.here(&session) else {
                    return;
                };
                match SessionDelta::read(&value) {
                    Ok(delta) => delta.apply(&entry.session),
                    Err(error) => {
                        tracing::error!(error = %Chain(&error), "a change cannot be read");
                    }
                }
            }
            BusMessage::Listening { session, stream } => {
                if let Some(entry) = self.sessions.here(&session) {
                    entry.listens_elsewhere(&stream);
                }
            }
            BusMessage::Change(_) => {}
            #[cfg(feature = "https-url")]
            BusMessage::UrlsRevoked { .. } => {}
        }
    }
}
