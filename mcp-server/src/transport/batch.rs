//! [`BatchSlot`]: joins the responses to a batch into one line.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_wire::WriteQueue;

use crate::util::lock::lock;

/// The responses to a batch, which are sent as one line when the last slot is dropped.
struct Batch {
    answers: Mutex<Vec<u8>>,
    write_queue: Arc<WriteQueue>,
}

impl Drop for Batch {
    fn drop(&mut self) {
        let answers = self
            .answers
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        // A batch of notifications gets no response.
        if !answers.is_empty() {
            answers.push(b']');
            self.write_queue.force_send(answers);
        }
    }
}

/// The right to add a response to a batch.
#[derive(Clone)]
pub(crate) struct BatchSlot(Arc<Batch>);

impl BatchSlot {
    /// Creates a batch and its first slot.
    pub(crate) fn new_batch(write_queue: &Arc<WriteQueue>) -> Self {
        Self(Arc::new(Batch {
            answers: Mutex::default(),
            write_queue: Arc::clone(write_queue),
        }))
    }

    /// Adds a response.
    pub(crate) fn add(&self, message: &[u8]) {
        let mut answers = lock(&self.0.answers);
        let separator = if answers.is_empty() { b'[' } else { b',' };
        answers.push(separator);
        answers.extend_from_slice(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(queue: &WriteQueue) -> String {
        let mut lines = Vec::new();
        queue.take(&mut lines);
        String::from_utf8(lines).expect("messages are text")
    }

    #[test]
    fn responses_are_sent_once_when_the_last_slot_is_dropped() {
        let queue = Arc::new(WriteQueue::new(1));
        let first = BatchSlot::new_batch(&queue);
        let second = first.clone();
        second.add(b"2");
        drop(second);
        assert_eq!(queued(&queue), "");
        let third = first.clone();
        first.add(b"1");
        drop(first);
        assert_eq!(queued(&queue), "");
        // The queue is full, and accepts the batch nevertheless.
        queue.append(b"full");
        drop(third);
        assert_eq!(queued(&queue), "full\n[2,1]\n");
        assert_eq!(queued(&queue), "");
    }

    #[test]
    fn batch_without_responses_is_not_sent() {
        let queue = Arc::new(WriteQueue::new(1));
        drop(BatchSlot::new_batch(&queue));
        assert_eq!(queued(&queue), "");
    }
}
