//! What validating against a JSON Schema of somebody else may cost: found out before anything is
//! validated, so that neither a schema nor a value can keep a thread busy for long.
//!
//! Shared by `mcp-server` and `mcp-client`; not meant for programs. It knows JSON only, and does
//! not validate: both sides use a library for that.
//!
//! A schema whose size explodes when its references are written out is refused as a whole by
//! [`of`]. What is left costs at most the product of the schema's size and the value's, which
//! [`Cost::admits`] bounds for each value. A schema that refers to itself is validated in bounded
//! time as long as the validator remembers what it has found out about a part of the value, as the
//! library does for the answer "valid or not". It does not do so when it collects the faults, so
//! that [`Cost::explains`] has a bound of its own.

mod count;
mod extent;

use std::error::Error;
use std::fmt;

pub use count::of;
pub use extent::Extent;

/// Levels that a schema may nest.
const DEPTH: usize = 64;
/// Levels that it may nest with all references written out.
const HEIGHT: usize = 256;
/// Parts that a schema may have with all references written out.
const PARTS: usize = 100_000;
/// Steps of validation: parts of a schema times parts of a value, and the like.
const WORK: usize = 1 << 28;
/// The same for collecting faults, which allocates for each of them.
const FAULTS: usize = 1 << 18;
/// Levels of a schema that refers to itself times levels of the value: the validator calls itself
/// as often.
const STACK: usize = 4_096;
/// A schema of so few parts costs so little that no value needs to be measured.
const SMALL: usize = 64;

/// How often matching a text with a pattern may go back and try another way, for patterns that
/// cannot be matched otherwise.
pub const BACKTRACKING: usize = 10_000;

/// What validating against a schema costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Parts of the schema, with references written out.
    parts: usize,
    /// Those that look at the whole of a text, such as `pattern`.
    texts: usize,
    /// Patterns that are matched by trying one way after the other.
    backtracking: usize,
    /// Levels that the parts nest.
    height: usize,
    /// Whether it refers to itself.
    recursion: Option<Recursion>,
}

/// How a schema refers to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Recursion {
    /// References back to what they are in, at most, in one definition with all others written out.
    ways: usize,
    /// Definitions that are referred to in this way.
    definitions: usize,
}

impl Cost {
    /// Returns `true` if values can be validated without measuring them before.
    #[must_use]
    pub fn is_small(&self) -> bool {
        let levels = self.height.saturating_mul(128);
        self.parts <= SMALL
            && self.backtracking == 0
            && (self.recursion.is_none() || levels <= STACK)
    }

    /// Returns `true` if validating a value of this extent ends in bounded time.
    #[must_use]
    pub fn admits(&self, value: &Extent) -> bool {
        let parts = self.parts.saturating_mul(value.values);
        let texts = self.texts.saturating_mul(value.bytes);
        let patterns = self.backtracking.saturating_mul(value.values);
        let work = parts
            .saturating_add(texts)
            .saturating_add(patterns.saturating_mul(BACKTRACKING));
        let levels = self.height.saturating_mul(value.depth);
        work <= WORK && (self.recursion.is_none() || levels <= STACK)
    }

    /// Returns `true` if collecting the faults of an [admitted](Self::admits) value ends in
    /// bounded time and space. The validator then takes every way through a schema that refers to
    /// itself, and there may be many more of them than parts of the value.
    #[must_use]
    pub fn explains(&self, value: &Extent) -> bool {
        let ways = self.recursion.map_or(1, |recursion| {
            let steps = value.depth.saturating_mul(recursion.definitions);
            let steps = u32::try_from(steps).unwrap_or(u32::MAX);
            recursion.ways.max(1).saturating_pow(steps)
        });
        let parts = self.parts.saturating_mul(value.values);
        parts.saturating_mul(ways) <= FAULTS
    }
}

/// Why a schema is not validated against.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CostError {
    /// Validation could take too long. The schema may have been made for that.
    Costly(&'static str),
    /// Its cost cannot be found out; this says why.
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
