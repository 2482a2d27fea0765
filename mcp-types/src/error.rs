//! Errors of decoding: [`DecodeError`], and the [`Path`] at which it occurred.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::Error as Message;
use serde::de::{self, Expected, Unexpected};

mod excerpt;
mod parts;
mod path;
mod rule;

pub use excerpt::excerpt;
pub use path::{Path, Segment};
pub use rule::Rule;

use excerpt::Bounded;
use parts::Parts;

/// The kind of a [`DecodeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not valid JSON. Line and column are counted from one.
    Syntax {
        /// The line of the error.
        line: usize,
        /// The column of the error, in bytes.
        column: usize,
    },
    /// The text ends before the value does. Line and column are counted from one.
    Eof {
        /// The last line.
        line: usize,
        /// The last column, in bytes.
        column: usize,
    },
    /// The JSON is well-formed, but not valid for the type.
    Data,
}

/// The error for a value that could not be decoded, with the [`Path`] for data errors.
///
/// It is displayed as `message (at $.path)`. The path is kept as data, and it survives the
/// deserializers of this crate, from text and from values. It is never parsed from a displayed
/// error, because that contains text of the peer. An error that passes through the deserializer of
/// another crate is reduced to a message without a path.
///
/// A message has at most about 1 KiB: the middle of a longer one is omitted. Text of the peer in
/// the message, and the names in the path, are shortened as by [`excerpt`].
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError {
    // Boxed, so that `Result<T, DecodeError>` stays as small as `T` when decoding succeeds.
    inner: Box<Inner>,
}

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    rule: Rule,
    expected: Vec<Cow<'static, str>>,
    path: Path,
    message: String,
}

impl DecodeError {
    /// Creates a data error at the root. [`inside_member`](Self::inside_member) and
    /// [`inside_index`](Self::inside_index) add the path while the error is returned.
    ///
    /// Text of a peer that the message repeats should be shortened with [`excerpt`].
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, Path::root(), message.into())
    }

    /// Creates the error for a member that an object has twice.
    #[cold]
    pub(crate) fn duplicate_member(name: &str) -> Self {
        let name = excerpt(name);
        Self::data(format!("duplicate member `{name}`"))
            .with_rule(Rule::DuplicateMember, [name.into_owned()])
    }

    /// Creates the error for an array or an object that a visitor did not read to its end.
    #[cold]
    pub(crate) fn left_over(what: &str, parts: &str) -> Self {
        let message = format!("{what} has more {parts} than expected");
        Self::data(message).with_rule(Rule::Bound, [""; 0])
    }

    /// Creates the error for a number that is no finite float.
    #[cold]
    pub(crate) fn out_of_range() -> Self {
        Self::data("number out of range").with_rule(Rule::Limit, [""; 0])
    }

    /// Creates the error for an object that is no variant with a content.
    #[cold]
    pub(crate) fn not_one_member() -> Self {
        const EXPECTED: &str = "an object with one member";
        Self::data(format!("expected {EXPECTED}")).with_rule(Rule::Type, [EXPECTED])
    }

    /// Creates an error of any kind with any path. The rule is that of the kind, and
    /// [`Rule::Other`] for data.
    #[must_use]
    pub fn new(kind: ErrorKind, path: Path, message: String) -> Self {
        Self {
            inner: Box::new(Inner {
                kind,
                rule: match kind {
                    ErrorKind::Syntax { .. } => Rule::Syntax,
                    ErrorKind::Eof { .. } => Rule::Eof,
                    ErrorKind::Data => Rule::Other,
                },
                expected: Vec::new(),
                path,
                message: Bounded::message(message),
            }),
        }
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// Returns the rule that the value breaks.
    ///
    /// ```
    /// use mcp_types::error::Rule;
    /// use mcp_types::{Tool, json};
    ///
    /// let tool = r#"{"name":"t","inputSchema":{"type":"array"}}"#;
    /// let error = json::from_str::<Tool>(tool).unwrap_err();
    /// assert_eq!(error.rule(), Rule::Value);
    /// assert_eq!(error.rule().as_str(), "value");
    /// assert_eq!(error.expected(), ["object"]);
    /// assert_eq!(error.path().to_string(), "$.inputSchema.type");
    /// ```
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.inner.rule
    }

    /// Returns what the rule expects: the name of the member, the type, the values, the bounds or
    /// the union, as [`Rule`] says. Empty if the rule expects nothing in particular.
    #[must_use]
    pub fn expected(&self) -> &[Cow<'static, str>] {
        &self.inner.expected
    }

    /// Sets the rule of an error of data, and what it expects.
    #[must_use]
    pub fn with_rule<T: Into<Cow<'static, str>>>(
        mut self,
        rule: Rule,
        expected: impl IntoIterator<Item = T>,
    ) -> Self {
        self.inner.rule = rule;
        self.inner.expected = expected.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the path of the invalid value, or the root for errors in the text.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Returns the message without the path.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// Adds the member of an object in which the error occurred to the front of the path.
    #[must_use]
    pub fn inside_member<'a>(mut self, member: impl Into<Cow<'a, str>>) -> Self {
        let name = match member.into() {
            Cow::Borrowed(name) => excerpt(name).into_owned(),
            Cow::Owned(name) => shortened(name),
        };
        self.inner.path.prepend(Segment::Member(name));
        self
    }

    /// Adds the element of an array in which the error occurred to the front of the path.
    #[must_use]
    pub fn inside_index(mut self, index: usize) -> Self {
        self.inner.path.prepend(Segment::Index(index));
        self
    }

    /// Replaces the path of the error.
    #[must_use]
    pub fn with_path(mut self, path: Path) -> Self {
        self.inner.path = path;
        self
    }
}

