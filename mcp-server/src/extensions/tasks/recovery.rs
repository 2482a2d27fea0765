//! Finds the tasks of processes that have ended, and runs or ends them.
//!
//! Each process that has tasks is in the group `task-processes`, and records every few seconds that it
//! runs. It has a key for each of its tasks, in a group of its own. When a process has not recorded for
//! some time that it runs, the others read this group. A process that is shut down enters the group
//! `task-processes-left`, so that the others need not wait.

use std::sync::{Arc, Weak};

use mcp_types::peer_text::Chain;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout_at};

use crate::extensions::tasks::record::{TaskEnd, TaskRecord};
use crate::extensions::tasks::run::{self, RETRY_TIME};
use crate::extensions::tasks::state::TaskState;
use crate::extensions::tasks::storage::{
    self, KNOWN_TIME, LEFT, LEFT_PREFIX, MOST_PROCESSES, TaskError, forget_owner, note_owner,
    owned_group, process_key,
};
use crate::protocol::caller::{Caller, Extensions, Principal};
use crate::protocol::core::{BackgroundWork, Core};
use crate::protocol::store::access::RECORD_INTERVAL;
use crate::protocol::store::{Condition, KeyGroup, Put};
use crate::util::lock::lock;
use crate::util::millis;

/// The processes that have tasks.
const PROCESSES: &str = "task-processes";
/// How often in a row a process records that it runs before it looks for tasks of others. After an
/// outage of the store, everybody has recorded again by then.
const RECORDS: u64 = 4;
/// How many processes, and how many tasks of one, are looked at in one step.
const STEP: usize = 100;

impl TaskState {
    /// Attaches the state to the server that was built.
    pub(super) fn start(self: Arc<Self>, core: &Arc<Core>, layers: usize) {
        let _ = self.server.set((Arc::downgrade(core), layers));
        let work: Weak<dyn BackgroundWork> = Arc::<Self>::downgrade(&self);
        let _ = core.background.set(work);
        if let Some(bus) = &core.stores.bus {
            bus.attach(&self);
        }
        self.start_recovery();
    }

    /// Starts the recovery of tasks, unless it runs. Does nothing outside a runtime of tokio: each
    /// request starts it again.
    pub(super) fn start_recovery(self: &Arc<Self>) {
        let is_shared = self
            .core()
            .is_some_and(|core| core.stores.values_are_shared);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let mut recovery = lock(&self.recovery);
        if !is_shared || recovery.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        *recovery = Some(runtime.spawn(recover(Arc::downgrade(self), Arc::clone(&self.left))));
    }
}

/// Records that this process runs, and looks for tasks of others, until the server is dropped or
/// has been stopping for the grace time: its tasks run until then, so nobody may take them over.
///
/// `left` is notified when another process was shut down.
async fn recover(state: Weak<TaskState>, left: Arc<Notify>) {
    let server = || {
        let state = state.upgrade()?;
        let core = state.core()?;
        Some((state, core))
    };
    // How often in a row it was recorded that this process runs.
    let mut records = 0_u64;
    loop {
        let Some((state, core)) = server() else {
            return;
        };
        let mut recorded = record_running(&core).await;
        records += 1;
        if recorded.is_ok() {
            recorded = adopt_left(&state, &core).await;
        }
        // Every other time, so that the time until a task is found is about that of the record.
        let is_due = records >= RECORDS && records.is_multiple_of(2);
        if recorded.is_ok() && is_due && !core.stopping.is_set() {
            recorded = adopt_all(&state, &core).await;
        }
        if let Err(error) = recorded {
            records = 0;
            tracing::warn!(error = %Chain(&error), "tasks of other processes cannot be found now");
        }
        if core.stopping.is_set() && core.grace_left().is_zero() {
            return;
        }
        drop((state, core));
        let next = Instant::now() + RECORD_INTERVAL;
        while timeout_at(next, left.notified()).await.is_ok() {
            let Some((state, core)) = server() else {
                return;
            };
            if let Err(error) = adopt_left(&state, &core).await {
                tracing::debug!(error = %Chain(&error), "looking for the tasks again soon");
            }
        }
    }
}

async fn record_running(core: &Core) -> Result<(), TaskError> {
    let process = &*core.stores.process;
    core.stores.record_running().await?;
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
    core.stores.put(put).await?;
    Ok(())
}

/// How a process has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// It does not record any more that it runs.
    Missed,
    /// It has handed its tasks over.
    ShutDown,
}

