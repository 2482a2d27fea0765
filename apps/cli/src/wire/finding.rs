//! [`Findings`]: what a check has found.

use mcp_client::types::json::{Object, Value};
use mcp_types::peer_text::PeerDisplay;

pub(crate) use super::rules::Level;
use super::rules::Rule;

/// The maximum number of findings that are kept for a level.
const KEPT: usize = 500;

/// A sentence about a place of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    pub(crate) place: String,
    pub(crate) text: String,
    /// The statement of a proposal that the server violates.
    pub(crate) rule: Option<Rule>,
}

impl Finding {
    pub(crate) fn to_json(&self) -> Object {
        let mut members = Object::from([("level", self.level.name())]);
        members.insert("place", self.place.as_str());
        members.insert("text", self.text.as_str());
        if let Some(rule) = self.rule {
            members.insert("rule", rule.id());
            members.insert("statement", rule.statement());
        }
        members
    }
}

/// The findings of a check, in their order.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    counts: [usize; 3],
}

impl Findings {
    pub(crate) fn error(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.add(Level::Error, place.into(), text.into(), None);
    }

    pub(crate) fn warning(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.add(Level::Warning, place.into(), text.into(), None);
    }

    pub(crate) fn hint(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.add(Level::Hint, place.into(), text.into(), None);
    }

    /// Notes that the server violates a statement of a proposal.
    pub(crate) fn rule(&mut self, rule: Rule, place: impl Into<String>, text: impl Into<String>) {
        self.add(rule.level(), place.into(), text.into(), Some(rule));
    }

    fn add(&mut self, level: Level, place: String, text: String, rule: Option<Rule>) {
        let finding = Finding {
            level,
            place: PeerDisplay(place).to_string(),
            text: PeerDisplay(text).to_string(),
            rule,
        };
        let count = &mut self.counts[level as usize];
        // The same sentence about the same place says nothing new.
        if *count < KEPT && !self.kept.iter().rev().take(20).any(|kept| *kept == finding) {
            self.kept.push(finding);
            *count += 1;
        } else if *count >= KEPT {
            *count += 1;
        }
    }

    /// Returns the number of findings of a level, including those that are not kept.
    pub(crate) fn count(&self, level: Level) -> usize {
        self.counts[level as usize]
    }

    /// Returns the findings that are kept, the most serious ones first.
    pub(crate) fn sorted(&self) -> Vec<&Finding> {
        let mut all: Vec<&Finding> = self.kept.iter().collect();
        all.sort_by_key(|finding| finding.level);
        all
    }

    pub(crate) fn to_json(&self) -> Object {
        let all: Value = self.sorted().into_iter().map(Finding::to_json).collect();
        let mut members = Object::from([("findings", all)]);
        for level in Level::ALL {
            members.insert(format!("{}s", level.name()), self.count(level) as u64);
        }
        members
    }
}
