//! Which process runs which task, for the case that a process ends.

use crate::extensions::tasks::record::TaskRecord;
use crate::extensions::tasks::storage::TaskError;
use crate::protocol::core::Core;
use crate::protocol::error::text::Chain;
use crate::protocol::store::values::{Condition, KeyGroup, Put, PutOutcome};

/// The limits of the groups, which only keep them finite.
pub(super) const MOST_PROCESSES: usize = 100_000;
const MOST_TASKS: usize = 10_000_000;

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
