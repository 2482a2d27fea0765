//! Computes the cost of validating against an untrusted JSON Schema before validation starts, so
//! that neither a schema nor a value can keep a thread busy for long.
//!
//! This module does not validate: [`schema_validator`](crate::schema_validator) does, with a library.
//!
//! [`of`] rejects schemas whose size explodes when their references are expanded. Any other schema
//! costs at most the product of its size and the size of the value, and [`Cost::admits`] bounds
//! this product for each value. A recursive schema is validated in bounded time if the validator
//! caches its results for each part of the value. The library does so when the result is only
//! "valid" or "invalid", but not when it collects errors; [`Cost::explains`] has a separate bound
//! for that.

mod count;
mod extent;
mod pattern;

use std::error::Error;
use std::fmt;

pub use count::of;
pub use extent::Extent;

/// The maximum nesting of a schema.
const DEPTH: usize = 64;
/// The maximum nesting of a schema with all references expanded.
const HEIGHT: usize = 256;
/// The maximum number of parts of a schema with all references expanded.
const PARTS: usize = 100_000;
/// The maximum number of validation steps: parts of a schema times parts of a value, and similar
/// products.
const WORK: usize = 1 << 28;
/// The corresponding limit for collecting errors, which allocates memory for each of them.
const FAULTS: usize = 1 << 18;
/// The maximum number of bytes that collected errors hold: each contains the path to its value, and
/// a copy of the value.
const FAULT_BYTES: usize = 64 << 20;
/// The corresponding number of bytes that are written within about a millisecond.
const QUICK_FAULT_BYTES: usize = 1 << 20;
/// The maximum product of the nesting of a recursive schema and the nesting of the value, which is
/// the recursion depth of the validator.
const STACK: usize = 4_096;
/// A schema with at most this many parts is so cheap that values need not be measured, unless it
/// has patterns.
const SMALL: usize = 64;
/// A validation of at most so many steps takes about a millisecond.
const QUICK: usize = 1 << 19;

/// The maximum number of distinct patterns of a schema.
const PATTERNS: usize = 128;
/// The maximum number of states of all its patterns, which are compiled in about 12 ms.
const AUTOMATA: usize = 8_192;
/// The maximum number of bytes that are read to translate its patterns for the engine, which takes
/// about 30 ms.
const TRANSLATION: usize = 1 << 16;
/// The number of parts that a compiled pattern counts as: the engine caches up to 1.2 MB for it.
const PATTERN_PARTS: usize = 2_000;
/// The number of steps that the engine takes for each state and byte in the worst case, when its
/// cache of states does not help.
const SIMULATION: usize = 8;

/// The maximum size of the automaton of a pattern in bytes while it is compiled. The pattern of
/// host names that schema libraries write, with `.{1,253}`, needs more than half of it.
pub const AUTOMATON: usize = 512 << 10;
/// The maximum number of times that a pattern may backtrack, for patterns that need backtracking.
pub const BACKTRACKING: usize = 1_000;

/// The cost of validating against a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The number of parts of the schema, with references expanded.
    parts: usize,
    /// The number of parts that read a whole string, such as `format`.
    texts: usize,
    /// The number of states of patterns that are matched in linear time.
    states: usize,
    /// The number of states of patterns that need backtracking.
    backtracking: usize,
    /// The number of distinct patterns, and the number of their states.
    patterns: usize,
    automata: usize,
    /// The nesting of the parts.
    height: usize,
    /// Set if the schema is recursive.
    recursion: Option<Recursion>,
}

/// The recursion in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Recursion {
    /// The maximum number of recursive references in one definition, with all other references
    /// expanded.
    ways: usize,
    /// The number of definitions that are referred to recursively.
    definitions: usize,
}

