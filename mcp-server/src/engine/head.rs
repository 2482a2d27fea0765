//! [`Head`]: the parts of params that matter before it is known what they are, lent.

use std::borrow::Cow;

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Object};
use mcp_types::rpc::ErrorObject;
use mcp_types::{LoggingLevel, RequestMetaObject, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The member of `_meta` that makes a request modern.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// What the engine looks at in params. Nothing is checked here but that it is JSON: types are
/// checked when the params are decoded as what their method takes.
#[derive(Default, Deserialize)]
pub(crate) struct Head<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
    #[cfg(feature = "seal")]
    #[serde(borrow, default, rename = "inputResponses")]
    pub(crate) input_responses: Option<&'a RawValue>,
    #[cfg(feature = "seal")]
    #[serde(borrow, default, rename = "requestState")]
    pub(crate) request_state: Option<&'a RawValue>,
    #[serde(skip)]
    fields: Meta<'a>,
    #[serde(skip)]
    params: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientInfo")]
    client_info: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
    #[serde(borrow, default)]
    traceparent: Option<&'a RawValue>,
}

impl<'a> Head<'a> {
    /// Reads the head of params.
    pub(crate) fn read(params: Option<&'a RawValue>) -> Result<Self, serde_json::Error> {
        let Some(params) = params else {
            return Ok(Self::default());
        };
        let mut head: Self = serde_json::from_str(params.get())?;
        head.params = Some(params);
        if let Some(meta) = head.meta
            && meta.get().starts_with('{')
        {
            head.fields = serde_json::from_str(meta.get())?;
        }
        Ok(head)
    }

    /// All of the params.
    pub(crate) fn params(&self) -> &'a str {
        self.params.map_or("{}", RawValue::get)
    }

    /// Checks `_meta`, for those who decode the params without it.
    pub(crate) fn check_meta(&self, revision: Revision) -> Result<(), DecodeError> {
        let Some(meta) = self.meta.map(RawValue::get) else {
            return Ok(());
        };
        let checked = if revision == Revision::LATEST {
            json::from_str::<RequestMetaObject>(meta).map(drop)
        } else if meta.starts_with('{') {
            Ok(())
        } else {
            json::from_str::<Object>(meta).map(drop)
        };
        checked.map_err(|error| error.inside_member("_meta"))
    }

    /// The revision that the request itself declares. What is no string counts, too: it is a
    /// modern request with a fault.
    pub(crate) fn version(&self) -> Option<Cow<'a, str>> {
        self.fields
            .version
            .map(|raw| string(raw).unwrap_or(Cow::Borrowed(raw.get())))
    }

    pub(crate) fn capabilities(&self) -> Option<&'a str> {
        self.fields.capabilities.map(RawValue::get)
    }

    pub(crate) fn client_info(&self) -> Option<&'a str> {
        self.fields.client_info.map(RawValue::get)
    }

    pub(crate) fn progress_token(&self) -> Option<&'a RawValue> {
        self.fields.progress_token.filter(|raw| raw.get() != "null")
    }

    pub(crate) fn trace_parent(&self) -> Option<Cow<'a, str>> {
        self.fields.traceparent.and_then(string)
    }

    /// The member `name`, where it is a string.
    pub(crate) fn name(&self) -> Option<Cow<'a, str>> {
        self.name.and_then(string)
    }

    /// The member `uri`, where it is a string.
    pub(crate) fn uri(&self) -> Option<Cow<'a, str>> {
        self.uri.and_then(string)
    }

    /// The level of log messages that the request asks for.
    pub(crate) fn log_level(&self) -> Result<Option<LoggingLevel>, ErrorObject> {
        self.fields
            .log_level
            .filter(|raw| raw.get() != "null")
            .map(|raw| json::from_str(raw.get()))
            .transpose()
            .map_err(|error| {
                let place = "`_meta.io.modelcontextprotocol/logLevel`";
                ErrorObject::invalid_params(format!("{place}: {error}"))
            })
    }
}

/// The text of a JSON string, lent where it has no escapes.
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str::<Text<'_>>(raw.get())
        .ok()
        .map(|text| text.0)
}
