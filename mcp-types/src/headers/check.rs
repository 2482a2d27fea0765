//! Comparing headers with the body of the request.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use super::value::{HeaderValueError, decode_value, plain_value};
use super::{METHOD, NAME, PROTOCOL_VERSION};

/// The member of the parameters that [`NAME`] repeats: `name` of `tools/call` and `prompts/get`,
/// `uri` of `resources/read`, `taskId` of the requests of the tasks extension; `None` for methods
/// that need no such header.
#[inline]
#[must_use]
pub fn name_member(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

/// Compares [`PROTOCOL_VERSION`] with `io.modelcontextprotocol/protocolVersion` in the body.
///
/// `values` are all values that the request has for the header.
///
/// # Errors
///
/// [`HeaderMismatch`] unless there is one value, and it is the body's.
pub fn check_version<V, I>(values: I, version: &str) -> Result<(), HeaderMismatch>
where
    V: AsRef<[u8]>,
    I: IntoIterator<Item = V>,
{
    check_plain(PROTOCOL_VERSION, values, version)
}

/// Compares [`METHOD`] with `method` in the body; upper and lower case differ.
///
/// `values` are all values that the request has for the header.
///
/// # Errors
///
/// [`HeaderMismatch`] unless there is one value, and it is the body's.
pub fn check_method<V, I>(values: I, method: &str) -> Result<(), HeaderMismatch>
where
    V: AsRef<[u8]>,
    I: IntoIterator<Item = V>,
{
    check_plain(METHOD, values, method)
}

/// Compares [`NAME`], perhaps encoded, with the member that [`name_member`] says.
///
/// `values` are all values that the request has for the header.
///
/// # Errors
///
/// [`HeaderMismatch`] unless there is one value, and it is the body's.
pub fn check_name<V, I>(values: I, name: &str) -> Result<(), HeaderMismatch>
where
    V: AsRef<[u8]>,
    I: IntoIterator<Item = V>,
{
    let fail = |reason| HeaderMismatch::new(NAME, reason);
    let value = single(NAME, values)?.ok_or_else(|| fail(MismatchReason::Missing))?;
    let value = decode_value(value.as_ref()).map_err(|error| fail(error.into()))?;
    same(NAME, &value, name)
}

fn check_plain<V, I>(header: &'static str, values: I, body: &str) -> Result<(), HeaderMismatch>
where
    V: AsRef<[u8]>,
    I: IntoIterator<Item = V>,
{
    let fail = |reason| HeaderMismatch::new(header, reason);
    let value = single(header, values)?.ok_or_else(|| fail(MismatchReason::Missing))?;
    let value = plain_value(value.as_ref()).map_err(|error| fail(error.into()))?;
    same(header, value, body)
}

#[inline]
fn same(header: &'static str, value: &str, body: &str) -> Result<(), HeaderMismatch> {
    if value == body {
        return Ok(());
    }
    Err(HeaderMismatch::new(
        header,
        MismatchReason::differs(value, body),
    ))
}

/// The one value of a header: of two, another reader could have taken the other.
pub(super) fn single<V, I>(
    header: impl Into<Cow<'static, str>>,
    values: I,
) -> Result<Option<V>, HeaderMismatch>
where
    I: IntoIterator<Item = V>,
{
    let mut values = values.into_iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(HeaderMismatch::new(header, MismatchReason::Repeated));
    }
    Ok(value)
}

/// A header that is not what the body of the request asks for, to be answered with HTTP status 400
/// and the error [`HEADER_MISMATCH`](crate::HEADER_MISMATCH).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderMismatch {
    header: Cow<'static, str>,
    reason: MismatchReason,
}

impl HeaderMismatch {
    pub(super) fn new(header: impl Into<Cow<'static, str>>, reason: MismatchReason) -> Self {
        Self {
            header: header.into(),
            reason,
        }
    }

    /// The name of the header, in lower case.
    #[inline]
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }

    /// What is wrong with it.
    #[inline]
    #[must_use]
    pub fn reason(&self) -> &MismatchReason {
        &self.reason
    }
}

impl fmt::Display for HeaderMismatch {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "header mismatch: {} {}", self.header, self.reason)
    }
}

impl std::error::Error for HeaderMismatch {
    #[inline]
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            MismatchReason::Invalid(error) => Some(error),
            _ => None,
        }
    }
}

/// What is wrong with a header.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchReason {
    /// It is not there, and the body has a value.
    Missing,
    /// It is there, and the body has no value.
    Unexpected,
    /// It is there more than once.
    Repeated,
    /// Its value stands for no text.
    Invalid(HeaderValueError),
    /// It says something else than the body. Both are made fit to be shown: cut short, control
    /// characters escaped.
    Differs {
        /// What the header says.
        header: String,
        /// What the body says.
        body: String,
    },
    /// The body has a value that no header can say.
    Unfit {
        /// What it is: `array`, `object`, `number`, or an integer beyond the safe range.
        found: &'static str,
    },
}

impl MismatchReason {
    #[inline]
    pub(super) fn differs(header: &str, body: &str) -> Self {
        Self::Differs {
            header: excerpt(header),
            body: excerpt(body),
        }
    }
}

impl From<HeaderValueError> for MismatchReason {
    #[inline]
    fn from(error: HeaderValueError) -> Self {
        Self::Invalid(error)
    }
}

impl fmt::Display for MismatchReason {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("is missing"),
            Self::Unexpected => f.write_str("is there, but the body has no such value"),
            Self::Repeated => f.write_str("is there more than once"),
            Self::Invalid(error) => write!(f, "has no valid value: {error}"),
            Self::Differs { header, body } => {
                write!(f, "says \"{header}\", the body says \"{body}\"")
            }
            Self::Unfit { found } => write!(f, "cannot say what the body has: {found}"),
        }
    }
}

/// How many characters of a value an error shows.
const SHOWN: usize = 32;

/// The beginning of a text, fit for logs and answers.
#[inline]
pub(super) fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(SHOWN) {
        // Writing to a string does not fail.
        let _ = write!(shown, "{}", c.escape_debug());
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}
