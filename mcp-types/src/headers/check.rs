//! Comparison of headers with the body of the request.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use super::name::{METHOD, NAME, PROTOCOL_VERSION};
use super::value::{HeaderValueError, decode_value, plain_value};

/// Returns the member of the params that [`NAME`] repeats: `name` for `tools/call` and
/// `prompts/get`, `uri` for `resources/read`, `taskId` for the requests of the tasks extension.
/// Returns `None` for methods that do not need the header.
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
/// `values` contains all values of the header in the request.
///
/// # Errors
///
/// Returns a [`HeaderMismatch`] unless there is exactly one value and it equals that of the body.
pub fn check_version<V, I>(values: I, version: &str) -> Result<(), HeaderMismatch>
where
    V: AsRef<[u8]>,
    I: IntoIterator<Item = V>,
{
    check_plain(PROTOCOL_VERSION, values, version)
}

/// Compares [`METHOD`] with `method` in the body. The comparison is case-sensitive.
///
/// `values` contains all values of the header in the request.
///
/// # Errors
///
/// Returns a [`HeaderMismatch`] unless there is exactly one value and it equals that of the body.
pub fn check_method<V, I>(values: I, method: &str) -> Result<(), HeaderMismatch>
where
    V: AsRef<[u8]>,
    I: IntoIterator<Item = V>,
{
    check_plain(METHOD, values, method)
}

/// Compares [`NAME`], which may be encoded, with the member given by [`name_member`].
///
/// `values` contains all values of the header in the request.
///
/// # Errors
///
/// Returns a [`HeaderMismatch`] unless there is exactly one value and it equals that of the body.
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

/// Returns the only value of a header. Several values are rejected, because an intermediary could
/// have used another one.
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

/// The error for a header that does not match the body of the request. The server responds with
/// HTTP status 400 and the error [`HEADER_MISMATCH`](crate::HEADER_MISMATCH).
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

    /// Returns the name of the header, in lower case.
    #[inline]
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }

    /// Returns the reason of the mismatch.
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

// No source: the text contains that of the reason.
impl std::error::Error for HeaderMismatch {}

/// The reasons of a [`HeaderMismatch`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchReason {
    /// The header is missing, but the body has a value.
    Missing,
    /// The header is present, but the body has no value.
    Unexpected,
    /// The header is present more than once.
    Repeated,
    /// The value of the header cannot be decoded.
    Invalid(HeaderValueError),
    /// The header differs from the body. Both values are shortened and their control characters are
    /// escaped, so that they are safe to display.
    Differs {
        /// The value in the header.
        header: String,
        /// The value in the body.
        body: String,
    },
    /// The body has a value that a header cannot represent.
    Unfit {
        /// A description of the value in the body, such as `an array` or `an integer beyond the
        /// safe range`.
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
            Self::Unexpected => f.write_str("is present, but the body has no such value"),
            Self::Repeated => f.write_str("is present more than once"),
            Self::Invalid(error) => write!(f, "has no valid value: {error}"),
            Self::Differs { header, body } => {
                write!(f, "is \"{header}\", but the body has \"{body}\"")
            }
            Self::Unfit { found } => write!(f, "cannot represent the value in the body: {found}"),
        }
    }
}

/// The maximum number of characters of a value that an error shows.
const SHOWN: usize = 32;

/// Returns the start of a text, safe for logs and responses.
#[inline]
pub(super) fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(SHOWN) {
        // Writing to a `String` does not fail.
        let _ = write!(shown, "{}", c.escape_debug());
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}