impl Cost {
    /// Returns `true` if values can be validated without measuring them first. A schema with a
    /// pattern never is: the cost of matching is the product of the automaton and the text.
    #[must_use]
    pub fn is_small(&self) -> bool {
        let levels = self.height.saturating_mul(128);
        self.parts <= SMALL
            && self.states == 0
            && self.backtracking == 0
            && (self.recursion.is_none() || levels <= STACK)
    }

    /// Returns the number of parts of the schema with references expanded, to which the memory of
    /// the compiled schema is proportional. A pattern counts as many parts, because the engine
    /// caches what it finds out about it.
    #[must_use]
    pub fn parts(&self) -> usize {
        let patterns = self.patterns.saturating_mul(PATTERN_PARTS);
        let parts = self.parts.saturating_add(patterns);
        parts.saturating_add(self.automata / 4)
    }

    /// Returns `true` if validating a value of this extent ends in bounded time.
    #[must_use]
    pub fn admits(&self, value: &Extent) -> bool {
        let levels = self.height.saturating_mul(value.depth);
        self.work(value) <= WORK && (self.recursion.is_none() || levels <= STACK)
    }

    /// Returns `true` if a value of this extent is validated within about a millisecond, so that it
    /// does not keep a thread of an async runtime busy.
    #[must_use]
    pub fn is_quick(&self, value: &Extent) -> bool {
        self.work(value) <= QUICK && self.fault_bytes(value) <= QUICK_FAULT_BYTES
    }

    /// Returns the maximum number of steps to validate a value.
    fn work(&self, value: &Extent) -> usize {
        let parts = self.parts.saturating_mul(value.values);
        let texts = self.texts.saturating_mul(value.bytes);
        parts
            .saturating_add(texts)
            .saturating_add(self.matching(value))
    }

    /// Returns the maximum number of steps to match all patterns: states times text.
    fn matching(&self, value: &Extent) -> usize {
        let text = value.bytes.saturating_add(value.values);
        let linear = self.states.saturating_mul(SIMULATION);
        let backtracking = self.backtracking.saturating_mul(BACKTRACKING);
        linear.saturating_add(backtracking).saturating_mul(text)
    }

    /// Returns `true` if collecting the errors of an [admitted](Self::admits) value takes bounded
    /// time and space. The validator then follows every path through a recursive schema, and there
    /// may be many more paths than parts of the value.
    #[must_use]
    pub fn explains(&self, value: &Extent) -> bool {
        let ways = self.ways(value);
        let parts = self.parts.saturating_mul(value.values);
        parts.saturating_mul(ways) <= FAULTS
            && self.matching(value).saturating_mul(ways) <= WORK
            && self.fault_bytes(value) <= FAULT_BYTES
    }

    /// Returns the maximum number of paths through a recursive schema to one part of a value.
    fn ways(&self, value: &Extent) -> usize {
        self.recursion.map_or(1, |recursion| {
            let steps = value.depth.saturating_mul(recursion.definitions);
            let steps = u32::try_from(steps).unwrap_or(u32::MAX);
            recursion.ways.max(1).saturating_pow(steps)
        })
    }

    /// Returns the maximum number of bytes of all errors, if each part of the schema finds one in
    /// each part of the value.
    fn fault_bytes(&self, value: &Extent) -> usize {
        let copy = value.bytes.saturating_add(value.values.saturating_mul(32));
        let copies = value.depth.saturating_mul(copy);
        let paths = value.values.saturating_mul(value.path.saturating_add(64));
        let parts = self.parts.saturating_mul(self.ways(value));
        parts.saturating_mul(copies.saturating_add(paths))
    }
}

/// The reasons why a schema is not used for validation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CostError {
    /// Validation could take too long. The schema may be malicious.
    Costly(&'static str),
    /// The cost of the schema cannot be computed. Contains the reason.
    Unusable(String),
}

impl fmt::Display for CostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Costly(reason) => write!(f, "validation could take too long: {reason}"),
            Self::Unusable(reason) => f.write_str(reason),
        }
    }
}

impl Error for CostError {}
