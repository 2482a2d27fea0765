//! [`initialize`]: the handshake of the older revisions.

use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Object};
use mcp_types::revision::VersionError;
use mcp_types::rpc;
use mcp_types::v2025_11_25::{
    InitializeRequest, InitializeRequestParams, InitializeResult, InitializedNotification,
};
use mcp_types::{Notification, Request, Revision};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::protocol::connection::NegotiationResult;
use crate::protocol::connection::{Connection, HeaderSource};
use crate::protocol::error;
use crate::protocol::error::{CallError, ConnectError};
use crate::protocol::lenient;
use crate::protocol::request_meta::legacy_info;
use crate::protocol::roundtrip::{CallTimeout, notify, roundtrip};

/// The newest revision that begins with a handshake. Its types are those of [`InitializeResult`].
pub(crate) const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

/// The revision that a server chose in the handshake; empty if it named none.
#[derive(Deserialize)]
struct AgreedRevision {
    #[serde(default, rename = "protocolVersion")]
    agreed: String,
}

/// Creates the params of the handshake. They are composed as text, because the types of the newest
/// revision and those of the handshake may differ.
fn initialize_params(
    connection: &Connection,
    revision: Revision,
) -> Result<InitializeRequestParams, VersionError> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Handshake {
        protocol_version: &'static str,
        capabilities: Box<RawValue>,
        client_info: Box<RawValue>,
    }
    let mut capabilities = connection.capabilities.clone();
    for proposal in &connection.proposals {
        proposal.withdraw(&mut capabilities.experimental);
    }
    if let Some(extensions) = capabilities.extensions.take() {
        // The types of these revisions do not have the member, but allow others.
        let extensions = json::to_value(&extensions)?;
        capabilities.extra.insert("extensions", extensions);
    }
    let params = json::to_string(&Handshake {
        protocol_version: revision.as_str(),
        capabilities: NEWEST_LEGACY.encode(capabilities)?,
        client_info: legacy_info(&connection.info)?,
    })?;
    let mut params: InitializeRequestParams = NEWEST_LEGACY.decode(&params)?;
    if connection.has_roots {
        // The program can report changes with `Client::roots_changed`.
        let roots = params.capabilities.roots.get_or_insert_default();
        roots.list_changed.get_or_insert(true);
    }
    Ok(params)
}

/// Performs the handshake of the older revisions, and returns the revision that the server chose.
pub(crate) async fn initialize(
    connection: &Arc<Connection>,
    revision: Revision,
) -> Result<Revision, ConnectError> {
    let method = InitializeRequest::METHOD;
    let params_error = |source| CallError::Params {
        method: method.into(),
        source,
    };
    let params = initialize_params(connection, revision).map_err(params_error)?;
    let params = revision.encode(params).map_err(params_error)?;
    let time = CallTimeout::new(connection.limits.call_time);
    let header_source = HeaderSource {
        revision: Some(revision),
        ..HeaderSource::default()
    };
    let text = roundtrip(connection, method, time, header_source, |_| params).await?;

    // The form of the result depends on the revision that it names.
    let AgreedRevision { agreed } = json::from_str(text.get())?;
    let known = agreed.parse().ok();
    let Some(revision) = known.filter(|revision: &Revision| !revision.is_modern()) else {
        let legacy = Revision::ALL
            .iter()
            .filter(|revision| !revision.is_modern());
        return Err(ConnectError::Revision {
            ours: connection
                .pinned
                .map_or_else(|| legacy.copied().collect(), |it| vec![it]),
            theirs: error::offered(&[agreed]),
        });
    };
    let read = |_, text: &str| revision.decode(text);
    let read = lenient::read_reporting(revision, method, text.get(), read);
    let (result, dropped): (InitializeResult, _) =
        read.map_err(|source| CallError::Answer { method, source })?;
    let capabilities = NEWEST_LEGACY
        .decode(&json::to_string(&result.capabilities).map_err(DecodeError::from)?)
        .map_err(|source| CallError::Answer { method, source })?;
    let info = json::to_value(&result.server_info)?;

    let mut message = Vec::new();
    rpc::write_notification(
        &mut message,
        InitializedNotification::METHOD,
        None::<&Object>,
    )
    .map_err(|error| params_error(error.into()))?;
    // Over HTTP, the headers of the next message already name the revision.
    connection.set_negotiated(NegotiationResult {
        revision,
        // Only informative: ignored if the newest revision has no form for it.
        info: json::from_value(info).ok(),
        capabilities,
        instructions: result.instructions,
        dropped,
    });
    notify(connection, InitializedNotification::METHOD, message).await?;
    Ok(revision)
}
