//! The handshake of legacy clients.

use std::error::Error;
use std::sync::Arc;

use mcp_types::peer_text::PeerText;
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::v2025_11_25::{InitializeRequestParams, InitializeResult};
use mcp_types::{RequestId, Revision, json};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::protocol::core::Core;
use crate::protocol::dispatch::inbound::Inbound;
use crate::protocol::dispatch::sizes;
use crate::protocol::error::invalid_params;
use crate::protocol::message::Answer;
use crate::protocol::message::methods::INITIALIZE;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::session::Session;

/// The newest revision that has a handshake. Its types are those of [`InitializeResult`].
const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

/// Handles `initialize`. The negotiated revision is the requested one if it has a handshake, and
/// otherwise the newest revision that has one.
pub(crate) fn initialize(
    server: &Core,
    id: &RequestId,
    params: &ParamsView<'_>,
    inbound: &Inbound,
) -> Result<(Arc<Session>, Answer), ErrorObject> {
    let fault = |error: &dyn Error| invalid_params(INITIALIZE, error);
    // Checked before decoding, because the session stores these members.
    let peer_bytes = sizes::peer(
        &params.members,
        ["clientInfo", "capabilities"],
        &server.limits,
    )
    .map_err(|error| fault(&error))?;
    let version = params.members.required::<String>("protocolVersion");
    let revision = version.map_err(|error| fault(&error))?.parse().ok();
    let revision = revision
        .filter(|revision: &Revision| !revision.is_modern())
        .unwrap_or(NEWEST_LEGACY);
    // Validated as that revision: members that only newer revisions define are unknown members.
    let _: InitializeRequestParams = revision
        .decode(params.text())
        .map_err(|error| fault(&error))?;
    let members = &params.members;
    // Decoded from the text, because there are conversions between adjacent revisions only.
    let text_of = |name: &str| match members.raw(name) {
        Ok(text) => Ok(text.map_or("{}", RawValue::get)),
        Err(error) => Err(fault(&error)),
    };
    let capabilities = revision
        .decode(text_of("capabilities")?)
        .map_err(|error| fault(&error))?;
    let client_info = revision
        .decode(text_of("clientInfo")?)
        .map_err(|error| fault(&error))?;
    let session = Arc::new(Session::new(
        inbound.session_id.clone(),
        inbound.extensions.principal().map(Into::into),
        revision,
        peer_bytes,
        client_info,
        capabilities,
    ));

    let mut capabilities = server.about.capabilities.clone();
    for proposal in &server.about.proposals {
        proposal.withdraw(&mut capabilities.experimental);
    }
    let internal = |error: VersionError| ErrorObject::internal_error(error.to_string());
    if let Some(mut extensions) = capabilities.extensions.take() {
        extensions.retain(|identifier, _| !server.about.modern_extensions.contains(identifier));
        // The types of these revisions do not have the member, but allow others.
        let extensions = json::to_value(&extensions).map_err(|error| internal(error.into()))?;
        capabilities.extra.insert("extensions", extensions);
    }
    let capabilities = in_legacy_form(capabilities).map_err(internal)?;
    let info = in_legacy_form(server.info.clone()).map_err(internal)?;
    let mut result = InitializeResult::new(revision.as_str(), capabilities, info);
    result.instructions = server.instructions();
    let mut message = Vec::with_capacity(512);
    rpc::write_result_at(&mut message, id, result, revision, None)
        .map_err(|error| ErrorObject::internal_error(error.to_string()))?;
    tracing::info!(
        revision = revision.as_str(),
        client = %PeerText(&session.client_info.name),
        "session initialized"
    );
    let answer = Answer {
        message,
        refused: None,
    };
    Ok((session, answer))
}

/// Converts what the server says of itself to the form that the handshake has. It is written and
/// read, because there are conversions between adjacent revisions only.
fn in_legacy_form<T: Versioned, U: DeserializeOwned>(value: T) -> Result<U, VersionError> {
    Ok(json::from_str(&NEWEST_LEGACY.encode_text(value)?)?)
}
