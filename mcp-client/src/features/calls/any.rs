//! [`send_any`]: requests of any method.

use std::sync::Arc;

use mcp_types::Revision;
use mcp_types::headers::name_member;
use mcp_types::json::{self, Object, Value, Writer};
use mcp_types::revision::{VersionError, Versioned};
use serde_json::value::RawValue;

use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::error::CallError;
use crate::protocol::params::EncodedParams;
use crate::protocol::roundtrip::{CallTimeout, roundtrip};

/// Params whose form depends on no revision.
struct AnyParams(Object);

impl Versioned for AnyParams {
    fn decode_at(_: Revision, text: &str) -> Result<Self, VersionError> {
        Ok(Self(json::from_str(text)?))
    }

    fn write_at(self, _: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
        Ok(out.write(&self.0)?)
    }
}

/// Sends a request, and returns its result as the server sent it. The description of the client is
/// added to `_meta`, if the negotiated revision requires it.
pub(crate) async fn send_any(
    connection: &Arc<Connection>,
    method: &'static str,
    params: Object,
) -> Result<Box<RawValue>, CallError> {
    let revision = connection.revision();
    let failed = |source| CallError::Params { method, source };
    let name = name_member(method).and_then(|name| params.get(name));
    let name = name.and_then(Value::as_str).map(str::to_owned);
    let arguments = params.get("arguments").map(json::to_string).transpose();
    let arguments = arguments.map_err(|error| failed(error.into()))?;
    let encoded = EncodedParams::new(revision, AnyParams(params)).map_err(failed)?;
    let params = encoded.members().map_err(|error| failed(error.into()))?;
    let header_source = HeaderSource {
        revision: Some(revision),
        name: name.as_deref(),
        arguments: arguments.as_deref(),
    };
    let time = CallTimeout::new(connection.limits.call_time);
    roundtrip(
        connection,
        method,
        time,
        header_source,
        |_| match connection.request_meta.of(revision) {
            Some(client) => params.describe(client),
            None => params,
        },
    )
    .await
}
