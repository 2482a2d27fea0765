//! [`MemoryBus`]: messages between servers of this process.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::protocol::store::{Bus, BusPage, StoreError, StoreFuture};
use crate::util::lock::lock;

/// The maximum size of all messages in bytes. The newest message is kept even if it is larger.
const ALL_BYTES: usize = 16 << 20;
/// The maximum number of messages.
const MESSAGES: usize = 100_000;
/// The maximum number of messages of a page.
const PAGE: usize = 256;
/// The time after which a page without messages is returned.
const RECEIVE_TIME: Duration = Duration::from_secs(5);

/// A [`Bus`] in the memory of this process.
#[derive(Default)]
pub(crate) struct MemoryBus {
    log: Mutex<Log>,
    added: Notify,
}

#[derive(Default)]
struct Log {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    /// The number of messages that were removed from the front.
    removed: u64,
}

impl Log {
    fn add(&mut self, message: &[u8]) {
        self.bytes += message.len();
        self.messages.push_back(message.to_vec());
        while (self.bytes > ALL_BYTES || self.messages.len() > MESSAGES)
            && self.messages.len() > 1
            && let Some(removed) = self.messages.pop_front()
        {
            self.bytes -= removed.len();
            self.removed += 1;
        }
    }

    fn end(&self) -> u64 {
        self.removed + self.messages.len() as u64
    }

    fn page(&self, after: u64) -> BusPage {
        let skipped = usize::try_from(after.saturating_sub(self.removed)).unwrap_or(usize::MAX);
        let mut bytes = 0;
        let messages: Vec<_> = self
            .messages
            .iter()
            .skip(skipped)
            .take(PAGE)
            .take_while(|message| {
                let is_next = bytes < BusPage::BYTES;
                bytes += message.len();
                is_next
            })
            .cloned()
            .collect();
        let position = after.max(self.removed) + messages.len() as u64;
        BusPage {
            missed: after < self.removed,
            position: position.to_string(),
            messages,
        }
    }
}

impl Bus for MemoryBus {
    fn publish<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, ()> {
        lock(&self.log).add(message);
        self.added.notify_waiters();
        Box::pin(std::future::ready(Ok(())))
    }

    fn receive<'a>(&'a self, after: Option<&'a str>) -> StoreFuture<'a, BusPage> {
        Box::pin(async move {
            let Some(after) = after else {
                return Ok(BusPage {
                    position: lock(&self.log).end().to_string(),
                    ..BusPage::default()
                });
            };
            let after: u64 = after.parse().map_err(StoreError::unreadable)?;
            loop {
                let added = self.added.notified();
                tokio::pin!(added);
                // Enabled before the log is read, so that no message is missed in between.
                added.as_mut().enable();
                let page = lock(&self.log).page(after);
                let waits = page.messages.is_empty() && !page.missed;
                if !waits || timeout(RECEIVE_TIME, added).await.is_err() {
                    return Ok(page);
                }
            }
        })
    }
}
