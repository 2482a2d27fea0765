//! Encoding and decoding of messages for any revision: [`Revision::decode`] and
//! [`Revision::encode`].

mod table;

#[allow(unused_imports, reason = "without older revisions there are no steps")]
pub(crate) use table::{decode_form, outcome, step, versioned};

use crate::convert::{ConvertError, Origin};
use crate::error::{DecodeError, excerpt};
use crate::json::Writer;
use crate::message::{MessageInfo, Sender};
use crate::revisions::Revision;
use serde::ser::Error as _;
use serde_json::value::RawValue;
use std::fmt;
use std::str::FromStr;

/// Params or a result whose form differs between revisions.
///
/// The type is that of the newest revision that has the message.
pub trait Versioned: Sized {
    /// Decodes the form of a revision. Call it through [`Revision::decode`].
    ///
    /// # Errors
    ///
    /// Returns a [`VersionError`].
    fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError>;

    /// Encodes the form of a revision. Call it through [`Revision::encode`] or the functions of
    /// [`rpc`](crate::rpc) that take a revision.
    ///
    /// # Errors
    ///
    /// Returns a [`VersionError`]. What was written before the error stays in the output.
    fn write_at(self, revision: Revision, out: &mut Writer<'_>) -> Result<(), VersionError>;
}

/// Params that may be absent, encoded as `null`.
impl<T: Versioned> Versioned for Option<T> {
    fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
        if text == "null" {
            return Ok(None);
        }
        T::decode_at(revision, text).map(Some)
    }

    fn write_at(self, revision: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
        match self {
            Some(value) => value.write_at(revision, out),
            None => Ok(out.write(&())?),
        }
    }
}

/// The first revision without a handshake.
const FIRST_MODERN: Revision = Revision::V2026_07_28;

impl Revision {
    /// Returns the revisions that have no handshake, newest first, without the draft.
    #[must_use]
    pub fn modern() -> impl DoubleEndedIterator<Item = Self> {
        let all = Self::ALL.iter().rev().copied();
        all.filter(|revision| revision.is_modern())
    }

    /// Returns `true` if this revision has no handshake: each request says in its `_meta` which
    /// revision it follows and what the client can do. The specification calls such peers
    /// *modern*, and those that begin with `initialize` *legacy*.
    ///
    /// ```
    /// use mcp_types::Revision;
    ///
    /// assert!(Revision::V2026_07_28.is_modern());
    /// assert!(!Revision::V2025_11_25.is_modern());
    /// ```
    #[must_use]
    pub const fn is_modern(self) -> bool {
        self as u8 >= FIRST_MODERN as u8
    }

