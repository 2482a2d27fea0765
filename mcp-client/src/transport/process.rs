//! [`ChildProcess`]: servers that are started as child processes.

mod command;
mod group;
mod restart;
mod run;
mod search;
mod stderr;

use std::sync::Arc;

use mcp_wire::WriteQueue;

use super::stream::StreamSender;
use crate::protocol::error::TransportError;
use crate::protocol::limits::Limits;
use crate::protocol::transport::{OpenTransport, OpenedTransport};

pub use command::ChildProcess;
pub use restart::Restart;
pub use search::{find_program, is_batch_file};
pub use stderr::Stderr;

impl OpenTransport for ChildProcess {
    fn open(mut self, limits: &Limits) -> Result<OpenedTransport, TransportError> {
        let started = self.start()?;
        let queue = Arc::new(WriteQueue::new(limits.queued_bytes));
        let sender = StreamSender::new(Arc::clone(&queue));
        Ok(OpenedTransport {
            sender: Arc::new(sender),
            driver: Box::new(move |connection| {
                Box::pin(async move { run::run(&connection, &queue, self, started).await })
            }),
        })
    }
}
