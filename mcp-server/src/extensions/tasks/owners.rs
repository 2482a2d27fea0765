//! Which process runs which task, for the case that a process ends.

use std::time::Duration;

use mcp_types::peer_text::Chain;

use crate::extensions::tasks::record::TaskRecord;
use crate::extensions::tasks::storage::TaskError;
use crate::protocol::core::Core;
use crate::protocol::store::values::{Condition, KeyGroup, Put, PutOutcome};

/// The limits of the groups, which only keep them finite.
pub(super) const MOST_PROCESSES: usize = 100_000;
const MOST_TASKS: usize = 10_000_000;
/// For how long a process that has ended is known, if nobody finds its tasks.
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
    match core.stores.put(put).await.map_err(TaskError::Store)? {
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
    core.stores.put(put).await.map_err(TaskError::Store)?;
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
