//! [`Revoked`]: tokens that were revoked before they expire.

use std::collections::HashMap;

use mcp_types::uri::canonical;
use sha2::{Digest, Sha256};

/// The maximum difference between the clocks of processes that serve one endpoint, in milliseconds.
pub(crate) const SKEW: u64 = 60_000;
/// The maximum number of resources with their own entry.
const MOST: usize = 65_536;

/// For each resource, the time up to which its tokens are void, in milliseconds since 1970: a token
/// is revoked if it was issued at that time or earlier.
///
/// Tokens issued after a revocation get a later issue time, whatever the clock says: see
/// [`issue_time`](Self::issue_time). A revocation therefore also covers tokens of processes whose
/// clocks are ahead, and never a token that is issued after it.
#[derive(Default)]
pub(crate) struct Revoked {
    /// The same for all resources. Raised when there were too many entries.
    all: u64,
    each: HashMap<[u8; 32], u64>,
}

fn name(uri: &str) -> [u8; 32] {
    Sha256::digest(canonical(uri).as_bytes()).into()
}

impl Revoked {
    fn until(&self, uri: &str) -> u64 {
        // Most servers never revoke.
        if self.each.is_empty() {
            return self.all;
        }
        let one = self.each.get(&name(uri)).copied();
        one.unwrap_or_default().max(self.all)
    }

    /// Returns the time up to which tokens of the resource have to be void, so that all tokens
    /// issued before `now` are.
    pub(crate) fn next(&self, uri: &str, now: u64) -> u64 {
        let behind = self.until(uri).saturating_add(1);
        now.saturating_add(SKEW).max(behind)
    }

    /// Revokes the tokens of a resource that were issued up to `until`. The entry is kept for
    /// `lifetime`, until the last of them has expired.
    pub(crate) fn revoke(&mut self, uri: &str, until: u64, now: u64, lifetime: u64) {
        if self.each.len() >= MOST {
            self.each
                .retain(|_, until| until.saturating_add(lifetime) >= now);
        }
        if self.each.len() >= MOST {
            // Too many entries: revoking too many tokens is safe, too few is not.
            let latest = self.each.drain().map(|(_, until)| until).max();
            self.all = self.all.max(latest.unwrap_or_default());
        }
        let known = self.each.entry(name(uri)).or_default();
        *known = until.max(*known);
    }

    /// Returns the issue time for a token that is issued at `now`: after the last revocation.
    pub(crate) fn issue_time(&self, uri: &str, now: u64) -> u64 {
        now.max(self.until(uri).saturating_add(1))
    }

    pub(crate) fn is_revoked(&self, uri: &str, issued: u64) -> bool {
        issued <= self.until(uri)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_769_000_000_000;
    const LIFETIME: u64 = 900_000;

    fn revoke(revoked: &mut Revoked, uri: &str, now: u64) {
        let until = revoked.next(uri, now);
        revoked.revoke(uri, until, now, LIFETIME);
    }

    #[test]
    fn revocation_covers_earlier_tokens_and_not_later_ones() {
        let mut revoked = Revoked::default();
        // Twice in one millisecond, too.
        for _ in 0..3 {
            let before = revoked.issue_time("a:b", NOW);
            assert!(!revoked.is_revoked("a:b", before));
            revoke(&mut revoked, "a:b", NOW);
            assert!(revoked.is_revoked("a:b", before));
            assert!(!revoked.is_revoked("a:b", revoked.issue_time("a:b", NOW)));
        }
        assert!(!revoked.is_revoked("a:c", NOW), "another resource");
    }

    #[test]
    fn revocation_covers_tokens_of_a_process_whose_clock_is_ahead() {
        let (mut ours, theirs) = (Revoked::default(), Revoked::default());
        let issued = theirs.issue_time("a:b", NOW + SKEW);
        revoke(&mut ours, "a:b", NOW);
        assert!(ours.is_revoked("a:b", issued));
    }

    #[test]
    fn memory_is_bounded_without_losing_revocations() {
        let mut revoked = Revoked::default();
        let issued = revoked.issue_time("a:0", NOW);
        for at in 0..=MOST {
            revoke(&mut revoked, &format!("a:{at}"), NOW);
        }
        assert!(revoked.each.len() <= MOST);
        assert!(revoked.is_revoked("a:0", issued));
        assert!(!revoked.is_revoked("a:0", revoked.issue_time("a:0", NOW)));

        // When all of it is over, nothing of that is needed.
        let mut revoked = Revoked::default();
        for at in 0..MOST {
            revoke(&mut revoked, &format!("a:{at}"), NOW);
        }
        let later = NOW + SKEW + LIFETIME + 1;
        revoke(&mut revoked, "a:x", later);
        assert_eq!((revoked.each.len(), revoked.all), (1, 0));
    }
}
