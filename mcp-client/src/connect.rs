//! [`connect`]: finds out which era a server is of, and which revision to speak.

use std::sync::Arc;

use mcp_types::json::{self, Object, Value};
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::v2025_11_25::{
    InitializeRequest, InitializeRequestParams, InitializeResult, InitializedNotification,
    SetLevelRequest, SetLevelRequestParams,
};
use mcp_types::{
    DiscoverRequest, DiscoverResult, HEADER_MISMATCH, LoggingLevel,
    MISSING_REQUIRED_CLIENT_CAPABILITY, Notification, Request, Revision,
    UNSUPPORTED_PROTOCOL_VERSION, UnsupportedProtocolVersionErrorData,
};

use crate::answer;
use crate::core::Core;
use crate::era::Era;
use crate::error::{CallError, ConnectError};
use crate::exchange::{Wait, exchange};
use crate::params::Params;

/// The newest of the revisions that begin with a handshake.
const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

/// Agrees on a revision, or on the one that is given.
pub(crate) async fn connect(
    core: &Arc<Core>,
    pinned: Option<Revision>,
) -> Result<(), ConnectError> {
    let era = match pinned {
        Some(Revision::LATEST) => modern(discover(core).await?),
        Some(revision) => {
            let era = initialize(core, revision).await?;
            if era.revision != revision {
                let theirs = vec![era.revision.as_str().to_owned()];
                return Err(ConnectError::Revision { theirs });
            }
            era
        }
        None => match discover(core).await {
            Ok(found) => match best(&found.supported_versions)? {
                Revision::LATEST => modern(found),
                older => initialize(core, older).await?,
            },
            Err(CallError::Refused { source, .. }) if is_modern(&source) => {
                match best(&offered(&source)?)? {
                    // Refused, and offered at the same time.
                    Revision::LATEST => return Err(refused(source).into()),
                    older => initialize(core, older).await?,
                }
            }
            Err(error @ CallError::Lost { .. }) => return Err(error.into()),
            // Whatever else it is: servers of a time when nobody knew of the question.
            Err(_) => initialize(core, NEWEST_LEGACY).await?,
        },
    };
    core.agree(era);
    if let Some(level) = core.log_level {
        set_level(core, level).await?;
    }
    Ok(())
}

/// Sessions are told once from which level on to log; in the newer era each request says so.
async fn set_level(core: &Arc<Core>, level: LoggingLevel) -> Result<(), CallError> {
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
        theirs: theirs.to_vec(),
    })
}

async fn discover(core: &Arc<Core>) -> Result<DiscoverResult, CallError> {
    let method = DiscoverRequest::METHOD;
    let wait = Wait::new(core.limits.probe_time);
    let text = exchange(core, method, wait, |_| {
        Params::new().described(core, Revision::LATEST, None)
    });
    let text = text.await?;
    let result = answer::decode(Revision::LATEST, method, text.get());
    result.map_err(|source| CallError::Answer { method, source })
}

fn modern(found: DiscoverResult) -> Era {
    Era {
        revision: Revision::LATEST,
        info: found.meta.and_then(|meta| meta.server_info),
        capabilities: found.capabilities,
        instructions: found.instructions,
    }
}

async fn initialize(core: &Arc<Core>, revision: Revision) -> Result<Era, ConnectError> {
    let method = InitializeRequest::METHOD;
    let params = InitializeRequestParams::new(
        revision.as_str(),
        core.capabilities.clone().try_into().map_err(|error| {
            let source = mcp_types::revision::VersionError::from(error);
            CallError::Params { method, source }
        })?,
        core.info.clone(),
    );
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
            theirs: vec![agreed.to_owned()],
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
    core.link.notify(core, message).await?;
    Ok(Era {
        revision,
        info: Some(result.server_info),
        capabilities: result.capabilities.into(),
        instructions: result.instructions,
    })
}
