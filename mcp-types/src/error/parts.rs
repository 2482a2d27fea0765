//! [`Parts`]: recovers the message and the path of an error that is only known as `impl Display`.
//!
//! `serde` passes errors as `impl Display`, and a [`DecodeError`](super::DecodeError) that is
//! passed in this way must keep its path. The path must not be parsed from the displayed text,
//! which contains text of the peer. So [`Parts`] formats the error with the flag `-`, which other
//! types ignore. A `DecodeError` that sees the flag writes its parts one by one, each after a
//! marker that is recognized by its address. No text of a peer can have the address of a marker.

use std::fmt::{self, Write};

use super::excerpt::Bounded;
use super::path::{Path, Segment};

static MESSAGE: &str = "mcp-types: a message follows";
static MEMBER: &str = "mcp-types: the name of a member follows";
static INDEX: &str = "mcp-types: the index of an element follows";

/// The message and the path of an error.
#[derive(Default)]
pub(crate) struct Parts {
    message: Bounded,
    path: Path,
    next: Part,
}

/// The meaning of the next text.
#[derive(Clone, Copy, Default)]
enum Part {
    #[default]
    Message,
    Member,
    Index,
}

impl Parts {
    /// Splits an error into message and path. All text is the message, unless a `DecodeError`
    /// writes it.
    pub(crate) fn of(error: &dyn fmt::Display) -> (String, Path) {
        let mut parts = Self::default();
        // Fails only if the `Display` of another crate fails; what was written before is kept.
        let _ = write!(parts, "{error:-}");
        (parts.message.into_string(), parts.path)
    }

    /// Returns `true` if the parts are to be written one by one.
    pub(super) fn are_wanted(f: &fmt::Formatter<'_>) -> bool {
        f.sign_minus()
    }

    /// Writes the parts of an error, to be read by [`of`](Self::of).
    pub(super) fn write(f: &mut fmt::Formatter<'_>, message: &str, path: &Path) -> fmt::Result {
        f.write_str(MESSAGE)?;
        f.write_str(message)?;
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
        ] {
            if std::ptr::eq(text, marker) {
                self.next = part;
                return Ok(());
            }
        }
        match std::mem::take(&mut self.next) {
            Part::Message => self.message.write_str(text)?,
            Part::Member => self.path.push(Segment::Member(text.to_owned())),
            Part::Index => self
                .path
                .push(Segment::Index(text.parse().unwrap_or_default())),
        }
        Ok(())
    }
}
