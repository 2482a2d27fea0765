//! [`Channels`]: the open channels of the deprecated transport HTTP+SSE.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use tokio::sync::Mutex;

use crate::protocol::retained::RetainedBytes;
use crate::transport::line_connection::LineConnection;
use crate::transport::write_queue::WriteQueue;

/// The channels of an endpoint by their ids.
#[derive(Default)]
pub(crate) struct Channels(StdMutex<HashMap<String, Arc<Channel>>>);

pub(crate) struct Channel {
    /// The principal whose GET opened the channel.
    pub(crate) principal: Option<Box<str>>,
    /// Takes one message at a time.
    pub(crate) connection: Mutex<LineConnection>,
    pub(crate) write_queue: Arc<WriteQueue>,
    /// The memory that its session keeps.
    pub(crate) retained: RetainedBytes,
}

impl Channels {
    pub(crate) fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Channel>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many there are, and how many bytes wait in them for clients to read them.
    pub(crate) fn gauges(&self) -> (usize, usize) {
        let channels: Vec<_> = self.all().values().cloned().collect();
        let queued = channels
            .iter()
            .map(|channel| channel.write_queue.queued_bytes());
        (channels.len(), queued.sum())
    }
}
