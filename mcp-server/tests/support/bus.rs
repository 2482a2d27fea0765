//! A bus in one process.

use std::sync::{Mutex, Weak};

use mcp_server::{Bus, BusMessage, BusReceiver};

/// Sends every message to all subscribers.
#[derive(Default)]
pub(crate) struct Shared(Mutex<Vec<Weak<dyn BusReceiver>>>);

impl Bus for Shared {
    fn publish(&self, message: BusMessage) {
        let receivers = self.0.lock().expect("sound").clone();
        for receiver in receivers.iter().filter_map(Weak::upgrade) {
            receiver.receive(message.clone());
        }
    }

    fn attach(&self, receiver: Weak<dyn BusReceiver>) {
        self.0.lock().expect("sound").push(receiver);
    }
}
