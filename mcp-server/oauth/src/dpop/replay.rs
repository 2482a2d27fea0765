//! [`ProofLog`]: remembers proofs of possession, so that none is accepted twice (RFC 9449, section
//! 11.1).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp_oauth::sha256;
use tokio::time::Instant;

/// The maximum number of expired proofs that one request removes, so that none of them waits long.
const REMOVED_AT_ONCE: usize = 1_024;

/// The beginning of a SHA-256 digest.
type Digest = [u8; 16];

/// The proofs that were accepted, for as long as their time would let them be accepted again.
pub(crate) struct ProofLog {
    /// The maximum number of proofs, some 100 bytes each.
    most: usize,
    /// The maximum number of proofs of one principal.
    share: usize,
    created: Instant,
    entries: Mutex<LogEntries>,
}

#[derive(Default)]
struct LogEntries {
    known: HashSet<Digest>,
    by_principal: HashMap<Digest, usize>,
    /// Each proof and its principal, by the second after which the proof has expired.
    by_end: BTreeMap<u64, Vec<(Digest, Digest)>>,
}

/// Why a proof is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotRecorded {
    Replayed,
    /// There are more proofs than can be remembered.
    Full,
}

impl ProofLog {
    /// Creates a log for this number of proofs. One principal may have a sixteenth of them.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            share: most.div_ceil(16),
            created: Instant::now(),
            entries: Mutex::default(),
        }
    }

    /// Records a proof that stays valid for a time. `proof` identifies it: the thumbprint of the
    /// key, and the identifier that the key's owner chose.
    pub(crate) fn record(
        &self,
        principal: &str,
        proof: (&str, &str),
        valid_for: Duration,
    ) -> Result<(), NotRecorded> {
        let (thumbprint, id) = proof;
        let proof = digest(&format!("{thumbprint} {id}"));
        let principal = digest(principal);
        let now = self.created.elapsed();
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.remove_expired(now.as_secs());
        if entries.known.contains(&proof) {
            return Err(NotRecorded::Replayed);
        }
        let count = entries.by_principal.get(&principal).copied().unwrap_or(0);
        if count >= self.share || entries.known.len() >= self.most {
            return Err(NotRecorded::Full);
        }
        entries.known.insert(proof);
        entries.by_principal.insert(principal, count + 1);
        let end = (now + valid_for).as_secs();
        let ending = entries.by_end.entry(end).or_default();
        ending.push((proof, principal));
        Ok(())
    }
}

impl LogEntries {
    fn remove_expired(&mut self, now: u64) {
        for _ in 0..REMOVED_AT_ONCE {
            let Some(mut first) = self.by_end.first_entry() else {
                return;
            };
            if *first.key() >= now {
                return;
            }
            let Some((proof, principal)) = first.get_mut().pop() else {
                first.remove();
                continue;
            };
            self.known.remove(&proof);
            if let Some(count) = self.by_principal.get_mut(&principal) {
                *count -= 1;
                if *count == 0 {
                    self.by_principal.remove(&principal);
                }
            }
        }
    }
}

fn digest(text: &str) -> Digest {
    let mut bytes = [0_u8; 32];
    // A SHA-256 digest always has the length of the buffer.
    let _ = URL_SAFE_NO_PAD.decode_slice(sha256(text.as_bytes()), &mut bytes);
    bytes.first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(300);
    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn proof_is_accepted_once_until_its_time_is_over() {
        let log = ProofLog::new(100);
        assert_eq!(log.record("ada", ("key", "a"), TIME), Ok(()));
        let replayed = Err(NotRecorded::Replayed);
        assert_eq!(log.record("ada", ("key", "a"), TIME), replayed);
        assert_eq!(log.record("ada", ("other", "a"), TIME), Ok(()));
        // One with a time in the future is remembered for longer.
        assert_eq!(log.record("ada", ("key", "b"), TIME * 2), Ok(()));
        tokio::time::advance(TIME).await;
        assert_eq!(log.record("ada", ("key", "a"), TIME), replayed);
        tokio::time::advance(SECOND).await;
        assert_eq!(log.record("ada", ("key", "a"), TIME), Ok(()));
        assert_eq!(log.record("ada", ("key", "b"), TIME), replayed);
    }

    #[tokio::test(start_paused = true)]
    async fn log_is_bounded_in_total_and_for_each_principal() {
        let log = ProofLog::new(48);
        let fill = |principal: &str, count: usize| {
            let keys = (0..count).map(|at| at.to_string());
            let full = |key: String| log.record(principal, (&key, principal), TIME).is_err();
            keys.filter(|key| full(key.clone())).count()
        };
        // Many keys make no greater share.
        assert_eq!(fill("greedy", 8), 5);
        for modest in 0..15 {
            assert_eq!(fill(&modest.to_string(), 3), 0);
        }
        assert_eq!(fill("late", 1), 1);
        tokio::time::advance(TIME + SECOND).await;
        assert_eq!(fill("greedy", 1), 0);
        let entries = log.entries.lock().expect("a log");
        assert_eq!((entries.known.len(), entries.by_principal.len()), (1, 1));
        assert_eq!(entries.by_end.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn load_at_the_rate_of_the_log_never_fills_it() {
        // Ten proofs a second, of twenty principals.
        let log = ProofLog::new(10 * 301);
        for at in 0..10_000_u32 {
            let principal = (at % 20).to_string();
            let recorded = log.record(&principal, ("key", &at.to_string()), TIME);
            assert_eq!(recorded, Ok(()), "{at}");
            tokio::time::advance(SECOND / 10).await;
        }
    }
}
