//! [`Plan`]: the conditions of all candidates of a union, prepared at compile time.

use super::super::members::Refused;
use super::Candidate;

/// A set of conditions or of candidates: one bit for the position of each.
pub(super) type Bits = u32;

/// The maximum number of candidates of a union, and of different conditions of all of them. Larger unions
/// are decoded from buffered members.
const MAXIMUM: usize = Bits::BITS as usize;

/// The conditions of all candidates, each once, so that one look at a member answers for all of them.
#[derive(Debug)]
pub(super) struct Plan {
    /// The members that conditions are about.
    members: [Member; MAXIMUM],
    member_count: usize,
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

/// A candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) conditions: Bits,
    pub(super) unless: &'static [&'static str],
    /// The earlier candidates that require one of the members in `unless`. An object of such a candidate
    /// rarely meets the conditions of this one, so that its members seldom have to be decoded twice.
    pub(super) covered: Bits,
    /// A member, and strings that earlier candidates require of it.
    pub(super) refused: Option<Refused>,
    /// These candidates, without those that `covered` has.
    pub(super) refusing: Bits,
}

impl Plan {
    /// Returns the conditions about a member.
    #[inline]
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        let members = self.members.get(..self.member_count)?;
        members.iter().find(|member| member.name == name)
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
        conditions: [(Test::Present, 0); MAXIMUM],
        condition_count: 0,
        rows: [Row {
            name: "",
            conditions: 0,
            unless: &[],
            covered: 0,
            refused: None,
            refusing: 0,
        }; MAXIMUM],
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
            let (refused, refusing) = if is_struct(candidate.name, decoders) {
                plan.refusing(conditions, covered)
            } else {
                (None, 0)
            };
            plan.rows[plan.row_count] = Row {
                name: candidate.name,
                conditions,
                unless: candidate.unless,
                covered,
                refused,
                refusing,
            };
            plan.set_owner(candidate.owned);
            if conditions == 0 {
                plan.unconditional |= 1 << plan.row_count;
            }
            plan.row_count += 1;
        }
        plan.drop_shared_texts();
        plan
    }

    /// Drops the strings that all candidates require, because they do not tell which one fits; the decoder
    /// of any candidate checks them. Keeps them if a candidate would be left without a condition.
    const fn drop_shared_texts(&mut self) {
        let mut shared = 0;
        let mut at = 0;
        while at < self.condition_count {
            let (test, rows) = &self.conditions[at];
            if matches!(test, Test::OneOf(_)) && *rows == self.all_rows() {
                shared |= 1 << at;
            }
            at += 1;
        }
        let mut row = 0;
        while row < self.row_count {
            if self.rows[row].conditions & !shared == 0 {
                return;
            }
            row += 1;
        }
        let mut row = 0;
        while row < self.row_count {
            self.rows[row].conditions &= !shared;
            row += 1;
        }
        let (mut kept, mut at) = (0, 0);
        while at < self.member_count {
            let mut member = self.members[at];
            member.value &= !shared;
            if member.presence | member.value != 0 {
                self.members[kept] = member;
                kept += 1;
            }
            at += 1;
        }
        self.member_count = kept;
    }

    /// Returns the candidates before the next one, which has these conditions, that require one of the
    /// members in its `unless`. Leaves out those that have all of these conditions and more: their objects
    /// meet these conditions before the last required member is read, and would often be decoded twice.
    const fn covered(&self, candidates: &[Candidate], conditions: Bits) -> Bits {
        let mut covered = 0;
        let mut earlier = 0;
        while earlier < self.row_count {
            let mut names = candidates[self.row_count].unless;
            while let [name, rest @ ..] = names {
                let extends = conditions & !self.rows[earlier].conditions == 0;
                if !extends && requires(&candidates[earlier], name) {
                    covered |= 1 << earlier;
                }
                names = rest;
            }
            earlier += 1;
        }
        covered
    }

    /// Returns a member, with strings that candidates before the next one require of it, and these
    /// candidates. `covered` are left out, and those that extend the next one, as in [`covered`](Self::covered).
    const fn refusing(&self, conditions: Bits, covered: Bits) -> (Option<Refused>, Bits) {
        let mut at = 0;
        while at < self.condition_count {
            let (test, rows) = &self.conditions[at];
            let mut found = *rows & !covered & ((1 << self.row_count) - 1);
            let mut row = 0;
            while row < self.row_count {
                if conditions & !self.rows[row].conditions == 0 {
                    found &= !(1 << row);
                }
                row += 1;
            }
            if let Test::OneOf(texts) = test
                && found != 0
                && conditions >> at & 1 == 0
            {
                return (Some((self.member_of(at), *texts)), found);
            }
            at += 1;
        }
        (None, 0)
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

    /// Makes the next candidate the owner of members.
    const fn set_owner(&mut self, mut names: &[&str]) {
        while let [name, rest @ ..] = names {
            let mut at = 0;
            while at < self.member_count {
                if same(self.members[at].name, name) {
                    self.members[at].owner |= 1 << self.row_count;
                }
                at += 1;
            }
            names = rest;
        }
    }

    /// Adds the conditions of the next candidate. Returns `None` if there are too many.
    const fn add(&mut self, candidate: &Candidate) -> Option<Bits> {
        let mut conditions = 0;
        let mut required = candidate.required;
        while let [member, rest @ ..] = required {
            match self.condition(member, Test::Present) {
                Some(bit) => conditions |= bit,
                None => return None,
            }
            required = rest;
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
        let mut place = 0;
        while place < self.member_count && !same(self.members[place].name, name) {
            place += 1;
        }
        if place == MAXIMUM {
            return None;
        }
        let member = &mut self.members[place];
        if place == self.member_count {
            member.name = name;
            self.member_count += 1;
        }
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
    let mut required = candidate.required;
    while let [member, rest @ ..] = required {
        if same(member, name) {
            return true;
        }
        required = rest;
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
