//! [`Rule`]: which rule of a schema, or of JSON, a text breaks.

use std::fmt;

/// Defines the rules, each with the name that programs can store and compare.
macro_rules! rules {
    ($($(#[$about:meta])* $rule:ident = $name:literal;)*) => {
        /// The rule that a value breaks, for programs that count, group or suppress errors.
        ///
        /// What the rule expects at the place is [`DecodeError::expected`](super::DecodeError::expected).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$about])* $rule,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$rule),*];

            /// Returns the name of the rule, which never changes: `missing-member`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }
        }
    };
}

rules! {
    /// The text is not JSON, or is nested too deeply.
    Syntax = "syntax";
    /// The text ends before the value does.
    Eof = "eof";
    /// An object lacks a member, which is expected. The path is that of the object.
    MissingMember = "missing-member";
    /// A value has another type than the expected one.
    Type = "type";
    /// A value differs from all expected values. A constant has one expected value.
    Value = "value";
    /// A number, or the length of a string or an array, is less than the first expected number or
    /// greater than the second one.
    Bound = "bound";
    /// A number is no multiple of the expected one.
    Multiple = "multiple";
    /// A string does not match the expected regular expression.
    Pattern = "pattern";
    /// An element of an array is equal to an earlier one, whose index is expected. The path is that
    /// of the later one.
    Unique = "unique";
    /// A value is of a kind that its schema excludes.
    Excluded = "excluded";
    /// A value is no variant of the expected union.
    Variant = "variant";
    /// An object has a member twice, which is expected once. The path is that of the object.
    DuplicateMember = "duplicate-member";
    /// An object has a member that its type does not allow. The path is that of the object.
    UnknownMember = "unknown-member";
    /// A value exceeds a limit of this crate, and may be valid in the schema. A number that is
    /// expected is the limit.
    Limit = "limit";
    /// A string has half of a surrogate pair.
    Unicode = "unicode";
    /// The envelope of a message breaks a rule of JSON-RPC, such as a request with the id `null`.
    Envelope = "envelope";
    /// Any other rule, such as one of a type of the program.
    Other = "other";
}

impl Rule {
    /// Returns the rule with a name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let mut rules = Self::ALL.iter().copied();
        rules.find(|rule| rule.as_str() == name)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