    /// Returns the request or notification with this method that `sender` may send in this
    /// revision. Returns `None` if the revision has no such message, or if the feature of the
    /// revision is disabled.
    ///
    /// A message that both sides may send is found for either of them. [`Sender::Both`] asks for a
    /// message that both sides may send: a message of only one side is not found with it.
    ///
    /// ```
    /// use mcp_types::{Revision, Sender};
    ///
    /// let call = Revision::LATEST.message("tools/call", Sender::Client).unwrap();
    /// assert_eq!(call.name, "CallToolRequest");
    /// assert!(call.result.is_some());
    /// // A server does not send this request.
    /// assert_eq!(Revision::LATEST.message("tools/call", Sender::Server), None);
    ///
    /// let cancelled = "notifications/cancelled";
    /// let message = Revision::LATEST.message(cancelled, Sender::Server).unwrap();
    /// assert_eq!((message.sender, message.result), (Sender::Both, None));
    /// ```
    #[must_use]
    pub fn message(self, method: &str, sender: Sender) -> Option<&'static MessageInfo> {
        let mut messages = self.messages().iter();
        messages.find(|message| {
            let may_send = message.sender == Sender::Both || message.sender == sender;
            message.method == method && may_send
        })
    }

    /// Returns `true` if clients or servers of this revision may send a request or notification
    /// with this method. Returns `false` if the feature of the revision is disabled.
    ///
    /// ```
    /// use mcp_types::Revision;
    ///
    /// assert!(Revision::V2025_11_25.has_method("logging/setLevel"));
    /// assert!(!Revision::V2026_07_28.has_method("logging/setLevel"));
    /// ```
    #[must_use]
    pub fn has_method(self, method: &str) -> bool {
        self.messages()
            .iter()
            .any(|message| message.method == method)
    }

    /// Decodes params or a result in the form of this revision.
    ///
    /// ```
    /// use mcp_types::{CallToolResult, Revision};
    ///
    /// let text = r#"{"content":[],"resultType":"complete"}"#;
    /// let result: CallToolResult = Revision::LATEST.decode(text)?;
    /// # Ok::<(), mcp_types::revision::VersionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// * [`VersionError::Decode`] if the text is not valid in this revision.
    /// * [`VersionError::Convert`] if the newest revision cannot represent the value.
    /// * [`VersionError::Unmapped`] if the revision has no such message or its feature is disabled.
    pub fn decode<T: Versioned>(self, text: &str) -> Result<T, VersionError> {
        let _origin = Origin::enter(self);
        T::decode_at(self, text)
    }

    /// Encodes params or a result in the form of this revision.
    ///
    /// # Errors
    ///
    /// * [`VersionError::Convert`] if the revision cannot represent the value.
    /// * [`VersionError::Encode`] if the value is not valid.
    /// * [`VersionError::Unmapped`] if the revision has no such message or its feature is disabled.
    pub fn encode<T: Versioned>(self, value: T) -> Result<Box<RawValue>, VersionError> {
        Ok(RawValue::from_string(self.encode_text(value)?)?)
    }

    /// Encodes params or a result in the form of this revision, like [`encode`](Self::encode), but
    /// returns the text without validating it again.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`encode`](Self::encode).
    pub fn encode_text<T: Versioned>(self, value: T) -> Result<String, VersionError> {
        let mut buffer = Vec::with_capacity(256);
        value.write_at(self, &mut Writer::new(&mut buffer))?;
        let text = String::from_utf8(buffer);
        Ok(text.map_err(serde_json::Error::custom)?)
    }
}

/// The reasons why a message could not be decoded or encoded for a revision.
#[derive(Debug)]
#[non_exhaustive]
pub enum VersionError {
    /// The revision has no such message, or the feature of the revision is disabled.
    Unmapped {
        /// The type.
        kind: &'static str,
        /// The revision.
        revision: Revision,
    },
    /// The text is not valid in the revision.
    Decode(DecodeError),
    /// The target revision, or one in between, cannot represent the value.
    Convert(ConvertError),
    /// The value cannot be encoded.
    Encode(serde_json::Error),
}

impl VersionError {
    pub(crate) fn unmapped(kind: &'static str, revision: Revision) -> Self {
        Self::Unmapped { kind, revision }
    }
}

impl fmt::Display for VersionError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unmapped { kind, revision } => write!(
                f,
                "revision {revision} has no type `{kind}`, or its feature is disabled"
            ),
            Self::Decode(error) => error.fmt(f),
            Self::Convert(error) => error.fmt(f),
            Self::Encode(error) => error.fmt(f),
        }
    }
}

// No source: the text contains that of the error inside.
impl std::error::Error for VersionError {}

impl From<DecodeError> for VersionError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<ConvertError> for VersionError {
    fn from(error: ConvertError) -> Self {
        Self::Convert(error)
    }
}

impl From<serde_json::Error> for VersionError {
    fn from(error: serde_json::Error) -> Self {
        Self::Encode(error)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The error for a text that is not a known revision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownRevision(String);

impl UnknownRevision {
    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UnknownRevision {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown revision `{}`", excerpt(&self.0))
    }
}

impl std::error::Error for UnknownRevision {}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, UnknownRevision> {
        Self::WITH_DRAFT
            .iter()
            .copied()
            .find(|revision| revision.as_str() == text)
            .ok_or_else(|| UnknownRevision(text.to_owned()))
    }
}
