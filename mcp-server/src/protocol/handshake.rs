//! The handshake of legacy clients.

use std::error::Error;
use std::sync::Arc;

use mcp_types::convert::ConvertError;
use mcp_types::peer_text::PeerText;
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::v2025_11_25::{InitializeRequestParams, InitializeResult};
use mcp_types::{RequestId, Revision};

use crate::protocol::answer::Answer;
use crate::protocol::core::Core;
use crate::protocol::error_text::invalid_params;
use crate::protocol::inbound::Inbound;
use crate::protocol::methods::INITIALIZE;
use crate::protocol::params_view::ParamsView;
use crate::protocol::session::Session;
use crate::protocol::sizes;

/// Handles `initialize`. The negotiated revision is the requested one if it has a handshake, and
/// otherwise the newest revision that has one.
pub(crate) fn initialize(
    server: &Core,
    id: &RequestId,
    params: &ParamsView<'_>,
    via: &Inbound,
) -> Result<(Arc<Session>, Answer), ErrorObject> {
    let fault = |error: &dyn Error| invalid_params(INITIALIZE, error);
    // Checked before decoding, because the session stores these members.
    let peer_bytes = sizes::peer(
        params.members(),
        ["clientInfo", "capabilities"],
        server.limits(),
    )
    .map_err(|error| fault(&error))?;
    let version = params.members().required::<String>("protocolVersion");
    let revision = version.map_err(|error| fault(&error))?.parse().ok();
    let revision = revision
        .filter(|revision: &Revision| !revision.is_modern())
        .unwrap_or(Revision::V2025_11_25);
    // Decoded as that revision: members that only newer revisions define are unknown members.
    let params: InitializeRequestParams = revision
        .decode(params.text())
        .map_err(|error| fault(&error))?;
    let capabilities = params.capabilities.try_into();
    let capabilities = capabilities.map_err(|error: ConvertError| fault(&error))?;
    let session = Arc::new(Session::new(
        via.session_id.clone(),
        via.extensions.principal().map(Into::into),
        revision,
        peer_bytes,
        params.client_info,
        capabilities,
    ));

    let mut capabilities = server.capabilities.clone();
    for proposal in &server.proposals {
        proposal.withdraw(&mut capabilities.experimental);
    }
    let mut result =
        InitializeResult::new(revision.as_str(), capabilities.into(), server.info.clone());
    result.instructions.clone_from(&server.instructions);
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
