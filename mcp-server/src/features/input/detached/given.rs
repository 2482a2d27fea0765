//! [`Given`]: what the process that has a request gives to the one that runs its call, in the store
//! that they share.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::features::input::inputs::Inputs;
use crate::features::input::state::RawValues;
use crate::protocol::core::{Context, Core};
use crate::protocol::store::error::StoreError;
use crate::protocol::store::values::{Condition, Put, PutOutcome};

/// How often the process of a call looks at first. The time doubles up to `SLOWEST`.
const FASTEST: Duration = Duration::from_millis(100);
const SLOWEST: Duration = Duration::from_secs(2);

/// The time for which answers and reports are stored.
const STORED: Duration = Duration::from_secs(600);

/// What the process that has a request gives to the one that runs its call.
#[derive(Serialize, Deserialize)]
pub(super) enum Given {
    Answers(RawValues),
    /// The process of the call has taken the answers, and the other one has not read its report.
    Taken,
    /// The request was cancelled, for this reason.
    Cancelled(Option<String>),
}

/// Returns the key of what is given for a call.
pub(super) fn key(id: &str) -> String {
    format!("detached-given:{id}")
}

/// Waits until another process has given something that is wanted for a call of this one. Also
/// returns its version. Takes nothing, so it may be dropped at any time.
pub(super) async fn found(core: &Core, id: &str, is_wanted: fn(&Given) -> bool) -> (Given, u64) {
    let (key, mut pause) = (key(id), FASTEST);
    loop {
        sleep(pause).await;
        pause = (pause * 2).min(SLOWEST);
        match core.stores.get(&key).await {
            Ok(Some(found)) => {
                let given = serde_json::from_slice(&found.value);
                let given = given.unwrap_or_else(|_| Given::Answers(RawValues::default()));
                if is_wanted(&given) {
                    return (given, found.version);
                }
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the answers for a call cannot be read"),
        }
    }
}

/// Takes answers. Returns `false` if the request was cancelled meanwhile.
pub(super) async fn take(core: &Core, id: &str, version: u64) -> Result<bool, StoreError> {
    // Recorded before: the other process asks for it as soon as the answers are taken.
    core.stores.record_running().await?;
    let taken = serde_json::to_vec(&Given::Taken).unwrap_or_default();
    // Not removed: that could remove a cancellation.
    let put = put(core, &key(id), &taken, Condition::Version(version)).await?;
    Ok(matches!(put, PutOutcome::Written(_)))
}

/// A request that waits for a call of another process. If it is dropped before its round is over,
/// and does not end with questions, it was cancelled, and the call is, too.
pub(super) struct ElsewhereRequest<'a> {
    pub(super) request: &'a Context,
    pub(super) inputs: &'a Inputs,
    pub(super) id: &'a str,
    pub(super) is_over: bool,
}

impl Drop for ElsewhereRequest<'_> {
    fn drop(&mut self) {
        // A process that shuts down drops its requests, too, and their calls go on elsewhere.
        let is_stopping = self.request.core().stopping.is_set();
        let is_cancelled = !self.is_over && !is_stopping && !self.inputs.rounds().is_suspended;
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if is_cancelled {
            let (core, key) = (Arc::clone(self.request.core()), key(self.id));
            let given = Given::Cancelled(self.request.cancel_reason().map(str::to_owned));
            runtime.spawn(async move {
                let text = serde_json::to_vec(&given).unwrap_or_default();
                if let Err(error) = put(&core, &key, &text, Condition::Any).await {
                    tracing::warn!(%error, "a call of another process cannot be cancelled");
                }
            });
        }
    }
}

pub(super) async fn put(
    core: &Core,
    key: &str,
    value: &[u8],
    condition: Condition,
) -> Result<PutOutcome, StoreError> {
    let put = Put {
        key,
        value,
        time_to_live: STORED,
        condition,
        group: None,
    };
    core.stores.put(put).await
}

/// Removes a value. One that stays expires.
pub(super) async fn remove(core: &Core, key: &str) {
    if let Err(error) = core.stores.remove(key).await {
        tracing::debug!(%error, "a value of a call stays in the store until it expires");
    }
}
