//! [`negotiate`]: detects the era of a server, and negotiates a revision.

use std::sync::Arc;

use mcp_types::connection::capability::declared;
use mcp_types::error::DecodeError;
use mcp_types::json::{self, Object};
use mcp_types::peer_text::PeerDisplay;
use mcp_types::revision::VersionError;
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::v2025_11_25::{
    ClientCapabilities, InitializeRequest, InitializeRequestParams, InitializeResult,
    InitializedNotification, SetLevelRequest, SetLevelRequestParams,
};
use mcp_types::{
    DiscoverRequest, DiscoverResult, HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY,
    Notification, Request, Revision, UNSUPPORTED_PROTOCOL_VERSION,
    UnsupportedProtocolVersionErrorData,
};

use serde::Deserialize;

use super::connection::{Connection, HeaderSource};
use super::error::{self, CallError, ConnectError};
use super::lenient;
use super::negotiated::Negotiated;
use super::params::Params;
use super::roundtrip::{CallTimeout, notify, roundtrip};

/// The newest revision that begins with a handshake.
const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

/// Negotiates a revision with the server: the pinned one, or the newest that both sides support.
pub(crate) async fn negotiate(connection: &Arc<Connection>) -> Result<(), ConnectError> {
    match connection.pinned {
        Some(revision) if revision.is_modern() => match discover(connection, revision).await {
            Ok(found) => modern(connection, revision, found),
            Err(CallError::Refused { source, .. })
                if source.code == UNSUPPORTED_PROTOCOL_VERSION =>
            {
                return Err(unsupported(connection, &offered(&source)?));
            }
            Err(error) => return Err(error.into()),
        },
        Some(revision) => {
            let agreed = initialize(connection, revision).await?;
            if agreed != revision {
                return Err(unsupported(connection, &[agreed.as_str().to_owned()]));
            }
        }
        None => {
            detect(connection).await?;
            connection
                .sender
                .remember_revision(Some(connection.revision()));
        }
    }
    set_level(connection).await?;
    Ok(())
}

async fn detect(connection: &Arc<Connection>) -> Result<(), ConnectError> {
    if connection.sender.expects_handshake() {
        match initialize(connection, NEWEST_LEGACY).await {
            Ok(_) => return Ok(()),
            // The remembered era is outdated.
            Err(_) => connection.sender.remember_revision(None),
        }
    }
    // A server can reject each revision once. One that rejects what it offers gets one more request.
    let mut candidate = Revision::LATEST;
    for _ in 0..=Revision::modern().count() {
        let offered = match discover(connection, candidate).await {
            Ok(found) if offers(&found.supported_versions, candidate) => {
                modern(connection, candidate, found);
                return Ok(());
            }
            Ok(found) => found.supported_versions,
            Err(CallError::Refused { source, .. }) if is_modern(&source) => offered(&source)?,
            Err(error @ CallError::Lost { .. }) if !may_be_legacy(&error) => {
                return Err(error.into());
            }
            // After any other error, assume an older server that does not support the method. Some
            // older server processes exit when they receive it, and are restarted.
            Err(_) => {
                connection.state.wait_reconnected().await;
                return initialize(connection, NEWEST_LEGACY).await.map(drop);
            }
        };
        candidate = best(connection, &offered)?;
        if !candidate.is_modern() {
            return initialize(connection, candidate).await.map(drop);
        }
    }
    Err(unsupported(connection, &[candidate.as_str().to_owned()]))
}

/// Returns `true` if a server supports no revision that this client prefers to the candidate.
fn offers(theirs: &[String], candidate: Revision) -> bool {
    newest_of(theirs) == Some(candidate)
}

/// Returns the newest revision of a list that this client knows.
fn newest_of(names: &[String]) -> Option<Revision> {
    names.iter().filter_map(|name| name.parse().ok()).max()
}

fn may_be_legacy(error: &CallError) -> bool {
    matches!(error, CallError::Lost { source, .. } if source.may_be_legacy())
}

/// Sets the level of the server's log once for a session. Modern requests name the level
/// themselves.
pub(crate) async fn set_level(connection: &Arc<Connection>) -> Result<(), CallError> {
    let Some(level) = connection.log_level else {
        return Ok(());
    };
    let logs = connection
        .negotiated()
        .is_some_and(|server| declared::<Object>(&server.capabilities, "logging").is_some());
    if connection.revision().is_modern() || !logs {
        return Ok(());
    }
    let method = SetLevelRequest::METHOD;
    let params = SetLevelRequestParams::new(level);
    let time = CallTimeout::new(connection.limits.call_time);
    match roundtrip(connection, method, time, HeaderSource::default(), |_| {
        params
    })
    .await
    {
        // The server then chooses the level of its log.
        Err(error @ CallError::Refused { .. }) => {
            let error = PeerDisplay(&error);
            tracing::warn!(%error, "the server refused to set the level of its log");
            Ok(())
        }
        set => set.map(drop),
    }
}

fn refused(source: ErrorObject) -> CallError {
    let method = DiscoverRequest::METHOD;
    CallError::Refused { method, source }
}

