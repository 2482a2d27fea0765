//! What can go wrong in decoding, and where: [`DecodeError`] and the [`Path`] of its fault.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Expected, Unexpected};

mod path;

pub use path::{Path, Segment};

/// What kind of fault a [`DecodeError`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is no JSON. Line and column count from one.
    Syntax {
        /// The line of the fault.
        line: usize,
        /// The column of the fault, in bytes.
        column: usize,
    },
    /// The text ends before the value does. Line and column count from one.
    Eof {
        /// The last line.
        line: usize,
        /// The last column, in bytes.
        column: usize,
    },
    /// The JSON is well-formed, but not what the type asks for.
    Data,
}

/// A value that could not be decoded: why, and for data errors at which [`Path`].
///
/// The text form is `message (at $.path)`. Since another deserializer's `Error::custom` keeps
/// nothing but that text, [`DecodeError`]'s own `custom` reads the path back from it: an error can
/// pass through any number of deserializers and still know its place.
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError {
    // Boxed, so that `Result<T, DecodeError>` stays as small as `T` on the way that works.
    inner: Box<Inner>,
}

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    path: Path,
    message: String,
}

impl DecodeError {
    /// A data error at the root, to be placed by [`inside_member`](Self::inside_member) and
    /// [`inside_index`](Self::inside_index) on its way up.
    ///
    /// The message is taken as it is, also where it ends in what looks like a path.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, Path::root(), message.into())
    }

    /// An error of any kind at any place.
    #[must_use]
    pub fn new(kind: ErrorKind, path: Path, message: String) -> Self {
        Self {
            inner: Box::new(Inner {
                kind,
                path,
                message,
            }),
        }
    }

    /// Whether the text, its end or the data is at fault.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// Where the fault is; the root for faults of the text.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The same fault, seen from the object that has it in `member`.
    #[must_use]
    pub fn inside_member<'a>(mut self, member: impl Into<Cow<'a, str>>) -> Self {
        self.inner
            .path
            .prepend(Segment::Member(member.into().into_owned()));
        self
    }

    /// The same fault, seen from the array that has it in its element `index`.
    #[must_use]
    pub fn inside_index(mut self, index: usize) -> Self {
        self.inner.path.prepend(Segment::Index(index));
        self
    }

    /// The same fault at another place.
    #[must_use]
    pub fn with_path(mut self, path: Path) -> Self {
        self.inner.path = path;
        self
    }

    /// The error that a text reports which is `message`, or `message (at path)`.
    fn from_text(mut text: String) -> Self {
        let path = match Path::take_suffix(&text) {
            Some((length, path)) => {
                text.truncate(length);
                path
            }
            None => Path::root(),
        };
        Self::new(ErrorKind::Data, path, text)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        match self.inner.kind {
            ErrorKind::Syntax { line, column } | ErrorKind::Eof { line, column } => {
                write!(f, " at line {line} column {column}")
            }
            ErrorKind::Data => self.inner.path.write_suffix(f),
        }
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeError")
            .field("kind", &self.inner.kind)
            .field("path", &format_args!("{}", self.inner.path))
            .field("message", &self.inner.message)
            .finish()
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::from_text(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            // What Rust calls a unit is `null` to those who read the message.
            Unexpected::Unit => Self::from_text(format!("invalid type: null, expected {expected}")),
            _ => Self::from_text(format!("invalid type: {found}, expected {expected}")),
        }
    }
}

impl serde::ser::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::from_text(message.to_string())
    }
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let mut text = error.to_string();
        // serde_json writes the position behind the message; we keep the two apart.
        if line != 0 {
            let position = format!(" at line {line} column {column}");
            if let Some(message) = text.strip_suffix(&position) {
                text.truncate(message.len());
            }
        }
        match error.classify() {
            serde_json::error::Category::Data | serde_json::error::Category::Io => {
                Self::from_text(text)
            }
            serde_json::error::Category::Syntax => {
                Self::new(ErrorKind::Syntax { line, column }, Path::root(), text)
            }
            serde_json::error::Category::Eof => {
                Self::new(ErrorKind::Eof { line, column }, Path::root(), text)
            }
        }
    }
}
