//! [`negotiate`]: detects the era of a server, and negotiates a revision.

pub(crate) mod handshake;
mod version_choice;

use std::pin::pin;
use std::sync::Arc;

use mcp_types::json::{self, Object};
use mcp_types::peer_text::PeerDisplay;
use mcp_types::rpc::ErrorObject;
use mcp_types::v2025_11_25::SetLevelRequest;
use mcp_types::{
    DiscoverRequest, DiscoverResult, HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY, Request,
    Revision, UNSUPPORTED_PROTOCOL_VERSION, UnsupportedProtocolVersionErrorData,
};

use super::capabilities::{LOGGING, is_declared};
use super::connection::{Connection, HeaderSource, NegotiationResult};
use super::error::{self, CallError, ConnectError, DroppedMember};
use super::lenient;
use super::params::Params;
use super::roundtrip::{CallTimeout, elapsed, roundtrip};
use handshake::{NEWEST_LEGACY, initialize};
use version_choice::{Probes, Step};

/// Negotiates a revision with the server: the pinned one, or the newest that both sides support.
pub(crate) async fn negotiate(connection: &Arc<Connection>) -> Result<(), ConnectError> {
    match connection.pinned {
        Some(revision) if revision.is_modern() => match discover(connection, revision).await {
            Ok(found) => modern(connection, revision, found),
            Err(error) => {
                return Err(match refusal(&error) {
                    Some((source, offered)) if source.code == UNSUPPORTED_PROTOCOL_VERSION => {
                        unsupported(connection, &offered)
                    }
                    _ => error.into(),
                });
            }
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

/// How the search for a revision without a handshake ended.
enum Search {
    /// The server supports one, which is negotiated.
    Modern,
    /// The handshake has to begin, with this revision.
    Handshake(Revision),
    /// The handshake was begun while the client waited for the response to the probe.
    Begun(Result<Revision, ConnectError>),
}

async fn detect(connection: &Arc<Connection>) -> Result<(), ConnectError> {
    let mut remembered = connection.sender.remembered_revision();
    if remembered.is_some_and(|revision| !revision.is_modern()) {
        match initialize(connection, NEWEST_LEGACY).await {
            Ok(_) => return Ok(()),
            // The remembered era is outdated.
            Err(_) => connection.sender.remember_revision(None),
        }
        remembered = None;
    }
    let mut is_modern = false;
    loop {
        let begun = match search(connection, remembered, is_modern).await? {
            Search::Modern => return Ok(()),
            Search::Handshake(older) => initialize(connection, older).await,
            Search::Begun(begun) => begun,
        };
        match begun {
            // Only a modern server answers like this. It was not ready when the probe arrived.
            Err(ConnectError::Call(CallError::Refused { source, .. }))
                if !is_modern && source.code == UNSUPPORTED_PROTOCOL_VERSION =>
            {
                is_modern = true;
            }
            begun => return begun.map(drop),
        }
    }
}

/// Negotiates a revision without a handshake, if the server has one that the client supports.
/// `is_modern` if the server is known to have one.
async fn search(
    connection: &Arc<Connection>,
    remembered: Option<Revision>,
    mut is_modern: bool,
) -> Result<Search, ConnectError> {
    let mut probes = Probes::new(allowed(connection));
    let Some(mut revision) = probes.first(remembered) else {
        return Ok(Search::Handshake(NEWEST_LEGACY));
    };
    loop {
        let outcome = if is_modern {
            ProbeOutcome::Answered(discover(connection, revision).await)
        } else {
            probe(connection, revision).await
        };
        let (offered, answer) = match outcome {
            ProbeOutcome::Begun(begun) => return Ok(Search::Begun(begun)),
            ProbeOutcome::Answered(Ok(found)) => (found.0.supported_versions.clone(), Ok(found)),
            ProbeOutcome::Answered(Err(error)) => match refusal(&error) {
                Some((source, offered)) => (offered, Err(source.clone())),
                None if is_modern || !may_be_legacy(&error) => return Err(error.into()),
                // Some older server processes exit when they receive the request, and are
                // restarted.
                None => {
                    connection.state.wait_reconnected().await;
                    return Ok(Search::Handshake(NEWEST_LEGACY));
                }
            },
        };
        is_modern = true;
        match (probes.next(&offered, answer.is_ok()), answer) {
            (Step::Agreed, Ok(found)) => {
                modern(connection, revision, found);
                return Ok(Search::Modern);
            }
            (Step::Probe(next), _) => revision = next,
            (Step::Handshake(older), _) => return Ok(Search::Handshake(older)),
            (Step::Contradiction, Err(source)) => return Err(refused(source).into()),
            _ => return Err(unsupported(connection, &offered)),
        }
    }
}

/// What a server said about itself, and the malformed members that were left out of it.
type DiscoveredServer = (DiscoverResult, Vec<DroppedMember>);

/// What followed the first request to a server.
enum ProbeOutcome {
    Answered(Result<DiscoveredServer, CallError>),
    /// There was no result in time, and the handshake ended first.
    Begun(Result<Revision, ConnectError>),
}

/// Sends `server/discover`. If the response takes longer than
/// [`Limits::probe_time`](super::limits::Limits), begins the handshake beside it: a server of an
/// older era may ignore the request, and one that starts slowly answers it late.
async fn probe(connection: &Arc<Connection>, revision: Revision) -> ProbeOutcome {
    let mut probing = pin!(discover(connection, revision));
    let mut time = CallTimeout::new(connection.limits.probe_time);
    tokio::select! {
        biased;
        found = &mut probing => return ProbeOutcome::Answered(found),
        () = elapsed(connection, &mut time) => {}
    }
    let mut handshake = pin!(initialize(connection, NEWEST_LEGACY));
    tokio::select! {
        biased;
        found = &mut probing => match &found {
            Err(error) if !is_modern_refusal(error) => match handshake.await {
                // The process that received both requests has exited.
                Err(ConnectError::Call(CallError::Lost { .. })) => ProbeOutcome::Answered(found),
                begun => ProbeOutcome::Begun(begun),
            },
            // The server gets the handshake nevertheless. If it accepts it, a session has begun, in
            // which a server of both eras may answer as older revisions do.
            _ if !connection.sender.cancels_on_drop(connection) => {
                let mut time = CallTimeout::new(connection.limits.probe_time);
                tokio::select! {
                    begun = &mut handshake => match begun {
                        Ok(revision) => ProbeOutcome::Begun(Ok(revision)),
                        Err(_) => ProbeOutcome::Answered(found),
                    },
                    () = elapsed(connection, &mut time) => ProbeOutcome::Answered(found),
                }
            }
            _ => ProbeOutcome::Answered(found),
        },
        begun = &mut handshake => match begun {
            // A modern server that starts slowly may refuse the handshake before it answers.
            Err(ConnectError::Call(CallError::Refused { ref source, .. }))
                if source.code != UNSUPPORTED_PROTOCOL_VERSION =>
            {
                match probing.await {
                    Err(error) if !is_modern_refusal(&error) => ProbeOutcome::Begun(begun),
                    found => ProbeOutcome::Answered(found),
                }
            }
            begun => ProbeOutcome::Begun(begun),
        },
    }
}

/// Returns the error of a modern server with the revisions that it supports, if it is one.
fn refusal(error: &CallError) -> Option<(&ErrorObject, Vec<String>)> {
    let CallError::Refused { source, .. } = error else {
        return None;
    };
    let offered = offered(source).filter(|_| is_modern(source))?;
    Some((source, offered))
}

/// Returns `true` if only a modern server sends this error. A server of an older era may use the code for
/// unsupported revisions, too, but does not list the revisions that it supports.
fn is_modern_refusal(error: &CallError) -> bool {
    let CallError::Refused { source, .. } = error else {
        return false;
    };
    is_modern(source) && (source.code != UNSUPPORTED_PROTOCOL_VERSION || offered(source).is_some())
}

/// Returns `true` if a server of an older era may have caused this error of the first request.
fn may_be_legacy(error: &CallError) -> bool {
    match error {
        error if is_modern_refusal(error) => false,
        CallError::Lost { source, .. }
        | CallError::Refused {
            transport: Some(source),
            ..
        } => source.may_be_legacy(),
        CallError::Client { .. } => false,
        _ => true,
    }
}

/// Sets the level of the server's log once for a session. Without sessions, each request names the
/// level instead.
pub(crate) async fn set_level(connection: &Arc<Connection>) -> Result<(), CallError> {
    let Some(level) = connection.log_level else {
        return Ok(());
    };
    let logs = connection
        .negotiated()
        .is_some_and(|server| is_declared(&server.capabilities, LOGGING));
    if connection.revision().is_modern() || !logs {
        return Ok(());
    }
    let method = SetLevelRequest::METHOD;
    // Written by its name: the newest revision may have other levels.
    let level = json::to_value(&level).map_err(|error| CallError::Params {
        method: method.into(),
        source: error.into(),
    })?;
    let params = Object::from([("level", level)]);
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
    CallError::Refused {
        method: method.into(),
        source,
        transport: None,
    }
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

/// Returns the revisions that a server names when it rejects the one of a request.
fn offered(error: &ErrorObject) -> Option<Vec<String>> {
    let data = error.data.clone()?;
    let data = json::from_value::<UnsupportedProtocolVersionErrorData>(data).ok()?;
    Some(data.supported)
}

/// Returns the revisions that the client can use with a server.
fn allowed(connection: &Connection) -> Vec<Revision> {
    let can_describe = |revision: Revision| connection.request_meta.of(revision).is_some();
    let all = Revision::ALL.iter().copied();
    match connection.pinned {
        Some(revision) => vec![revision],
        None => all
            .filter(|&revision| !revision.is_modern() || can_describe(revision))
            .collect(),
    }
}

/// Returns the error for a server that supports only these revisions.
fn unsupported(connection: &Connection, theirs: &[String]) -> ConnectError {
    ConnectError::Revision {
        ours: allowed(connection),
        theirs: error::offered(theirs),
    }
}

async fn discover(
    connection: &Arc<Connection>,
    revision: Revision,
) -> Result<DiscoveredServer, CallError> {
    let method = DiscoverRequest::METHOD;
    let time = CallTimeout::new(connection.limits.call_time);
    let header_source = HeaderSource {
        revision: Some(revision),
        ..HeaderSource::default()
    };
    let text = roundtrip(connection, method, time, header_source, |_| {
        let params = Params::new();
        match connection.request_meta.of(revision) {
            Some(client) => params.describe(client),
            None => params,
        }
    });
    let text = text.await?;
    let result = lenient::read_reporting(revision, method, text.get(), Revision::decode);
    result.map_err(|source| CallError::Answer { method, source })
}

fn modern(connection: &Connection, revision: Revision, (found, dropped): DiscoveredServer) {
    connection.set_negotiated(NegotiationResult {
        revision,
        info: found.meta.and_then(|meta| meta.server_info),
        capabilities: found.capabilities,
        instructions: found.instructions,
        dropped,
    });
}
