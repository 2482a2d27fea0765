//! [`Plan`]: the conditions of all candidates of a union, prepared at compile time.

use super::super::guard::{Guard, Refused};
use super::Candidate;
use super::row::{GUARDS, Row};

/// A set of conditions or of candidates: one bit for the position of each.
pub(super) type Bits = u32;

/// The maximum number of candidates of a union, and of different conditions of all of them. Larger unions
/// are decoded from buffered members.
const MAXIMUM: usize = Bits::BITS as usize;

/// Names of at least this many bytes are looked up as if all had this length.
const LONGEST: usize = 23;

/// The conditions of all candidates, each once, so that one look at a member answers for all of them.
#[derive(Debug)]
pub(super) struct Plan {
    /// The members that conditions are about.
    members: [Member; MAXIMUM],
    member_count: usize,
    /// The members whose names have a length, for each length up to [`LONGEST`].
    lengths: [Bits; LONGEST + 1],
    /// The conditions, each with the candidates that have it.
    conditions: [(Test, Bits); MAXIMUM],
    condition_count: usize,
    /// The candidates, or none if the union is too large.
    rows: [Row; MAXIMUM],
    row_count: usize,
    /// The candidates without conditions.
    pub(super) unconditional: Bits,
}

/// A member that conditions are about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    name: &'static str,
    /// The conditions that the member is present.
    pub(super) presence: Bits,
    /// The conditions about its value.
    pub(super) value: Bits,
    /// The candidate that owns the member, if any.
    pub(super) owner: Bits,
}

/// A condition about a member.
#[derive(Clone, Copy, Debug)]
pub(super) enum Test {
    /// The member is present.
    Present,
    /// Its value is an object with a member of this name.
    Nested(&'static str),
    /// Its value is one of these strings.
    OneOf(&'static [&'static str]),
}

impl Test {
    /// Returns the values that meet the condition, if it is about a value.
    const fn refused(&self) -> Option<Refused> {
        match self {
            Self::Present => None,
            Self::Nested(name) => Some(Refused::ObjectsWith(name)),
            Self::OneOf(strings) => Some(Refused::Strings(strings)),
        }
    }
}