/// Shortens a name sent by a peer for use in a path.
pub(crate) fn shortened(name: String) -> String {
    match excerpt(&name) {
        Cow::Borrowed(_) => name,
        Cow::Owned(shown) => shown,
    }
}

/// Describes the value that was found, for a message.
fn found<'a>(found: Unexpected<'a>, shown: &'a mut Cow<'a, str>) -> Unexpected<'a> {
    match found {
        Unexpected::Str(text) => {
            *shown = excerpt(text);
            Unexpected::Str(shown)
        }
        other => other,
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.inner.kind == ErrorKind::Data && Parts::are_wanted(f) {
            let Inner {
                rule,
                expected,
                path,
                message,
                ..
            } = &*self.inner;
            return Parts::write(f, *rule, expected, message, path);
        }
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
            .field("rule", &self.inner.rule)
            .field("path", &format_args!("{}", self.inner.path))
            .field("message", &self.inner.message)
            .finish()
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let parts = Parts::of(&message);
        Self::new(ErrorKind::Data, parts.path, parts.message.into_string())
            .with_rule(parts.rule, parts.expected)
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let error = match unexpected {
            // `null` is what users know; serde calls it a unit.
            Unexpected::Unit => {
                Self::custom(format_args!("invalid type: null, expected {expected}"))
            }
            unexpected => {
                let mut shown = Cow::Borrowed("");
                let found = found(unexpected, &mut shown);
                Self::custom(format_args!("invalid type: {found}, expected {expected}"))
            }
        };
        error.with_rule(Rule::Type, [shown(expected)])
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let mut shown_value = Cow::Borrowed("");
        let found = found(unexpected, &mut shown_value);
        Self::custom(format_args!("invalid value: {found}, expected {expected}"))
            .with_rule(Rule::Value, [shown(expected)])
    }

    fn invalid_length(len: usize, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("invalid length {len}, expected {expected}"))
            .with_rule(Rule::Bound, [shown(expected)])
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        // The message is serde's.
        Self::custom(Message::unknown_variant(variant, expected))
            .with_rule(Rule::Value, expected.iter().copied())
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::custom(Message::unknown_field(field, expected))
            .with_rule(Rule::UnknownMember, [excerpt(field).into_owned()])
    }

    fn missing_field(field: &'static str) -> Self {
        Self::custom(format_args!("missing field `{field}`"))
            .with_rule(Rule::MissingMember, [field])
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::custom(format_args!("duplicate field `{field}`"))
            .with_rule(Rule::DuplicateMember, [field])
    }
}

/// Returns the text of an expectation.
fn shown(expected: &dyn Expected) -> String {
    excerpt(&expected.to_string()).into_owned()
}

impl serde::ser::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        de::Error::custom(message)
    }
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let mut text = Parts::of(&error).message.into_string();
        // serde_json appends the position to the message; it is kept separately here.
        if line != 0 {
            let position = format!(" at line {line} column {column}");
            if let Some(message) = text.strip_suffix(&position) {
                text.truncate(message.len());
            }
        }
        let kind = match error.classify() {
            serde_json::error::Category::Data | serde_json::error::Category::Io => ErrorKind::Data,
            serde_json::error::Category::Syntax => ErrorKind::Syntax { line, column },
            serde_json::error::Category::Eof => ErrorKind::Eof { line, column },
        };
        Self::new(kind, Path::root(), text)
    }
}
