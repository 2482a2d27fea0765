//! [`Channels`]: the open channels of the deprecated transport HTTP+SSE.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex, MutexGuard};

use mcp_wire::WriteQueue;
use tokio::sync::Mutex;

use crate::protocol::quota::retained::RetainedBytes;
use crate::transport::line_connection::LineConnection;
use crate::util::lock::lock;

/// The open channels of an endpoint, by id.
#[derive(Default)]
pub(crate) struct Channels(StdMutex<HashMap<String, Arc<Channel>>>);

/// An open channel.
pub(crate) struct Channel {
    /// The principal whose GET opened the channel.
    pub(crate) principal: Option<Box<str>>,
    /// Handles one message at a time.
    pub(crate) connection: Mutex<LineConnection>,
    pub(crate) write_queue: Arc<WriteQueue>,
    /// The memory that the session uses.
    pub(crate) retained: RetainedBytes,
}

impl Channels {
    pub(crate) fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Channel>>> {
        lock(&self.0)
    }

    /// Returns the number of channels, and the number of bytes queued for their clients.
    pub(crate) fn gauges(&self) -> (usize, usize) {
        let channels: Vec<_> = self.all().values().cloned().collect();
        let queued = channels
            .iter()
            .map(|channel| channel.write_queue.queued_bytes());
        (channels.len(), queued.sum())
    }
}
