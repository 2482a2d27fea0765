//! Reads and writes tasks in the store of the server.

use std::time::Duration;

use mcp_types::peer_text::Chain;
use mcp_types::rpc::ErrorObject;

use crate::extensions::tasks::record::{ID_LENGTH, TaskEnd, TaskRecord, VERSION};
use crate::protocol::core::Core;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::store::{Condition, KeyGroup, Put, PutOutcome, StoreError};
use crate::util::millis;

/// How often a change is tried again because another process has written at the same time.
const ATTEMPTS: usize = 32;

/// A limit for the group of a key that exists, which is not checked.
const ANY_NUMBER: usize = i32::MAX as usize;

/// Why a task cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(super) enum TaskError {
    #[error("the store of the server cannot be reached")]
    Store(#[from] StoreError),
    #[error("the task belongs to another release of the server")]
    Format(#[from] serde_json::Error),
    #[error("the task has {bytes} bytes with its answers and result: expected at most {limit}")]
    TooLarge { bytes: usize, limit: usize },
    #[error("the task changes all the time")]
    Contended,
    #[error("another process has taken over the task")]
    TakenOver,
}

impl TaskError {
    /// Returns the error that a client receives.
    pub(super) fn into_handler_error(self) -> HandlerError {
        match self {
            Self::TooLarge { .. } => HandlerError::invalid_params(self.to_string()),
            _ => HandlerError::internal("the task cannot be read or written now: retry later")
                .logged_as(Chain(&self).to_string())
                .temporary(),
        }
    }
}

fn key(id: &str) -> String {
    format!("task:{id}")
}

/// Returns `true` if a text has the form of the ids that servers make. Others are no keys.
pub(super) fn is_id(id: &str) -> bool {
    id.len() == ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns a task and the version of its value. `None` if there is none with this id.
pub(super) async fn load(core: &Core, id: &str) -> Result<Option<(TaskRecord, u64)>, TaskError> {
    if !is_id(id) {
        return Ok(None);
    }
    let found = core.stores.get(&key(id)).await?;
    let Some(found) = found else { return Ok(None) };
    let record: TaskRecord = serde_json::from_slice(&found.value)?;
    if record.version != VERSION {
        let unknown = format!("version {} of the format of tasks", record.version);
        return Err(TaskError::Format(serde::de::Error::custom(unknown)));
    }
    Ok(Some((record, found.version)))
}

/// Stores a new task. Returns the version of its value, or `None` if the user has too many tasks.
pub(super) async fn create(
    core: &Core,
    record: &TaskRecord,
    most: usize,
) -> Result<Option<u64>, TaskError> {
    match put(core, record, Condition::Absent, most).await? {
        PutOutcome::Written(version) => Ok(Some(version)),
        PutOutcome::Conflict => Err(TaskError::Contended),
        PutOutcome::GroupFull => Ok(None),
    }
}

/// Writes a task if its value still has this version. Returns the new version.
pub(super) async fn replace(
    core: &Core,
    record: &TaskRecord,
    version: u64,
) -> Result<Option<u64>, TaskError> {
    let condition = Condition::Version(version);
    match put(core, record, condition, ANY_NUMBER).await? {
        PutOutcome::Written(version) => Ok(Some(version)),
        PutOutcome::Conflict | PutOutcome::GroupFull => Ok(None),
    }
}

/// Changes a task, unless it has ended. Returns it, or `None` if there is none with this id.
/// `change` returns `false` if nothing has to be written.
pub(super) async fn update(
    core: &Core,
    id: &str,
    mut change: impl FnMut(&mut TaskRecord) -> bool + Send,
) -> Result<Option<TaskRecord>, TaskError> {
    for _ in 0..ATTEMPTS {
        let Some((mut record, version)) = load(core, id).await? else {
            return Ok(None);
        };
        if record.has_ended() || !change(&mut record) {
            return Ok(Some(record));
        }
        record.updated = millis::now();
        if replace(core, &record, version).await?.is_some() {
            return Ok(Some(record));
        }
    }
    Err(TaskError::Contended)
}

/// Removes a task.
pub(super) async fn remove(core: &Core, id: &str) -> Result<bool, TaskError> {
    core.stores.remove(&key(id)).await.map_err(TaskError::Store)
}

async fn put(
    core: &Core,
    record: &TaskRecord,
    condition: Condition,
    most: usize,
) -> Result<PutOutcome, TaskError> {
    let value = serde_json::to_vec(record)?;
    let (bytes, limit) = (value.len(), record.most_bytes);
    if bytes > limit {
        return Err(TaskError::TooLarge { bytes, limit });
    }
    let put = Put {
        key: &key(&record.id),
        value: &value,
        time_to_live: record.time_to_live(),
        condition,
        group: Some(KeyGroup {
            name: &record.group,
            most,
        }),
    };
    core.stores.put(put).await.map_err(TaskError::Store)
}

/// Returns how a task ends that cannot be stored.
pub(super) fn failure(error: &TaskError) -> TaskEnd {
    TaskEnd::failed(&ErrorObject::internal_error(error.to_string()))
}

/// The limits of the groups, which only keep them finite.
pub(super) const MOST_PROCESSES: usize = 100_000;
const MOST_TASKS: usize = 10_000_000;
/// The time after which the entry of a process that was shut down is removed. It is removed earlier if
/// another process finds its tasks.
pub(super) const KNOWN_TIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The processes that were shut down, and run no task any more.
pub(super) const LEFT: &str = "task-processes-left";
/// What the keys of this group begin with.
pub(super) const LEFT_PREFIX: &str = "task-process-left:";

/// Returns the key of a process in the group of processes.
pub(super) fn process_key(process: &str) -> String {
    format!("task-process:{process}")
}

pub(super) fn owned_group(process: &str) -> String {
    format!("tasks-of:{process}")
}

fn owned_key(process: &str, id: &str) -> String {
    format!("task-of:{process}:{id}")
}

/// Notes which process runs a task, for the case that the process ends.
pub(super) async fn note_owner(core: &Core, record: &TaskRecord) -> Result<(), TaskError> {
    if !core.stores.values_are_shared {
        return Ok(());
    }
    let put = Put {
        key: &owned_key(&record.owner, &record.id),
        value: b"1",
        time_to_live: record.time_to_live(),
        condition: Condition::Any,
        group: Some(KeyGroup {
            name: &owned_group(&record.owner),
            most: MOST_TASKS,
        }),
    };
    match core.stores.put(put).await? {
        PutOutcome::Written(_) => Ok(()),
        PutOutcome::Conflict | PutOutcome::GroupFull => Err(TaskError::Contended),
    }
}

/// Records that this process was shut down: others may take over its tasks without waiting until they
/// miss it.
pub(super) async fn leave(core: &Core) -> Result<(), TaskError> {
    let process = &*core.stores.process;
    let put = Put {
        key: &format!("{LEFT_PREFIX}{process}"),
        value: process.as_bytes(),
        time_to_live: KNOWN_TIME,
        condition: Condition::Any,
        group: Some(KeyGroup {
            name: LEFT,
            most: MOST_PROCESSES,
        }),
    };
    core.stores.put(put).await?;
    Ok(())
}

/// Removes the entry that [`note_owner`] wrote for this process. If the store fails, the entry stays
/// until a process that looks for abandoned tasks removes it.
pub(super) async fn forget_owner(core: &Core, id: &str) {
    if core.stores.values_are_shared {
        let key = owned_key(&core.stores.process, id);
        if let Err(error) = core.stores.remove(&key).await {
            tracing::debug!(error = %Chain(&error), "the owner of a task is not removed");
        }
    }
}
