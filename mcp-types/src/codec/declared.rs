//! The members that a type declares.

use super::super::error::{DecodeError, Rule, excerpt};

/// Stands for the number of a member that is not declared.
pub(super) const UNDECLARED: u16 = u16::MAX;

/// A declared member.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// The number within the type. Numbers of members whose feature is disabled are left out.
    pub at: u16,
    /// The name in JSON.
    pub name: &'static str,
    /// Whether an object without the member is valid.
    pub need: Need,
}

/// Whether an object without a member is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It is not: the member has a constant value. Missing constants are reported first.
    Constant,
    /// It is not.
    Required,
    /// It is.
    Optional,
    /// It is, and `null` is a value of the member.
    Nullable,
}

/// What each kind of member needs, by the name of the methods that read and write it.
#[allow(
    non_upper_case_globals,
    reason = "each constant has the name of a method"
)]
pub mod need {
    use super::Need::{self, Constant, Nullable, Optional, Required};

    /// A specific string.
    pub const text: Need = Constant;
    /// A specific number or boolean.
    pub const constant: Need = Constant;
    /// A value.
    pub const required: Need = Required;
    /// A value that may be absent.
    pub const optional: Need = Optional;
    /// A value that may be absent, but not `null`.
    pub const some: Need = Nullable;
    /// A value that may be absent or `null`, which differ.
    pub const nullable: Need = Nullable;
    /// A list.
    pub const list: Need = Required;
    /// A list that may be absent.
    pub const optional_list: Need = Optional;
    /// An integer within bounds.
    pub const int: Need = Required;
    /// An integer within bounds that may be absent.
    pub const optional_int: Need = Optional;
    /// An integer within bounds, or `null`.
    pub const int_or_null: Need = Required;
    /// An integer within bounds that may be absent or `null`, which differ.
    pub const nullable_int: Need = Nullable;
    /// A list of integers within bounds.
    pub const ints: Need = Required;
    /// A list of integers within bounds that may be absent.
    pub const optional_ints: Need = Optional;
    /// A number within bounds.
    pub const number: Need = Required;
    /// A number within bounds that may be absent.
    pub const optional_number: Need = Optional;
    /// A list or string with a bounded length.
    pub const sized: Need = Required;
    /// A list or string with a bounded length that may be absent.
    pub const optional_sized: Need = Optional;
    /// A list of integers with a bounded length.
    pub const sized_ints: Need = Required;
    /// A list of integers with a bounded length that may be absent.
    pub const optional_sized_ints: Need = Optional;
    /// A list of strings that some peers write as one string of words.
    pub const one_or_many: Need = Required;
    /// A list of strings that may be absent and that some peers write as one string of words.
    pub const optional_one_or_many: Need = Optional;
}

impl Declared {
    /// Describes a member.
    #[must_use]
    pub const fn new(at: u16, name: &'static str, need: Need) -> Self {
        Self { at, name, need }
    }
}

/// The members that a type declares.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name of the type in the schema, for error messages.
    pub(super) type_name: &'static str,
    /// The declared members, in the order of the schema.
    pub(super) members: &'static [Declared],
    /// Their names, in the same order.
    pub(crate) names: &'static [&'static str],
    /// One bit for each of the first members that an object must have.
    demanded: u128,
    /// Whether the type declares more members than `demanded` has bits.
    is_wide: bool,
    /// Whether `null` is no value of optional members.
    pub(super) is_exact: bool,
}

impl Table {
    /// Describes a type. Both lists have the same members, in the order of the schema.
    #[must_use]
    pub const fn new(
        type_name: &'static str,
        members: &'static [Declared],
        names: &'static [&'static str],
    ) -> Self {
        Self {
            type_name,
            members,
            names,
            demanded: demanded(members),
            is_wide: is_wide(members),
            is_exact: false,
        }
    }

    /// Makes `null` no value of optional members, instead of the same as an absent one.
    #[must_use]
    pub const fn exact(self) -> Self {
        Self {
            is_exact: true,
            ..self
        }
    }

    /// Returns `true` if an object with these members has all that it must have.
    #[inline]
    pub(super) fn is_complete(&self, seen: &Seen) -> bool {
        self.demanded & !seen.first == 0
            && (!self.is_wide || missing(self.members, seen).next().is_none())
    }
}

/// The declared members that were read, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// One bit for each of the first members. Few types have more.
    first: u128,
    /// One bit for each further member.
    others: Vec<u128>,
}

impl Seen {
    /// Adds a member. Returns `false` if it was read before.
    #[inline]
    pub(super) fn insert(&mut self, at: u16) -> bool {
        let word = match usize::from(at / BITS) {
            0 => &mut self.first,
            word => {
                if self.others.len() < word {
                    self.others.resize(word, 0);
                }
                &mut self.others[word - 1]
            }
        };
        let bit = 1 << (at % BITS);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn contains(&self, at: u16) -> bool {
        let word = match usize::from(at / BITS) {
            0 => self.first,
            word => self.others.get(word - 1).copied().unwrap_or_default(),
        };
        word >> (at % BITS) & 1 == 1
    }
}

/// The number of bits in a word.
const BITS: u16 = 128;

/// Returns `true` if a number of a member does not fit in one word.
const fn is_wide(members: &[Declared]) -> bool {
    matches!(members, [.., last] if last.at >= BITS)
}

/// Returns one bit for each of the first members that an object must have.
const fn demanded(members: &[Declared]) -> u128 {
    let mut bits = 0;
    let mut rest = members;
    while let [first, others @ ..] = rest {
        if matches!(first.need, Need::Constant | Need::Required) && first.at < BITS {
            bits |= 1 << first.at;
        }
        rest = others;
    }
    bits
}

/// Returns the missing members, constants first.
pub(super) fn missing<'a>(
    members: &'a [Declared],
    seen: &'a Seen,
) -> impl Iterator<Item = &'static str> + 'a {
    let missing = move |need: Need| {
        let members = members.iter().filter(move |member| member.need == need);
        members.filter(move |member| !seen.contains(member.at))
    };
    let missing = missing(Need::Constant).chain(missing(Need::Required));
    missing.map(|member| member.name)
}

/// Returns the error for an undeclared member of an object that allows none.
#[must_use]
pub(super) fn unknown_member(name: &str) -> DecodeError {
    let name = excerpt(name);
    DecodeError::data(format!("unknown member `{name}`"))
        .with_rule(Rule::UnknownMember, [name.into_owned()])
}
