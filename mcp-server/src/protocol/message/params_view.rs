//! [`ParamsView`]: the members of params that dispatch reads before the params are decoded.

use std::borrow::Cow;

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Object};
use mcp_types::meta::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION};
use mcp_types::{LoggingLevel, ProgressToken, RequestMetaObject, Revision};
use serde_json::value::RawValue;

use crate::protocol::message::raw_object::{RawObject, string};

/// A borrowed view of params and their `_meta`. Only checks that the params are an object. The
/// types of members are checked when they are decoded.
#[derive(Default)]
pub(crate) struct ParamsView<'a> {
    text: Option<&'a RawValue>,
    /// The members at the top level.
    pub(crate) members: RawObject<'a>,
    /// The text of `_meta`, and its members if it is an object.
    meta_text: Option<&'a RawValue>,
    pub(crate) meta: RawObject<'a>,
    /// The revision that `_meta` declares, by its name.
    version: Option<Cow<'a, str>>,
    /// The same, if it is a known revision without a handshake.
    pub(crate) modern: Option<Revision>,
}

impl<'a> ParamsView<'a> {
    /// Parses the top level of the params and of `_meta`.
    pub(crate) fn read(text: Option<&'a RawValue>) -> Result<Self, DecodeError> {
        let members = text.map(RawObject::read).transpose()?.unwrap_or_default();
        let meta_text = members.raw("_meta")?;
        let object = meta_text.filter(|meta| meta.get().starts_with('{'));
        let meta = object.map(|meta| RawObject::read_in("_meta", meta));
        let meta = meta.transpose()?.unwrap_or_default();
        let version = meta.raw(PROTOCOL_VERSION)?;
        let version = version.map(|raw| string(raw).unwrap_or(Cow::Borrowed(raw.get())));
        let modern = version.as_deref();
        let modern = modern.and_then(|name| modern_revision(name.as_bytes()));
        Ok(Self {
            text,
            members,
            meta_text,
            meta,
            version,
            modern,
        })
    }

    /// Returns the JSON text of the params.
    pub(crate) fn text(&self) -> &'a str {
        self.text.map_or("{}", RawValue::get)
    }

    /// Returns the revision that the request declares in `_meta`. For a value that is not a string,
    /// returns its JSON text: it is a malformed modern request.
    pub(crate) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the size of the JSON text of `_meta` in bytes.
    pub(crate) fn meta_bytes(&self) -> usize {
        self.meta_text.map_or(0, |meta| meta.get().len())
    }

    /// Lists the members that `_meta` of a modern request must have and that are missing. Empty if
    /// none is missing.
    pub(crate) fn missing_meta(&self) -> String {
        let required = [PROTOCOL_VERSION, CLIENT_CAPABILITIES];
        let is_missing = |name: &&str| matches!(self.meta.raw(name), Ok(None));
        let missing = required.into_iter().filter(is_missing);
        let missing: Vec<_> = missing.map(|name| format!("`_meta.{name}`")).collect();
        missing.join(" and ")
    }

    /// Decodes `_meta` of a modern request. Members that the schema does not name are not decoded,
    /// because nothing reads them.
    pub(crate) fn modern_meta(&self) -> Result<RequestMetaObject, DecodeError> {
        self.check_meta()?;
        let meta = &self.meta;
        meta.check_unique()?;
        let version: String = meta.required(PROTOCOL_VERSION)?;
        let mut known = RequestMetaObject::new(version, meta.required(CLIENT_CAPABILITIES)?);
        known.client_info = meta.optional(CLIENT_INFO)?;
        known.progress_token = self.progress_token()?;
        Ok(known)
    }

    /// Checks that `_meta` is an object. Revisions with a handshake require nothing else.
    pub(crate) fn check_meta(&self) -> Result<(), DecodeError> {
        match self.meta_text.map(RawValue::get) {
            Some(meta) if !meta.starts_with('{') => json::from_str::<Object>(meta)
                .map(drop)
                .map_err(|error| error.inside_member("_meta")),
            _ => Ok(()),
        }
    }

    /// Returns the minimum level of the log messages that a modern client wants. Not decoded with
    /// the other members of `_meta`: the newest revision may not have it.
    pub(crate) fn log_level(&self) -> Result<Option<LoggingLevel>, DecodeError> {
        self.meta.optional(LOG_LEVEL)
    }

    /// Returns the token for progress notifications.
    pub(crate) fn progress_token(&self) -> Result<Option<ProgressToken>, DecodeError> {
        self.meta.optional("progressToken")
    }

    pub(crate) fn trace_parent(&self) -> Option<Cow<'a, str>> {
        self.meta.text("traceparent")
    }
}

/// Returns the modern revision, or the draft, that has a name.
pub(crate) fn modern_revision(name: &[u8]) -> Option<Revision> {
    let mut modern = Revision::WITH_DRAFT.iter().rev().copied();
    modern.find(|revision| revision.is_modern() && revision.as_str().as_bytes() == name)
}
