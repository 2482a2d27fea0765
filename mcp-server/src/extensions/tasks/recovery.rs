//! Finds the tasks of processes that have ended, and runs or ends them.
//!
//! Each process that has tasks is in the group `task-processes`, and records every few seconds that it
//! runs. It has a key for each of its tasks, in a group of its own. When a process has not recorded for
//! some time that it runs, the others read this group.

use std::sync::{Arc, Weak};
use std::time::Duration;

use mcp_types::rpc::ErrorObject;
use tokio::time::sleep;

use crate::extensions::tasks::record::{TaskEnd, TaskRecord, now};
use crate::extensions::tasks::run;
use crate::extensions::tasks::state::TaskState;
use crate::extensions::tasks::storage::{self, TaskError};
use crate::protocol::caller::Caller;
use crate::protocol::caller::extensions::{Extensions, Principal};
use crate::protocol::core::Core;
use crate::protocol::error::text::Chain;
use crate::protocol::store::access::RECORD_INTERVAL;
use crate::protocol::store::values::{Condition, KeyGroup, Put};

/// The processes that have tasks.
const PROCESSES: &str = "task-processes";
/// For how long a process that has ended is known, if nobody finds its tasks.
const KNOWN_TIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How many processes, and how many tasks of one, are looked at in one step.
const STEP: usize = 100;
/// The limits of the groups, which only keep them finite.
const MOST_PROCESSES: usize = 100_000;
const MOST_TASKS: usize = 10_000_000;

/// Returns the key of a process in the group of processes.
fn process_key(process: &str) -> String {
    format!("task-process:{process}")
}

fn owned_group(process: &str) -> String {
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
    core.stores.put(put).await.map_err(TaskError::Store)?;
    Ok(())
}

/// Removes what [`note_owner`] wrote. If the store fails, whoever finds it removes it.
pub(super) async fn forget_owner(core: &Core, record: &TaskRecord) {
    if core.stores.values_are_shared {
        let key = owned_key(&record.owner, &record.id);
        if let Err(error) = core.stores.remove(&key).await {
            tracing::debug!(error = %Chain(&error), "the owner of a task is not removed");
        }
    }
}

/// Records that this process runs, and looks for tasks of others, until the server is dropped or
/// stops.
pub(super) async fn recover(state: Weak<TaskState>) {
    for step in 0_u64.. {
        let Some(state) = state.upgrade() else { return };
        let Some(core) = state.core() else { return };
        let mut recorded = record_running(&core).await;
        // Every other time, so that the time until a task is found is about that of the record.
        if recorded.is_ok() && step % 2 == 1 && !core.stopping.is_set() {
            recorded = adopt_all(&state, &core).await;
        }
        if let Err(error) = recorded {
            tracing::warn!(error = %Chain(&error), "tasks of other processes cannot be found now");
        }
        let is_stopping = core.stopping.is_set();
        let grace_time = core.limits().grace_time;
        drop(state);
        if is_stopping {
            // The tasks of this process run until then, so that nobody may take them over.
            drop(core);
            sleep(grace_time).await;
            return;
        }
        drop(core);
        sleep(RECORD_INTERVAL).await;
    }
}

async fn record_running(core: &Core) -> Result<(), TaskError> {
    let process = &*core.stores.process;
    core.stores
        .record_running()
        .await
        .map_err(TaskError::Store)?;
    let put = Put {
        key: &process_key(process),
        value: process.as_bytes(),
        time_to_live: KNOWN_TIME,
        condition: Condition::Any,
        group: Some(KeyGroup {
            name: PROCESSES,
            most: MOST_PROCESSES,
        }),
    };
    core.stores.put(put).await.map_err(TaskError::Store)?;
    Ok(())
}

/// Takes over the tasks of all processes that have ended.
async fn adopt_all(state: &Arc<TaskState>, core: &Arc<Core>) -> Result<(), TaskError> {
    // Those that have recorded last longest ago are in front.
    let known = core
        .stores
        .keys(PROCESSES, STEP)
        .await
        .map_err(TaskError::Store)?;
    for key in known {
        let process = key.strip_prefix("task-process:").unwrap_or_default();
        if process == core.stores.process {
            continue;
        }
        let runs = core.stores.is_running(process).await;
        if runs.map_err(TaskError::Store)? {
            return Ok(());
        }
        if adopt(state, core, process).await? {
            core.stores.remove(&key).await.map_err(TaskError::Store)?;
        }
    }
    Ok(())
}

/// Takes over the tasks of a process. Returns `true` if there are no more.
async fn adopt(state: &Arc<TaskState>, core: &Arc<Core>, process: &str) -> Result<bool, TaskError> {
    loop {
        let group = owned_group(process);
        let keys = core
            .stores
            .keys(&group, STEP)
            .await
            .map_err(TaskError::Store)?;
        if keys.is_empty() {
            return Ok(true);
        }
        let mut left = false;
        for key in keys {
            if state.vacancies() == 0 || core.stopping.is_set() {
                return Ok(false);
            }
            let id = key.rsplit(':').next().unwrap_or_default();
            match adopt_one(state, core, process, id).await {
                Ok(()) => {
                    core.stores.remove(&key).await.map_err(TaskError::Store)?;
                }
                Err(error @ TaskError::Store(_)) => return Err(error),
                // Such as a task of a newer release, which a process of that release takes over.
                Err(error) => {
                    left = true;
                    tracing::warn!(error = %Chain(&error), "a stored task cannot be taken over");
                }
            }
        }
        if left {
            return Ok(false);
        }
    }
}

/// Takes over a task, unless it has ended or somebody else has it.
async fn adopt_one(
    state: &Arc<TaskState>,
    core: &Arc<Core>,
    process: &str,
    id: &str,
) -> Result<(), TaskError> {
    let Some((mut record, version)) = storage::load(core, id).await? else {
        return Ok(());
    };
    if record.has_ended() || record.owner != process {
        return Ok(());
    }
    record.owner = core.stores.process.clone();
    record.updated = now();
    if record.is_cancelling {
        record.finish(TaskEnd::Cancelled);
    } else if record.runs >= record.most_runs {
        let error = "the process that ran the task has ended";
        record.finish(TaskEnd::failed(&ErrorObject::internal_error(error)));
    } else {
        record.runs += 1;
    }
    let place = match record.has_ended() {
        true => None,
        false => Some(state.add(id).map_err(|_| TaskError::Contended)?),
    };
    if place.is_some() {
        note_owner(core, &record).await?;
    }
    let Some(version) = storage::replace(core, &record, version).await? else {
        // Another process was faster.
        forget_owner(core, &record).await;
        return Ok(());
    };
    tracing::info!(task.id = id, runs = record.runs, "took over a task");
    state.changed(core, id).await;
    if let Some(place) = place {
        let caller = caller_of(&record);
        tokio::spawn(run::run(place, Arc::clone(core), (record, version), caller));
    }
    Ok(())
}

/// Returns what is known of the caller of a task that another process accepted.
fn caller_of(record: &TaskRecord) -> Caller {
    let principal = record.principal.clone().map(Principal);
    Caller {
        extensions: Arc::new(principal.map(Extensions::from).unwrap_or_default()),
        values: None,
    }
}
