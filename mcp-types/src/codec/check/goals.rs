//! [`Goal`]: what a keyword says about parts of a value, or about the value by other schemas.

use super::seen::Seen;
use super::tree::{Members, Subject, Tree, View};
use super::{Check, Checks};

/// A comparison on which the outcome of a keyword depends.
pub(super) struct Goal {
    pub(super) checks: Checks,
    pub(super) subject: Subject,
    /// The list is a table, or a part of one that others do not share.
    pub(super) is_table: bool,
    pub(super) part: Part,
}

/// What is compared, seen from the keyword.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// The value. What was said about its parts counts.
    Whole,
    /// The value. What was said about its parts does not count.
    Opposite,
    /// An element or a member.
    Inner(usize),
    /// The name of a member.
    Name,
}

impl Check {
    /// Returns `true` if the value is not valid unless the goal of a step is fulfilled.
    pub(super) fn demands(&self, step: usize) -> bool {
        match self {
            Self::Any(_) | Self::One(_) | Self::Not(_) | Self::Contains(..) => false,
            Self::If(..) => step > 0,
            _ => true,
        }
    }

    /// Returns `true` if the value is valid as far as the number of goals that were fulfilled tells.
    pub(super) fn accepts(&self, value: View<'_>, found: usize) -> bool {
        match (self, value) {
            (Self::Any(all), _) => found > 0 || all.is_empty(),
            (Self::One(_), _) => found == 1,
            (Self::Not(_), _) => found == 0,
            (Self::Contains(least, most, _), View::Array(_)) => (*least..=*most).contains(&found),
            _ => true,
        }
    }

    /// Returns the goal of the first step from `step` on that has one, and this step. `found` is how many
    /// goals were fulfilled so far.
    pub(super) fn goal(
        &self,
        subject: Subject,
        tree: &Tree,
        step: usize,
        found: usize,
        seen: &Seen,
    ) -> Option<(usize, Goal)> {
        let value = tree.view(subject);
        if let (Some((step, at, checks)), Subject::Value(id)) =
            (self.inner_goal(value, step, seen), subject)
        {
            let inner = match value {
                View::Array(items) => items.get(at).copied(),
                View::Object(members) => members.all.get(at).map(|(_, id)| *id),
                _ => None,
            };
            let (subject, part) = if let Self::Names(_) = self {
                (Subject::Name(id, at), Part::Name)
            } else {
                (Subject::Value(inner?), Part::Inner(at))
            };
            let goal = Goal {
                checks,
                subject,
                is_table: false,
                part,
            };
            return Some((step, goal));
        }
        let (checks, part) = match (self, step) {
            (Self::All(table), 0) => (**table, Part::Whole),
            (Self::Any(all) | Self::One(all), _) => (*all.get(step)?, Part::Whole),
            (Self::Not(checks), 0) => (*checks, Part::Opposite),
            (Self::If(condition, ..), 0) => (*condition, Part::Whole),
            (Self::If(_, then, otherwise), 1) => {
                (if found > 0 { *then } else { *otherwise }, Part::Whole)
            }
            (Self::With(name, checks), 0) => match value {
                View::Object(members) if members.get(name).is_some() => (*checks, Part::Whole),
                _ => return None,
            },
            _ => return None,
        };
        let goal = Goal {
            checks,
            subject,
            is_table: matches!(self, Self::All(_)),
            part,
        };
        Some((step, goal))
    }

    /// Returns the first step from `step` on that is about an element or a member, with its position.
    fn inner_goal(
        &self,
        value: View<'_>,
        step: usize,
        seen: &Seen,
    ) -> Option<(usize, usize, Checks)> {
        match value {
            View::Array(items) => {
                let mut steps = step..items.len();
                let (at, checks) = match self {
                    Self::First(all) => (steps.next()?, *all.get(step)?),
                    Self::Rest(from, checks) => {
                        let at = from.saturating_add(step);
                        (Some(at).filter(|at| *at < items.len())?, *checks)
                    }
                    Self::Contains(_, _, checks) => (steps.next()?, *checks),
                    Self::UnseenItems(checks) => (steps.find(|at| !seen.has(*at))?, *checks),
                    _ => return None,
                };
                let step = if let Self::Rest(..) = self { step } else { at };
                Some((step, at, checks))
            }
            View::Object(members) => self.member_goal(members, step, seen),
            _ => None,
        }
    }

    fn member_goal(
        &self,
        members: &Members,
        step: usize,
        seen: &Seen,
    ) -> Option<(usize, usize, Checks)> {
        let mut steps = step..members.all.len();
        let (at, checks) = match self {
            Self::Properties(known) => steps.find_map(|at| {
                let found = known.binary_search_by(|(name, _)| (*name).cmp(members.name(at)));
                found.ok().map(|found| (at, known[found].1))
            })?,
            Self::Matching(patterns) => {
                // A step for each pattern with each member.
                let count = patterns.len().max(1);
                let mut steps = step..members.all.len().saturating_mul(count);
                return steps.find_map(|step| {
                    let (pattern, checks) = patterns.get(step % count)?;
                    let at = step / count;
                    (pattern.matches)(members.name(at)).then_some((step, at, *checks))
                });
            }
            Self::Others(known, patterns, checks) => {
                let at = steps.find(|at| {
                    let name = members.name(*at);
                    known.binary_search(&name).is_err()
                        && !patterns.iter().any(|pattern| (pattern.matches)(name))
                })?;
                (at, *checks)
            }
            Self::UnseenMembers(checks) => (steps.find(|at| !seen.has(*at))?, *checks),
            Self::Names(checks) => (steps.next()?, *checks),
            _ => return None,
        };
        Some((at, at, checks))
    }
}
