//! [`ProofLog`]: remembers proofs of possession, so that none is accepted twice (RFC 9449, section
//! 11.1).

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_types::oauth::sha256;
use tokio::time::Instant;

/// The maximum number of proofs that are remembered: some 10 MB.
const PROOFS: usize = 65_536;
/// The maximum number of proofs of one key that are remembered.
const PROOFS_PER_KEY: usize = PROOFS / 4;

/// The proofs that were accepted, for as long as their time would let them be accepted again.
pub(crate) struct ProofLog {
    time: Duration,
    most: usize,
    most_per_key: usize,
    entries: Mutex<LogEntries>,
}

#[derive(Default)]
struct LogEntries {
    known: HashSet<Arc<str>>,
    by_key: HashMap<Arc<str>, usize>,
    /// The digest of the proof and its key, the oldest first.
    in_order: VecDeque<(Instant, Arc<str>, Arc<str>)>,
}

/// Why a proof is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotRecorded {
    Replayed,
    /// There are more proofs than can be remembered.
    Full,
}

impl ProofLog {
    /// Creates a log that remembers each proof for a time.
    pub(crate) fn new(time: Duration) -> Self {
        Self {
            time,
            most: PROOFS,
            most_per_key: PROOFS_PER_KEY,
            entries: Mutex::default(),
        }
    }

    /// Records the proof with an identifier, of the key with this thumbprint.
    pub(crate) fn record(&self, thumbprint: &str, id: &str) -> Result<(), NotRecorded> {
        let digest: Arc<str> = sha256(format!("{thumbprint} {id}").as_bytes()).into();
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.forget_older_than(self.time);
        if entries.known.contains(&digest) {
            return Err(NotRecorded::Replayed);
        }
        let of_key = entries.by_key.get_key_value(thumbprint);
        let (key, count) = match of_key {
            Some((key, count)) => (Arc::clone(key), *count),
            None => (thumbprint.into(), 0),
        };
        if count >= self.most_per_key || entries.in_order.len() >= self.most {
            return Err(NotRecorded::Full);
        }
        entries.by_key.insert(Arc::clone(&key), count + 1);
        entries.known.insert(Arc::clone(&digest));
        entries.in_order.push_back((Instant::now(), digest, key));
        Ok(())
    }
}

impl LogEntries {
    fn forget_older_than(&mut self, time: Duration) {
        while let Some((at, _, _)) = self.in_order.front()
            && at.elapsed() > time
            && let Some((_, digest, key)) = self.in_order.pop_front()
        {
            self.known.remove(&digest);
            if let Some(count) = self.by_key.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.by_key.remove(&key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> ProofLog {
        ProofLog {
            most: 8,
            most_per_key: 5,
            ..ProofLog::new(Duration::from_secs(600))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn proof_is_accepted_once_until_its_time_is_over() {
        let log = log();
        assert_eq!(log.record("key", "a"), Ok(()));
        assert_eq!(log.record("key", "a"), Err(NotRecorded::Replayed));
        assert_eq!(log.record("other", "a"), Ok(()));
        tokio::time::advance(Duration::from_secs(600)).await;
        assert_eq!(log.record("key", "a"), Err(NotRecorded::Replayed));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(log.record("key", "a"), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn log_is_bounded_in_total_and_for_each_key() {
        let log = log();
        for at in 0..5 {
            assert_eq!(log.record("greedy", &at.to_string()), Ok(()));
        }
        assert_eq!(log.record("greedy", "5"), Err(NotRecorded::Full));
        for at in 0..3 {
            assert_eq!(log.record("modest", &at.to_string()), Ok(()));
        }
        assert_eq!(log.record("third", "0"), Err(NotRecorded::Full));
        tokio::time::advance(Duration::from_secs(601)).await;
        assert_eq!(log.record("greedy", "5"), Ok(()));
        let entries = log.entries.lock().expect("a log");
        assert_eq!((entries.known.len(), entries.by_key.len()), (1, 1));
    }
}
