//! [`connect`]: finds out which era a server is of, and which revision to speak.

use std::sync::Arc;

use mcp_types::json::{self, Object, Value};
use mcp_types::peer_text::PeerDisplay;
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

use crate::protocol::connection::Core;
use crate::protocol::error::{self, CallError, ConnectError};
use crate::protocol::lenient;
use crate::protocol::negotiated::Era;
use crate::protocol::params::Params;
use crate::protocol::roundtrip::{Wait, exchange, notify};

/// The newest of the revisions that begin with a handshake.
const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

/// Agrees on a revision, or on the one that is given.
pub(crate) async fn connect(core: &Arc<Core>) -> Result<(), ConnectError> {
    match core.pinned {
        Some(Revision::LATEST) => modern(core, discover(core).await?),
        Some(revision) => {
            let agreed = initialize(core, revision).await?;
            if agreed != revision {
                let theirs = vec![agreed.as_str().to_owned()];
                return Err(ConnectError::Revision { theirs });
            }
        }
        None => {
            find_out(core).await?;
            core.link.found(Some(core.revision()));
        }
    }
    set_level(core).await?;
    Ok(())
}

async fn find_out(core: &Arc<Core>) -> Result<(), ConnectError> {
    if core.link.begins_with_handshake() {
        match initialize(core, NEWEST_LEGACY).await {
            Ok(_) => return Ok(()),
            // What was known of it is no longer so.
            Err(_) => core.link.found(None),
        }
    }
    let older = match discover(core).await {
        Ok(found) => match best(&found.supported_versions)? {
            Revision::LATEST => {
                modern(core, found);
                return Ok(());
            }
            older => older,
        },
        Err(CallError::Refused { source, .. }) if is_modern(&source) => {
            match best(&offered(&source)?)? {
                // Refused, and offered at the same time: once is an accident.
                Revision::LATEST => {
                    modern(core, discover(core).await?);
                    return Ok(());
                }
                older => older,
            }
        }
        Err(error @ CallError::Lost { .. }) if !may_be_legacy(&error) => return Err(error.into()),
        // Whatever else it is: servers of a time when nobody knew of the question. Some of them end
        // when they hear it, and are started again.
        Err(_) => {
            core.life.ready().await;
            NEWEST_LEGACY
        }
    };
    initialize(core, older).await.map(drop)
}

fn may_be_legacy(error: &CallError) -> bool {
    matches!(error, CallError::Lost { source, .. } if source.may_be_legacy())
}

/// Sessions are told once from which level on to log; in the newer era each request says so.
pub(crate) async fn set_level(core: &Arc<Core>) -> Result<(), CallError> {
    let Some(level) = core.log_level else {
        return Ok(());
    };
    let logs = core
        .era()
        .is_some_and(|era| era.capabilities.logging.is_some());
    if core.revision() == Revision::LATEST || !logs {
        return Ok(());
    }
    let method = SetLevelRequest::METHOD;
    let params = json::to_value(&SetLevelRequestParams::new(level));
    let params = params.map_err(|error| CallError::Params {
        method,
        source: error.into(),
    })?;
    let params = Object::from([("level", params.get("level").cloned().unwrap_or_default())]);
    let wait = Wait::new(core.limits.call_time);
    match exchange(core, method, wait, |_| params).await {
        // It then logs what it likes.
        Err(error @ CallError::Refused { .. }) => {
            let error = PeerDisplay(&error);
            tracing::warn!(%error, "the level of the log stays as it is");
            Ok(())
        }
        set => set.map(drop),
    }
}

fn refused(source: ErrorObject) -> CallError {
    let method = DiscoverRequest::METHOD;
    CallError::Refused { method, source }
}

/// Whether only a server of the newest revision says so.
fn is_modern(error: &ErrorObject) -> bool {
    let codes = [
        UNSUPPORTED_PROTOCOL_VERSION,
        HEADER_MISMATCH,
        MISSING_REQUIRED_CLIENT_CAPABILITY,
    ];
    codes.contains(&error.code)
}

/// The revisions that a server names when it refuses ours.
fn offered(error: &ErrorObject) -> Result<Vec<String>, ConnectError> {
    let data = error.data.clone().unwrap_or_default();
    match json::from_value::<UnsupportedProtocolVersionErrorData>(data) {
        Ok(data) => Ok(data.supported),
        Err(_) => Err(refused(error.clone()).into()),
    }
}

/// The newest revision that both sides speak.
fn best(theirs: &[String]) -> Result<Revision, ConnectError> {
    let known = theirs.iter().filter_map(|name| name.parse().ok());
    known.max().ok_or_else(|| ConnectError::Revision {
        theirs: error::offered(theirs),
    })
}

async fn discover(core: &Arc<Core>) -> Result<DiscoverResult, CallError> {
    let method = DiscoverRequest::METHOD;
    let wait = Wait::new(core.limits.probe_time);
    let text = exchange(core, method, wait, |_| {
        Params::new().described(core, Revision::LATEST, None)
    });
    let text = text.await?;
    let result = lenient::read(Revision::LATEST, method, text.get(), Revision::decode);
    result.map_err(|source| CallError::Answer { method, source })
}

fn modern(core: &Core, found: DiscoverResult) {
    core.agree(Era {
        revision: Revision::LATEST,
        info: found.meta.and_then(|meta| meta.server_info),
        capabilities: found.capabilities,
        instructions: found.instructions,
    });
}

/// Begins as servers of older revisions ask for it, and agrees on a revision.
pub(crate) async fn initialize(
    core: &Arc<Core>,
    revision: Revision,
) -> Result<Revision, ConnectError> {
    let method = InitializeRequest::METHOD;
    let mut capabilities = core.capabilities.clone();
    for proposal in &core.proposals {
        proposal.withdraw(&mut capabilities.experimental);
    }
    let capabilities = ClientCapabilities::try_from(capabilities);
    let mut capabilities = capabilities.map_err(|error| {
        let source = mcp_types::revision::VersionError::from(error);
        CallError::Params { method, source }
    })?;
    if core.inputs.roots.is_some() {
        // The program has a way to report it.
        let roots = capabilities.roots.get_or_insert_default();
        roots.list_changed.get_or_insert(true);
    }
    let params = InitializeRequestParams::new(revision.as_str(), capabilities, core.info.clone());
    let params = revision
        .encode(params)
        .map_err(|source| CallError::Params { method, source })?;
    let wait = Wait::new(core.limits.call_time);
    let text = exchange(core, method, wait, |_| params).await?;

    let agreed: Object = json::from_str(text.get())?;
    let agreed = agreed.get("protocolVersion").and_then(Value::as_str);
    let agreed = agreed.unwrap_or_default();
    let known = agreed.parse().ok();
    let Some(revision) = known.filter(|&revision: &Revision| revision < Revision::LATEST) else {
        return Err(ConnectError::Revision {
            theirs: error::offered(&[agreed.to_owned()]),
        });
    };
    let result: InitializeResult = revision
        .decode(text.get())
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
    // Over HTTP, what follows says already in which revision it is.
    core.agree(Era {
        revision,
        info: Some(result.server_info),
        capabilities: result.capabilities.into(),
        instructions: result.instructions,
    });
    notify(core, InitializedNotification::METHOD, message).await?;
    Ok(revision)
}
