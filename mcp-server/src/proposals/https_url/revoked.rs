//! [`Revoked`]: which tokens are void before they expire.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

/// How far the clocks of processes that serve one endpoint may be apart, in milliseconds.
pub(crate) const SKEW: u64 = 60_000;
/// Resources that are remembered one by one.
const MOST: usize = 65_536;

/// For each resource until when its tokens had to be issued to be void now: milliseconds since
/// 1970. What is issued afterwards is stamped later than that, see [`stamp`](Self::stamp), whatever
/// the clock says; so one revocation holds for tokens of processes whose clocks are ahead, and
/// for none that is issued behind it.
#[derive(Default)]
pub(crate) struct Revoked {
    /// For all resources: where those that had to be remembered were too many.
    all: u64,
    each: HashMap<[u8; 32], u64>,
}

fn name(uri: &str) -> [u8; 32] {
    Sha256::digest(uri).into()
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

    /// Until when tokens of the resource have to be void that were issued before now.
    pub(crate) fn next(&self, uri: &str, now: u64) -> u64 {
        let behind = self.until(uri).saturating_add(1);
        now.saturating_add(SKEW).max(behind)
    }

    /// Makes tokens void that were issued until then. They are remembered until the last of them
    /// expires: for `lifetime`.
    pub(crate) fn revoke(&mut self, uri: &str, until: u64, now: u64, lifetime: u64) {
        if self.each.len() >= MOST {
            self.each
                .retain(|_, until| until.saturating_add(lifetime) >= now);
        }
        if self.each.len() >= MOST {
            // Too many to remember: better too much is void than too little.
            let latest = self.each.drain().map(|(_, until)| until).max();
            self.all = self.all.max(latest.unwrap_or_default());
        }
        let known = self.each.entry(name(uri)).or_default();
        *known = until.max(*known);
    }

    /// When a token that is issued now says that it was.
    pub(crate) fn stamp(&self, uri: &str, now: u64) -> u64 {
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
    fn what_was_issued_before_is_void_and_what_comes_behind_is_good() {
        let mut revoked = Revoked::default();
        // Twice in one millisecond, too.
        for _ in 0..3 {
            let before = revoked.stamp("a:b", NOW);
            assert!(!revoked.is_revoked("a:b", before));
            revoke(&mut revoked, "a:b", NOW);
            assert!(revoked.is_revoked("a:b", before));
            assert!(!revoked.is_revoked("a:b", revoked.stamp("a:b", NOW)));
        }
        assert!(!revoked.is_revoked("a:c", NOW), "another resource");
    }

    #[test]
    fn a_token_of_a_process_whose_clock_is_ahead_is_void() {
        let (mut ours, theirs) = (Revoked::default(), Revoked::default());
        let issued = theirs.stamp("a:b", NOW + SKEW);
        revoke(&mut ours, "a:b", NOW);
        assert!(ours.is_revoked("a:b", issued));
    }

    #[test]
    fn memory_is_bounded_and_forgets_nothing_too_early() {
        let mut revoked = Revoked::default();
        let issued = revoked.stamp("a:0", NOW);
        for at in 0..=MOST {
            revoke(&mut revoked, &format!("a:{at}"), NOW);
        }
        assert!(revoked.each.len() <= MOST);
        assert!(revoked.is_revoked("a:0", issued));
        assert!(!revoked.is_revoked("a:0", revoked.stamp("a:0", NOW)));

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
