//! [`Parts`]: recovers the message, the path and the rule of an error that is only known as `impl Display`.
//!
//! `serde` passes errors as `impl Display`, and a [`DecodeError`](super::DecodeError) that is
//! passed in this way must keep its path. The path must not be parsed from the displayed text,
//! which contains text of the peer. So [`Parts`] formats the error with the flag `-`, which other
//! types ignore. A `DecodeError` that sees the flag writes its parts one by one, each after a
//! marker that is recognized by its address. No text of a peer can have the address of a marker.

use std::fmt::{self, Write};

use super::excerpt::Bounded;
use super::path::{Path, Segment};
use super::rule::Rule;
use std::borrow::Cow;

static MESSAGE: &str = "mcp-types: a message follows";
static MEMBER: &str = "mcp-types: the name of a member follows";
static INDEX: &str = "mcp-types: the index of an element follows";
static RULE: &str = "mcp-types: the name of a rule follows";
static EXPECTED: &str = "mcp-types: what is expected follows";

/// The parts of an error.
pub(super) struct Parts {
    pub(super) message: Bounded,
    pub(super) path: Path,
    pub(super) rule: Rule,
    pub(super) expected: Vec<Cow<'static, str>>,
    next: Part,
}

/// The meaning of the next text.
#[derive(Clone, Copy, Default)]
enum Part {
    #[default]
    Message,
    Member,
    Index,
    Rule,
    Expected,
}

impl Parts {
    /// Splits an error into its parts. All text is the message, unless a `DecodeError` writes it.
    pub(super) fn of(error: &dyn fmt::Display) -> Self {
        let mut parts = Self {
            message: Bounded::default(),
            path: Path::root(),
            rule: Rule::Other,
            expected: Vec::new(),
            next: Part::Message,
        };
        // Fails only if the `Display` of another crate fails; what was written before is kept.
        let _ = write!(parts, "{error:-}");
        parts
    }

    /// Returns `true` if the parts are to be written one by one.
    pub(super) fn are_wanted(f: &fmt::Formatter<'_>) -> bool {
        f.sign_minus()
    }

    /// Writes the parts of an error, to be read by [`of`](Self::of).
    pub(super) fn write(
        f: &mut fmt::Formatter<'_>,
        rule: Rule,
        expected: &[Cow<'static, str>],
        message: &str,
        path: &Path,
    ) -> fmt::Result {
        f.write_str(MESSAGE)?;
        f.write_str(message)?;
        f.write_str(RULE)?;
        f.write_str(rule.as_str())?;
        for expected in expected {
            f.write_str(EXPECTED)?;
            f.write_str(expected)?;
        }
        for segment in path.segments() {
            match segment {
                Segment::Member(name) => {
                    f.write_str(MEMBER)?;
                    f.write_str(name)?;
                }
                Segment::Index(index) => {
                    f.write_str(INDEX)?;
                    f.write_str(&index.to_string())?;
                }
            }
        }
        Ok(())
    }
}

impl Write for Parts {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Compares addresses; the text is never read.
        for (marker, part) in [
            (MESSAGE, Part::Message),
            (MEMBER, Part::Member),
            (INDEX, Part::Index),
            (RULE, Part::Rule),
            (EXPECTED, Part::Expected),
        ] {
            if std::ptr::eq(text, marker) {
                self.next = part;
                return Ok(());
            }
        }
        match std::mem::take(&mut self.next) {
            Part::Message => self.message.write_str(text)?,
            Part::Member => self.path.push(Segment::Member(text.to_owned())),
            Part::Rule => self.rule = Rule::find(text).unwrap_or(Rule::Other),
            Part::Expected => self.expected.push(text.to_owned().into()),
            Part::Index => self
                .path
                .push(Segment::Index(text.parse().unwrap_or_default())),
        }
        Ok(())
    }
}
