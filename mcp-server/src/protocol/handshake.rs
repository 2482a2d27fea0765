//! The handshake of the revisions before 2026-07-28.

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

/// Answers `initialize`: the revision asked for if it is one with a handshake, else the
/// newest of those.
pub(crate) fn initialize(
    server: &Core,
    id: &RequestId,
    head: &ParamsView<'_>,
    via: &Inbound,
) -> Result<(Arc<Session>, Answer), ErrorObject> {
    let fault = |error: &dyn Error| invalid_params(INITIALIZE, error);
    // Before it is decoded: a session keeps it.
    let peer_bytes = sizes::peer(
        head.params(),
        ["clientInfo", "capabilities"],
        server.limits(),
    )
    .map_err(|error| fault(&error))?;
    let version = head.params().required::<String>("protocolVersion");
    let revision = version.map_err(|error| fault(&error))?.parse().ok();
    let revision = revision
        .filter(|&revision| revision < Revision::LATEST)
        .unwrap_or(Revision::V2025_11_25);
    // What the revision does not know is no member of its, whatever a newer one makes of the name.
    let params: InitializeRequestParams = revision
        .decode(head.text())
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
        "session begins"
    );
    let answer = Answer {
        message,
        refused: None,
    };
    Ok((session, answer))
}
