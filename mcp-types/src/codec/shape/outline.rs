//! Selects a candidate from the text of an object, before anything of it is decoded.

use super::super::super::json::{self, text::Lookahead};
use super::Candidate;

/// The candidate as which an object is decoded first.
pub(super) struct Fit {
    pub(super) name: &'static str,
    /// `false` if the object may fit another candidate, too.
    pub(super) is_only: bool,
}

/// The maximum number of candidates of a union, and of different conditions of all of them. Larger unions
/// are decoded from buffered members.
const MAXIMUM: usize = 32;

/// The conditions of all candidates, each once, so that one look at a member answers for all of them.
#[derive(Debug)]
pub(super) struct Plan {
    conditions: [Condition; MAXIMUM],
    /// The number of conditions, or 0 if the union is too large.
    count: usize,
    /// For each candidate, its name and one bit for each of its conditions.
    candidates: [(&'static str, u32); MAXIMUM],
    candidate_count: usize,
}

/// A condition about one member.
#[derive(Clone, Copy, Debug)]
struct Condition {
    member: &'static str,
    test: Test,
}

#[derive(Clone, Copy, Debug)]
enum Test {
    /// The member is present.
    Present,
    /// Its value is an object with a member of this name.
    Nested(&'static str),
    /// Its value is one of these strings.
    OneOf(&'static [&'static str]),
}

impl Plan {
    /// Collects the conditions of all candidates.
    pub(super) const fn new(candidates: &'static [Candidate]) -> Self {
        let none = Condition {
            member: "",
            test: Test::Present,
        };
        let mut plan = Self {
            conditions: [none; MAXIMUM],
            count: 0,
            candidates: [("", 0); MAXIMUM],
            candidate_count: 0,
        };
        let mut rest = candidates;
        while let [candidate, others @ ..] = rest {
            let Some(bits) = plan.bits(candidate) else {
                plan.count = 0;
                plan.candidate_count = 0;
                return plan;
            };
            if plan.candidate_count == MAXIMUM {
                plan.count = 0;
                plan.candidate_count = 0;
                return plan;
            }
            plan.candidates[plan.candidate_count] = (candidate.name, bits);
            plan.candidate_count += 1;
            rest = others;
        }
        plan
    }

    /// Returns one bit for each condition of a candidate, or `None` if there are too many.
    const fn bits(&mut self, candidate: &Candidate) -> Option<u32> {
        let mut bits = 0;
        let mut required = candidate.required;
        while let [member, rest @ ..] = required {
            match self.bit(member, Test::Present) {
                Some(bit) => bits |= bit,
                None => return None,
            }
            required = rest;
        }
        let mut nested = candidate.nested;
        while let [(member, inner), rest @ ..] = nested {
            match self.bit(member, Test::Nested(inner)) {
                Some(bit) => bits |= bit,
                None => return None,
            }
            nested = rest;
        }
        let mut texts = candidate.texts;
        while let [(member, texts_of_member), rest @ ..] = texts {
            let test = match texts_of_member {
                [] => Test::Present,
                texts => Test::OneOf(texts),
            };
            match self.bit(member, test) {
                Some(bit) => bits |= bit,
                None => return None,
            }
            texts = rest;
        }
        Some(bits)
    }

    /// Returns the bit of a condition, which is added if it is new.
    const fn bit(&mut self, member: &'static str, test: Test) -> Option<u32> {
        let mut at = 0;
        while at < self.count {
            let known = &self.conditions[at];
            if same(known.member, member) && same_test(&known.test, &test) {
                return Some(1 << at);
            }
            at += 1;
        }
        if at == MAXIMUM {
            return None;
        }
        self.conditions[at] = Condition { member, test };
        self.count += 1;
        Some(1 << at)
    }

    fn conditions(&self) -> &[Condition] {
        self.conditions.get(..self.count).unwrap_or_default()
    }

    fn candidates(&self) -> &[(&'static str, u32)] {
        self.candidates
            .get(..self.candidate_count)
            .unwrap_or_default()
    }
}

const fn same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([first, rest @ ..], [other_first, other_rest @ ..]) = (one, other) {
        if *first != *other_first {
            return false;
        }
        (one, other) = (rest, other_rest);
    }
    one.is_empty() && other.is_empty()
}

const fn same_test(one: &Test, other: &Test) -> bool {
    match (one, other) {
        (Test::Present, Test::Present) => true,
        (Test::Nested(one), Test::Nested(other)) => same(one, other),
        (Test::OneOf(one), Test::OneOf(other)) => {
            let (mut one, mut other) = (*one, *other);
            while let ([first, rest @ ..], [other_first, other_rest @ ..]) = (one, other) {
                if !same(first, other_first) {
                    return false;
                }
                (one, other) = (rest, other_rest);
            }
            one.is_empty() && other.is_empty()
        }
        _ => false,
    }
}

/// Returns the first candidate that an object fits, given the text from the object on. Returns `None`
/// if there is none, or if the text is not valid.
///
/// Reads only as many members as necessary: once a candidate fits, and all before it are excluded by the
/// text of a member, the other members do not matter.
pub(super) fn first_fit(text: &str, plan: &'static Plan) -> Option<Fit> {
    let mut outline = Outline {
        plan,
        met: 0,
        failed: 0,
    };
    let mut members = Lookahead::new(text);
    while let Some(name) = members.name().ok()? {
        let met = outline.met;
        let open = outline.note_name(&name);
        if outline.met != met
            && let Some(fit) = outline.decided()
        {
            return Some(fit);
        }
        if open == 0 {
            members.value().ok()?;
            continue;
        }
        outline.note_value(open, &mut members)?;
        if let Some(fit) = outline.decided() {
            return Some(fit);
        }
    }
    outline.first()
}

/// What the members so far tell about the conditions, one bit for each.
struct Outline {
    plan: &'static Plan,
    met: u32,
    failed: u32,
}

impl Outline {
    /// Adds the name of a member. Returns one bit for each condition that needs its value.
    fn note_name(&mut self, name: &str) -> u32 {
        let mut open = 0;
        for (at, condition) in self.plan.conditions().iter().enumerate() {
            if condition.member == name {
                match condition.test {
                    Test::Present => self.met |= 1 << at,
                    Test::Nested(_) | Test::OneOf(_) => open |= 1 << at,
                }
            }
        }
        open
    }

    /// Adds the value of a member, for the conditions that need it. Returns `None` if the text is not
    /// valid.
    fn note_value(&mut self, open: u32, members: &mut Lookahead<'_>) -> Option<()> {
        let met = if members.enter() {
            let mut met = 0;
            while let Some(name) = members.name().ok()? {
                met |= self.select(
                    open,
                    |test| matches!(test, Test::Nested(inner) if *inner == name),
                );
                members.value().ok()?;
            }
            met
        } else {
            let value = members.value().ok()?;
            self.select(
                open,
                |test| matches!(test, Test::OneOf(texts) if is_one_of(value, texts)),
            )
        };
        self.met |= met;
        self.failed |= open & !met;
        Some(())
    }

    /// Returns those of the given conditions whose tests are met.
    fn select(&self, open: u32, is_met: impl Fn(&Test) -> bool) -> u32 {
        let (mut rest, mut met) = (open, 0);
        while let Some(condition) = self.plan.conditions.get(rest.trailing_zeros() as usize) {
            let bit = rest & rest.wrapping_neg();
            rest &= !bit;
            if is_met(&condition.test) {
                met |= bit;
            }
        }
        met
    }

    /// Returns `true` if an object cannot meet conditions, whatever members follow.
    fn excludes(&self, conditions: u32) -> bool {
        conditions & self.failed & !self.met != 0
    }

    fn meets(&self, conditions: u32) -> bool {
        conditions & !self.met == 0
    }

    /// Returns the first candidate that is not excluded, if the object fits it already.
    fn decided(&self) -> Option<Fit> {
        let mut candidates = self.plan.candidates().iter();
        let (name, _) = candidates
            .find(|(_, conditions)| !self.excludes(*conditions))
            .filter(|(_, conditions)| self.meets(*conditions))?;
        let is_only = candidates.all(|(_, conditions)| self.excludes(*conditions));
        Some(Fit { name, is_only })
    }

    /// Returns the first candidate that the object fits when all members are known.
    fn first(&self) -> Option<Fit> {
        let mut fitting = self
            .plan
            .candidates()
            .iter()
            .filter(|(_, conditions)| self.meets(*conditions));
        let (name, _) = fitting.next()?;
        let is_only = fitting.next().is_none();
        Some(Fit { name, is_only })
    }
}

/// Returns `true` if a text is one of the given strings.
fn is_one_of(text: &str, strings: &[&str]) -> bool {
    let plain = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    plain.is_some_and(|plain| {
        strings.contains(&plain)
            || plain.contains('\\')
                && json::from_str::<String>(text).is_ok_and(|text| strings.contains(&text.as_str()))
    })
}
