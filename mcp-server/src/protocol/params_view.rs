//! [`ParamsView`]: what the engine looks at in params before it is known what they are, lent.

use std::borrow::Cow;

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Object};
use mcp_types::{ProgressToken, RequestMetaObject};
use serde_json::value::RawValue;

use super::raw_object::string;
use crate::protocol::raw_object::RawObject;

/// The member of `_meta` that makes a request modern.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// What a modern request says about its sender.
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Params taken apart. Nothing is checked here but that they are an object: types are checked when
/// what is asked for is decoded.
#[derive(Default)]
pub(crate) struct ParamsView<'a> {
    text: Option<&'a RawValue>,
    params: RawObject<'a>,
    /// The text of `_meta`, and its members if it is an object.
    meta: Option<&'a RawValue>,
    fields: RawObject<'a>,
    version: Option<&'a RawValue>,
}

impl<'a> ParamsView<'a> {
    /// Reads the head of params.
    pub(crate) fn read(text: Option<&'a RawValue>) -> Result<Self, DecodeError> {
        let params = text.map(RawObject::read).transpose()?.unwrap_or_default();
        let meta = params.raw("_meta")?;
        let object = meta.filter(|meta| meta.get().starts_with('{'));
        let fields = object.map(|meta| RawObject::read_in("_meta", meta));
        let fields = fields.transpose()?.unwrap_or_default();
        Ok(Self {
            text,
            params,
            meta,
            version: fields.raw(PROTOCOL_VERSION)?,
            fields,
        })
    }

    /// The text of the params.
    pub(crate) fn text(&self) -> &'a str {
        self.text.map_or("{}", RawValue::get)
    }

    /// The members of the params.
    pub(crate) fn params(&self) -> &RawObject<'a> {
        &self.params
    }

    /// The revision that the request itself declares. What is no string counts, too: it is a
    /// modern request with a fault.
    pub(crate) fn version(&self) -> Option<Cow<'a, str>> {
        self.version
            .map(|raw| string(raw).unwrap_or(Cow::Borrowed(raw.get())))
    }

    /// The members of `_meta`.
    pub(crate) fn meta(&self) -> &RawObject<'a> {
        &self.fields
    }

    /// Bytes of the text of `_meta`.
    pub(crate) fn meta_bytes(&self) -> usize {
        self.meta.map_or(0, |meta| meta.get().len())
    }

    /// Lists the members that `_meta` of a modern request must have and that are missing. Empty if
    /// none is missing.
    pub(crate) fn missing_meta(&self) -> String {
        let required = [PROTOCOL_VERSION, CLIENT_CAPABILITIES];
        let is_missing = |name: &&str| matches!(self.fields.raw(name), Ok(None));
        let missing = required.into_iter().filter(is_missing);
        let missing: Vec<_> = missing.map(|name| format!("`_meta.{name}`")).collect();
        missing.join(" and ")
    }

    /// Decodes `_meta` of a modern request. Members that the schema does not name are not decoded,
    /// because nothing reads them.
    pub(crate) fn modern_meta(&self) -> Result<RequestMetaObject, DecodeError> {
        self.check_meta()?;
        let meta = &self.fields;
        meta.check_unique()?;
        let version: String = meta.required(PROTOCOL_VERSION)?;
        let mut known = RequestMetaObject::new(version, meta.required(CLIENT_CAPABILITIES)?);
        known.client_info = meta.optional(CLIENT_INFO)?;
        known.log_level = meta.optional(LOG_LEVEL)?;
        known.progress_token = self.progress_token()?;
        Ok(known)
    }

    /// Checks that `_meta` is an object, which is all that the revisions with a handshake ask of
    /// it.
    pub(crate) fn check_meta(&self) -> Result<(), DecodeError> {
        match self.meta.map(RawValue::get) {
            Some(meta) if !meta.starts_with('{') => json::from_str::<Object>(meta)
                .map(drop)
                .map_err(|error| error.inside_member("_meta")),
            _ => Ok(()),
        }
    }

    /// The token that progress is to be reported with.
    pub(crate) fn progress_token(&self) -> Result<Option<ProgressToken>, DecodeError> {
        self.fields.optional("progressToken")
    }

    pub(crate) fn trace_parent(&self) -> Option<Cow<'a, str>> {
        self.fields.text("traceparent")
    }
}