impl Plan {
    /// Returns the conditions about a member.
    #[inline]
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        let mut candidates = *self.lengths.get(name.len().min(LONGEST))?;
        loop {
            // If no candidate is left, this is the number of bits, where no member is.
            let member = self.members.get(candidates.trailing_zeros() as usize)?;
            if member.name == name {
                return Some(member);
            }
            candidates &= candidates - 1;
        }
    }

    #[inline]
    pub(super) fn test(&self, condition: u32) -> Option<&Test> {
        Some(&self.conditions.get(condition as usize)?.0)
    }

    /// Returns the candidates that have a condition.
    #[inline]
    pub(super) fn rows_with(&self, condition: u32) -> Bits {
        let condition = self.conditions.get(condition as usize);
        condition.map_or(0, |(_, rows)| *rows)
    }

    #[inline]
    pub(super) fn rows(&self) -> &[Row] {
        self.rows.get(..self.row_count).unwrap_or_default()
    }

    #[inline]
    pub(super) const fn all_rows(&self) -> Bits {
        match self.row_count {
            MAXIMUM => Bits::MAX,
            count => (1 << count) - 1,
        }
    }

    const EMPTY: Self = Self {
        members: [Member {
            name: "",
            presence: 0,
            value: 0,
            owner: 0,
        }; MAXIMUM],
        member_count: 0,
        lengths: [0; LONGEST + 1],
        conditions: [(Test::Present, 0); MAXIMUM],
        condition_count: 0,
        rows: [Row::EMPTY; MAXIMUM],
        row_count: 0,
        unconditional: 0,
    };

    /// Collects the conditions of all candidates.
    pub(super) const fn new(
        candidates: &'static [Candidate],
        decoders: &'static [(&'static str, &'static str)],
    ) -> Self {
        if candidates.len() > MAXIMUM {
            return Self::EMPTY;
        }
        let mut plan = Self::EMPTY;
        while plan.row_count < candidates.len() {
            let candidate = &candidates[plan.row_count];
            let Some(conditions) = plan.add(candidate) else {
                return Self::EMPTY;
            };
            let covered = plan.covered(candidates, conditions);
            let mut row = Row {
                name: candidate.name,
                conditions,
                unless: candidate.unless,
                covered,
                has_hint: !candidate.when.is_empty(),
                ..Row::EMPTY
            };
            if is_struct(candidate.name, decoders) {
                plan.set_guards(&mut row);
            }
            plan.rows[plan.row_count] = row;
            if !plan.set_owner(candidate.owned) {
                return Self::EMPTY;
            }
            if conditions == 0 {
                plan.unconditional |= 1 << plan.row_count;
            }
            plan.row_count += 1;
        }
        plan
    }

    /// Returns the candidates before the next one, which has these conditions. Leaves out those that have all
    /// of these conditions and more: their objects meet these conditions before the last required member is
    /// read, and would often be decoded twice.
    const fn earlier(&self, conditions: Bits) -> Bits {
        let (mut earlier, mut at) = (0, 0);
        while at < self.row_count {
            if conditions & !self.rows[at].conditions != 0 {
                earlier |= 1 << at;
            }
            at += 1;
        }
        earlier
    }

    /// Returns those of the [`earlier`](Self::earlier) candidates that require one of the members in the
    /// `unless` of the next one.
    const fn covered(&self, candidates: &[Candidate], conditions: Bits) -> Bits {
        let mut covered = 0;
        let mut at = 0;
        while at < self.row_count {
            let mut names = candidates[self.row_count].unless;
            while let [name, rest @ ..] = names {
                if requires(&candidates[at], name) {
                    covered |= 1 << at;
                }
                names = rest;
            }
            at += 1;
        }
        covered & self.earlier(conditions)
    }

    /// Sets the guards of the next candidate, against the [`earlier`](Self::earlier) candidates that are not
    /// covered.
    const fn set_guards(&self, row: &mut Row) {
        let mut left = self.earlier(row.conditions) & !row.covered;
        let (mut at, mut count) = (0, 0);
        while at < self.condition_count && count < GUARDS {
            let (test, rows) = &self.conditions[at];
            let guarded = *rows & left;
            let is_required = row.conditions >> at & 1 == 1;
            if guarded != 0
                && !is_required
                && let Some(refused) = test.refused()
            {
                row.guards[count] = Guard {
                    member: self.member_of(at),
                    refused,
                };
                row.guarded[count] = guarded;
                left &= !guarded;
                count += 1;
            }
            at += 1;
        }
    }

    /// Returns the name of the member that a condition is about.
    const fn member_of(&self, condition: usize) -> &'static str {
        let mut at = 0;
        while at < self.member_count {
            let member = &self.members[at];
            if (member.presence | member.value) >> condition & 1 == 1 {
                return member.name;
            }
            at += 1;
        }
        ""
    }

    /// Makes the next candidate the owner of members. Returns `false` if there are too many.
    const fn set_owner(&mut self, mut names: &[&'static str]) -> bool {
        while let [name, rest @ ..] = names {
            let Some(at) = self.place_of(name) else {
                return false;
            };
            self.members[at].owner |= 1 << self.row_count;
            names = rest;
        }
        true
    }

    /// Returns the place of a member, which is added if it is new. Returns `None` if there are too many.
    const fn place_of(&mut self, name: &'static str) -> Option<usize> {
        let mut place = 0;
        while place < self.member_count && !same(self.members[place].name, name) {
            place += 1;
        }
        if place == MAXIMUM {
            return None;
        }
        if place == self.member_count {
            self.members[place].name = name;
            let length = if name.len() < LONGEST {
                name.len()
            } else {
                LONGEST
            };
            self.lengths[length] |= 1 << place;
            self.member_count += 1;
        }
        Some(place)
    }

    /// Adds the conditions of the next candidate. Returns `None` if there are too many.
    const fn add(&mut self, candidate: &Candidate) -> Option<Bits> {
        let mut conditions = 0;
        let mut lists: &[_] = &[candidate.required, candidate.when];
        while let [list, more @ ..] = lists {
            let mut members = *list;
            while let [member, rest @ ..] = members {
                match self.condition(member, Test::Present) {
                    Some(bit) => conditions |= bit,
                    None => return None,
                }
                members = rest;
            }
            lists = more;
        }
        let mut nested = candidate.nested;
        while let [(member, inner), rest @ ..] = nested {
            match self.condition(member, Test::Nested(inner)) {
                Some(bit) => conditions |= bit,
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
            match self.condition(member, test) {
                Some(bit) => conditions |= bit,
                None => return None,
            }
            texts = rest;
        }
        Some(conditions)
    }

    /// Returns the bit of a condition of the next candidate. The condition is added if it is new.
    const fn condition(&mut self, name: &'static str, test: Test) -> Option<Bits> {
        let Some(place) = self.place_of(name) else {
            return None;
        };
        let member = &mut self.members[place];
        let mut at = 0;
        while at < self.condition_count {
            let is_of_member = (member.presence | member.value) >> at & 1 == 1;
            if is_of_member && same_test(&self.conditions[at].0, &test) {
                break;
            }
            at += 1;
        }
        if at == MAXIMUM {
            return None;
        }
        let bit = 1 << at;
        if at == self.condition_count {
            match test {
                Test::Present => member.presence |= bit,
                Test::Nested(_) | Test::OneOf(_) => member.value |= bit,
            }
            self.conditions[at].0 = test;
            self.condition_count += 1;
        }
        self.conditions[at].1 |= 1 << self.row_count;
        Some(bit)
    }
}

/// Returns `true` if a candidate is decoded as a struct, whose decoder refuses members and strings.
const fn is_struct(candidate: &str, mut decoders: &[(&str, &str)]) -> bool {
    while let [(name, method), rest @ ..] = decoders {
        if same(name, candidate) {
            return same(method, "object");
        }
        decoders = rest;
    }
    false
}

/// Returns `true` if every object that fits a candidate has a member.
const fn requires(candidate: &Candidate, name: &str) -> bool {
    if contains(candidate.required, name) || contains(candidate.when, name) {
        return true;
    }
    let mut texts = candidate.texts;
    while let [(member, _), rest @ ..] = texts {
        if same(member, name) {
            return true;
        }
        texts = rest;
    }
    false
}

const fn contains(mut names: &[&str], name: &str) -> bool {
    while let [first, rest @ ..] = names {
        if same(first, name) {
            return true;
        }
        names = rest;
    }
    false
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
