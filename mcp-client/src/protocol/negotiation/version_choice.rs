//! [`Probes`]: which revision to try next, given what the server answered.
//!
//! From revision 2026-07-28, page "Versioning and Compatibility". Pure functions, so that they can
//! be tested with revisions that do not exist.

use mcp_types::Revision;

/// How often the same revision is tried: once more if the server rejects a revision that it offers.
const ATTEMPTS: usize = 2;

/// A revision of the protocol. Newer ones are greater.
pub(crate) trait Version: Copy + Ord {
    fn name(&self) -> &str;

    /// Returns `true` if the revision has no handshake.
    fn is_modern(&self) -> bool;
}

impl Version for Revision {
    fn name(&self) -> &str {
        self.as_str()
    }

    fn is_modern(&self) -> bool {
        Self::is_modern(*self)
    }
}

/// Returns the newest revision that the server offers and the client allows. Modern revisions are
/// newer than those with a handshake, and so are preferred.
pub(crate) fn newest_common<V: Version>(offered: &[String], allowed: &[V]) -> Option<V> {
    let common = allowed
        .iter()
        .filter(|version| offered.iter().any(|name| name == version.name()));
    common.max().copied()
}

/// What to do after an answer of a modern server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<V> {
    /// The server accepted the last revision, and there is no better one.
    Agreed,
    /// Send `server/discover` with this revision.
    Probe(V),
    /// Begin the handshake with this revision.
    Handshake(V),
    /// There is no revision that both sides support.
    NoneInCommon,
    /// The server repeatedly rejected a revision that it offers.
    Contradiction,
}

/// The revisions of the requests that were sent to find out what a server supports.
///
/// Each revision is tried at most twice, so the number of requests is bounded, whatever the server
/// answers.
pub(crate) struct Probes<V> {
    allowed: Vec<V>,
    sent: Vec<V>,
}

impl<V: Version> Probes<V> {
    /// Prepares to find a revision among those that the client allows.
    pub(crate) fn new(allowed: Vec<V>) -> Self {
        let sent = Vec::new();
        Self { allowed, sent }
    }

    /// Returns the revision of the first request: the remembered one if it is modern, otherwise the
    /// newest modern one. `None` if the client allows only revisions with a handshake.
    pub(crate) fn first(&mut self, remembered: Option<V>) -> Option<V> {
        let modern = self.allowed.iter().filter(|version| version.is_modern());
        let remembered = modern.clone().find(|version| Some(**version) == remembered);
        let first = *remembered.or_else(|| modern.max())?;
        self.sent.push(first);
        Some(first)
    }