/// Takes over the tasks of all processes that have ended.
async fn adopt_all(state: &Arc<TaskState>, core: &Arc<Core>) -> Result<(), TaskError> {
    // Those that have recorded last longest ago are in front.
    let known = core.stores.keys(PROCESSES, STEP).await?;
    for key in known {
        let process = key.strip_prefix("task-process:").unwrap_or_default();
        if process == core.stores.process {
            continue;
        }
        let runs = core.stores.is_running(process).await;
        if runs? {
            return Ok(());
        }
        if adopt(state, core, process, End::Missed).await? {
            core.stores.remove(&key).await?;
        }
    }
    Ok(())
}

/// Takes over the tasks of all processes that were shut down.
async fn adopt_left(state: &Arc<TaskState>, core: &Arc<Core>) -> Result<(), TaskError> {
    if core.stopping.is_set() {
        return Ok(());
    }
    let left = core.stores.keys(LEFT, STEP).await;
    for key in left? {
        let process = key.strip_prefix(LEFT_PREFIX).unwrap_or_default();
        if adopt(state, core, process, End::ShutDown).await? {
            for key in [&process_key(process), &key] {
                core.stores.remove(key).await?;
            }
        }
    }
    Ok(())
}

/// Takes over the tasks of a process. Returns `true` if there are no more.
async fn adopt(
    state: &Arc<TaskState>,
    core: &Arc<Core>,
    process: &str,
    end: End,
) -> Result<bool, TaskError> {
    let mut recorded = Instant::now();
    loop {
        let group = owned_group(process);
        let keys = core.stores.keys(&group, STEP).await?;
        if keys.is_empty() {
            return Ok(true);
        }
        let mut left = false;
        for key in keys {
            if state.vacancies() == 0 || core.stopping.is_set() {
                return Ok(false);
            }
            // Many tasks may take longer than the time after which this process would be missed.
            if recorded.elapsed() >= RECORD_INTERVAL {
                record_running(core).await?;
                recorded = Instant::now();
            }
            let id = key.rsplit(':').next().unwrap_or_default();
            match adopt_one(state, core, (process, end), id).await {
                Ok(()) => {
                    core.stores.remove(&key).await?;
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
    (process, end): (&str, End),
    id: &str,
) -> Result<(), TaskError> {
    let own = &core.stores.process;
    let mut place = None;
    // Whether the store did not acknowledge a write, which it may have made.
    let mut is_unsure = false;
    loop {
        let found = match storage::load(core, id).await {
            Err(TaskError::Store(_)) if is_unsure && !core.stopping.is_set() => {
                sleep(RETRY_TIME).await;
                continue;
            }
            found => found?,
        };
        let is_adopted = |record: &TaskRecord| is_unsure && record.owner == *own;
        let left =
            found.filter(|(it, _)| !it.has_ended() && (it.owner == process || is_adopted(it)));
        let Some((mut record, mut version)) = left else {
            if place.is_some() {
                forget_owner(core, id).await;
            }
            return Ok(());
        };
        if record.owner != *own {
            take(&mut record, own, end);
            if !record.has_ended() && place.is_none() {
                place = Some(state.add(id, None).map_err(|_| TaskError::Contended)?);
                note_owner(core, &record).await?;
            }
            match storage::replace(core, &record, version).await {
                Ok(Some(written)) => version = written,
                // Another process was faster, or the client has answered or cancelled.
                Ok(None) => continue,
                Err(TaskError::Store(_)) => {
                    is_unsure = true;
                    continue;
                }
                Err(error) => return Err(error),
            }
        }
        tracing::info!(runs = record.runs, "took over a task");
        state.changed(core, id).await;
        if record.has_ended() {
            if place.is_some() {
                forget_owner(core, id).await;
            }
        } else if let Some(place) = place {
            let caller = caller_of(&record);
            tokio::spawn(run::run(place, Arc::clone(core), (record, version), caller));
        }
        return Ok(());
    }
}

/// Makes this process the owner of a task, and ends the task if it may not run again.
fn take(record: &mut TaskRecord, own: &str, end: End) {
    own.clone_into(&mut record.owner);
    record.updated = millis::now();
    if record.is_cancelling {
        record.finish(TaskEnd::Cancelled);
    } else if end == End::ShutDown && record.may_be_handed_over() {
        // A restart of the processes one after the other may hand a task over several times.
    } else if record.may_run_again() {
        record.runs += 1;
    } else {
        record.finish(TaskEnd::process_ended());
    }
}

/// Returns what is known of the caller of a task that another process accepted.
fn caller_of(record: &TaskRecord) -> Caller {
    let principal = record.principal.clone().map(Principal);
    Caller {
        extensions: Arc::new(principal.map(Extensions::from).unwrap_or_default()),
        values: None,
    }
}