/// Returns `true` if only modern servers answer with this error.
fn is_modern(error: &ErrorObject) -> bool {
    let codes = [
        UNSUPPORTED_PROTOCOL_VERSION,
        HEADER_MISMATCH,
        MISSING_REQUIRED_CLIENT_CAPABILITY,
    ];
    codes.contains(&error.code)
}

/// Returns the revisions that a server names when it rejects another one.
fn offered(error: &ErrorObject) -> Result<Vec<String>, ConnectError> {
    let data = error.data.clone().unwrap_or_default();
    match json::from_value::<UnsupportedProtocolVersionErrorData>(data) {
        Ok(data) => Ok(data.supported),
        Err(_) => Err(refused(error.clone()).into()),
    }
}

/// Returns the newest revision that both sides support.
fn best(connection: &Connection, theirs: &[String]) -> Result<Revision, ConnectError> {
    newest_of(theirs).ok_or_else(|| unsupported(connection, theirs))
}

/// Returns the error for a server that supports only these revisions.
fn unsupported(connection: &Connection, theirs: &[String]) -> ConnectError {
    let ours = match connection.pinned {
        Some(revision) => vec![revision],
        None => Revision::ALL.to_vec(),
    };
    ConnectError::Revision {
        ours,
        theirs: error::offered(theirs),
    }
}

/// Asks the server what it supports, by a request of a modern revision.
async fn discover(
    connection: &Arc<Connection>,
    revision: Revision,
) -> Result<DiscoverResult, CallError> {
    connection.set_candidate(revision);
    let method = DiscoverRequest::METHOD;
    let time = CallTimeout::new(connection.limits.probe_time);
    let text = roundtrip(connection, method, time, HeaderSource::default(), |_| {
        Params::new().describe(connection.request_meta())
    });
    let text = text.await?;
    let result = lenient::read(revision, method, text.get(), Revision::decode);
    result.map_err(|source| CallError::Answer { method, source })
}

fn modern(connection: &Connection, revision: Revision, found: DiscoverResult) {
    connection.set_negotiated(Negotiated {
        revision,
        info: found.meta.and_then(|meta| meta.server_info),
        capabilities: found.capabilities,
        instructions: found.instructions,
    });
}

/// The revision that a server chose in the handshake; empty if it named none.
#[derive(Deserialize)]
struct AgreedRevision {
    #[serde(default, rename = "protocolVersion")]
    agreed: String,
}

/// Returns the client's capabilities in the form that the handshake has.
fn legacy_capabilities(
    capabilities: mcp_types::ClientCapabilities,
) -> Result<ClientCapabilities, VersionError> {
    let text = NEWEST_LEGACY.encode_text(capabilities)?;
    Ok(json::from_str(&text)?)
}

/// Performs the handshake of the older revisions, and returns the revision that the server chose.
pub(crate) async fn initialize(
    connection: &Arc<Connection>,
    revision: Revision,
) -> Result<Revision, ConnectError> {
    let method = InitializeRequest::METHOD;
    let mut capabilities = connection.capabilities.clone();
    for proposal in &connection.proposals {
        proposal.withdraw(&mut capabilities.experimental);
    }
    let capabilities = legacy_capabilities(capabilities);
    let mut capabilities = capabilities.map_err(|source| CallError::Params { method, source })?;
    if connection.has_roots {
        // The program can report changes with `Client::roots_changed`.
        let roots = capabilities.roots.get_or_insert_default();
        roots.list_changed.get_or_insert(true);
    }
    let params =
        InitializeRequestParams::new(revision.as_str(), capabilities, connection.info.clone());
    let params = revision
        .encode(params)
        .map_err(|source| CallError::Params { method, source })?;
    let time = CallTimeout::new(connection.limits.call_time);
    let text = roundtrip(connection, method, time, HeaderSource::default(), |_| {
        params
    })
    .await?;

    // The form of the result depends on the revision that it names.
    let AgreedRevision { agreed } = json::from_str(text.get())?;
    let known = agreed.parse().ok();
    let Some(revision) = known.filter(|revision: &Revision| !revision.is_modern()) else {
        return Err(unsupported(connection, &[agreed]));
    };
    let result: InitializeResult = revision
        .decode(text.get())
        .map_err(|source| CallError::Answer { method, source })?;

    let capabilities = json::to_string(&result.capabilities).map_err(DecodeError::from)?;
    let capabilities = NEWEST_LEGACY
        .decode(&capabilities)
        .map_err(|source| CallError::Answer { method, source })?;

    let mut message = Vec::new();
    rpc::write_notification(
        &mut message,
        InitializedNotification::METHOD,
        None::<&Object>,
    )
    .map_err(|error| {
        let source = error.into();
        CallError::Params { method, source }
    })?;
    // Over HTTP, the headers of the next message already name the revision.
    connection.set_negotiated(Negotiated {
        revision,
        info: Some(result.server_info),
        capabilities,
        instructions: result.instructions,
    });
    notify(connection, InitializedNotification::METHOD, message).await?;
    Ok(revision)
}