    /// Returns what to do after the server `accepted` the last revision or rejected it, and offered
    /// these.
    pub(crate) fn next(&mut self, offered: &[String], accepted: bool) -> Step<V> {
        let Some(best) = newest_common(offered, &self.allowed) else {
            return Step::NoneInCommon;
        };
        if !best.is_modern() {
            return Step::Handshake(best);
        }
        if accepted && self.sent.last() == Some(&best) {
            return Step::Agreed;
        }
        if self.sent.iter().filter(|sent| **sent == best).count() >= ATTEMPTS {
            return Step::Contradiction;
        }
        self.sent.push(best);
        Step::Probe(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct TestRevision(&'static str);

    impl Version for TestRevision {
        fn name(&self) -> &str {
            self.0
        }

        fn is_modern(&self) -> bool {
            self.0 >= "2026-07-28"
        }
    }

    const OLD: TestRevision = TestRevision("2025-06-18");
    const LEGACY: TestRevision = TestRevision("2025-11-25");
    const MODERN: TestRevision = TestRevision("2026-07-28");
    const NEXT: TestRevision = TestRevision("2027-01-01");
    const NEWEST: TestRevision = TestRevision("2027-09-09");
    const ALL: [TestRevision; 5] = [OLD, LEGACY, MODERN, NEXT, NEWEST];

    fn names(offered: &[&str]) -> Vec<String> {
        offered.iter().map(|&name| name.to_owned()).collect()
    }

    /// A server that supports `offered`: the revisions of the requests, and the last step.
    fn negotiate(
        allowed: &[TestRevision],
        remembered: Option<TestRevision>,
        offered: &[&str],
    ) -> (Vec<TestRevision>, Step<TestRevision>) {
        let mut probes = Probes::new(allowed.to_vec());
        let mut last = probes.first(remembered).expect("a modern revision");
        loop {
            let accepted = offered.contains(&last.0);
            match probes.next(&names(offered), accepted) {
                Step::Probe(next) => last = next,
                end => return (probes.sent, end),
            }
        }
    }

    #[test]
    fn the_newest_common_revision_is_chosen_in_any_order() {
        for offered in [["2026-07-28", "2027-01-01"], ["2027-01-01", "2026-07-28"]] {
            assert_eq!(newest_common(&names(&offered), &ALL), Some(NEXT));
        }
        assert_eq!(newest_common(&names(&["2099-01-01"]), &ALL), None);
        assert_eq!(newest_common::<TestRevision>(&[], &ALL), None);
        assert_eq!(newest_common(&names(&["2027-01-01"]), &[OLD]), None);
    }

    #[test]
    fn a_server_of_the_newest_revision_needs_one_request() {
        for offered in [
            &["2027-09-09"][..],
            &["2025-11-25", "2026-07-28", "2027-09-09"],
        ] {
            let (sent, end) = negotiate(&ALL, None, offered);
            assert_eq!((&sent[..], end), (&[NEWEST][..], Step::Agreed));
        }
    }

    #[test]
    fn a_server_of_an_older_modern_revision_needs_two_requests() {
        let offered = ["2025-11-25", "2026-07-28", "2027-01-01"];
        let (sent, end) = negotiate(&ALL, None, &offered);
        assert_eq!((&sent[..], end), (&[NEWEST, NEXT][..], Step::Agreed));
        let (sent, end) = negotiate(&ALL, None, &["2026-07-28"]);
        assert_eq!((&sent[..], end), (&[NEWEST, MODERN][..], Step::Agreed));
    }

    #[test]
    fn the_remembered_revision_is_tried_first_and_replaced_by_a_newer_one() {
        let (sent, end) = negotiate(&ALL, Some(MODERN), &["2026-07-28"]);
        assert_eq!((&sent[..], end), (&[MODERN][..], Step::Agreed));
        let (sent, end) = negotiate(&ALL, Some(MODERN), &["2026-07-28", "2027-09-09"]);
        assert_eq!((&sent[..], end), (&[MODERN, NEWEST][..], Step::Agreed));
        // Remembered, but not a modern revision that the client allows.
        for remembered in [LEGACY, NEWEST] {
            let allowed = [LEGACY, MODERN, NEXT];
            let (sent, _) = negotiate(&allowed, Some(remembered), &["2027-01-01"]);
            assert_eq!(sent, [NEXT]);
        }
    }

    #[test]
    fn legacy_revisions_lead_to_the_newest_handshake_that_both_sides_have() {
        let (_, end) = negotiate(&ALL, None, &["2025-06-18", "2025-11-25"]);
        assert_eq!(end, Step::Handshake(LEGACY));
        let (_, end) = negotiate(&ALL, None, &["2025-06-18", "2099-01-01"]);
        assert_eq!(end, Step::Handshake(OLD));
    }

    #[test]
    fn without_a_common_revision_the_client_stops() {
        for offered in [&["2099-01-01"][..], &[]] {
            let (sent, end) = negotiate(&ALL, None, offered);
            assert_eq!((sent.len(), end), (1, Step::NoneInCommon));
        }
        let (_, end) = negotiate(&[NEWEST], None, &["2026-07-28"]);
        assert_eq!(end, Step::NoneInCommon);
    }

    #[test]
    fn a_rejected_revision_that_is_offered_is_tried_once_more() {
        let mut probes = Probes::new(ALL.to_vec());
        assert_eq!(probes.first(None), Some(NEWEST));
        let offered = names(&["2027-09-09", "2026-07-28"]);
        assert_eq!(probes.next(&offered, false), Step::Probe(NEWEST));
        assert_eq!(probes.next(&offered, false), Step::Contradiction);
    }

    #[test]
    fn a_server_that_changes_its_mind_is_given_up() {
        let mut probes = Probes::new(ALL.to_vec());
        probes.first(None);
        let offers = [names(&["2026-07-28"]), names(&["2027-01-01"])];
        let steps = offers.iter().cycle().map(|offer| probes.next(offer, false));
        let asked = steps.take_while(|step| *step != Step::Contradiction);
        assert_eq!(asked.take(100).count(), 4);
    }

    #[test]
    fn a_client_of_legacy_revisions_alone_sends_no_modern_request() {
        assert_eq!(Probes::new(vec![OLD, LEGACY]).first(Some(NEWEST)), None);
    }
}
