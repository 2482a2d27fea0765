//! Runs the handler of a task, and stores what it must not lose.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::peer_text::Chain;
use mcp_types::rpc::{ErrorObject, Message};
use mcp_types::{CallToolRequest, Request as _, RequestMetaObject, Revision, json, rpc};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::Instrument as _;

use crate::extensions::tasks::record::{TaskEnd, TaskRecord, TaskSink};
use crate::extensions::tasks::state::RunningTask;
use crate::extensions::tasks::storage;
use crate::extensions::tasks::storage::TaskError;
use crate::features::access::Admitted;
use crate::features::input::inputs;
use crate::features::input::inputs::Inputs;
use crate::features::input::state::RawValues;
use crate::protocol::caller::Caller;
use crate::protocol::core::{Context, Core};
use crate::protocol::dispatch::error_report::failure;
use crate::protocol::dispatch::middleware::run_from;
use crate::protocol::dispatch::request_task::{caught, panicked};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::session::peer::Peer;
use crate::util::millis;

/// The minimum time between two writes for reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);
/// How often a task is read, in case the announcement of a change was lost.
const POLL_TIME: Duration = Duration::from_secs(10);
/// The pause after the store has failed.
pub(super) const RETRY_TIME: Duration = Duration::from_secs(1);

/// The outcome of a handler; `None` if it panicked.
type HandlerOutcome = Option<Result<Vec<u8>, HandlerError>>;

/// The id of a task, attached to the context of its handler.
pub(super) struct TaskId(pub(super) Box<str>);

/// A task that runs in this process.
struct Run {
    place: RunningTask,
    core: Arc<Core>,
    record: TaskRecord,
    /// The version of the record in the store.
    version: u64,
    cx: Context,
    sink: Arc<TaskSink>,
    /// The questions that were open when the handler was started again.
    asked_before: RawValues,
    /// The number of changes of the handler that were seen.
    seen: u64,
    /// When the record is written next.
    write_at: Option<Instant>,
    written: Instant,
}

/// Runs the handler of a task until it has ended, and stores the outcome. Ends early, without a
/// trace in the record, if another process has taken over the task, or may do so after this server
/// has shut down.
pub(super) async fn run(
    place: RunningTask,
    core: Arc<Core>,
    (record, version): (TaskRecord, u64),
    caller: Caller,
) {
    let sink = Arc::new(TaskSink::default());
    let cx = match context(&core, &record, &sink, caller) {
        Ok(cx) => cx,
        Err(error) => {
            tracing::error!(error = %Chain(&error), "a stored task cannot be read");
            return;
        }
    };
    let layers = place.state.next_layer();
    let running = run_from(layers, record.params.clone(), cx.clone());
    let span = tracing::info_span!("mcp.task", runs = record.runs);
    let mut handler = AbortOnDrop(tokio::spawn(caught(running).instrument(span)));
    let asked_before = record.open.clone();
    let mut run = Run {
        place,
        core,
        record,
        version,
        cx,
        sink,
        asked_before,
        seen: 0,
        write_at: None,
        written: Instant::now(),
    };
    let end = run.until_end(&mut handler.0).await;
    if let Ok(None) = end {
        // Otherwise it could still run when another process starts it again.
        handler.0.abort();
        let _ = timeout(RETRY_TIME, &mut handler.0).await;
    }
    drop(handler);
    run.cx.state.ended.set();
    match end {
        Ok(Some(end)) => run.finish(end).await,
        Ok(None) if run.core.stores.values_are_shared && run.record.may_be_handed_over() => {}
        Ok(None) => run.finish(TaskEnd::process_ended()).await,
        Err(error @ TaskError::TakenOver) => {
            tracing::warn!(error = %Chain(&error), "a task ends in this process");
        }
        Err(error) => {
            tracing::warn!(error = %Chain(&error), "a task cannot be stored");
            run.finish(storage::failure(&error)).await;
        }
    }
}

/// Creates the context of the handler.
fn context(
    core: &Arc<Core>,
    record: &TaskRecord,
    sink: &Arc<TaskSink>,
    caller: Caller,
) -> Result<Context, TaskError> {
    let meta: Option<RequestMetaObject> = json::from_str(record.client.get())
        .map_err(|error| TaskError::Format(serde::de::Error::custom(error)))?;
    let revision = meta.as_ref().map(|meta| &*meta.protocol_version);
    let revision = revision.and_then(|revision| revision.parse().ok());
    let peer = Peer::modern(revision.unwrap_or(Revision::LATEST), meta);
    let name = ParamsView::read(Some(&record.params));
    let name = name.and_then(|params| params.members.required::<String>("name"));
    let name = name.map_err(|error| TaskError::Format(serde::de::Error::custom(error)))?;
    let mut accepted = record.accepted.clone();
    accepted.extend(record.responses.clone());
    let inputs = Inputs::of_kept(accepted, record.once.clone());
    let cx = Context::on_behalf_of(core, CallToolRequest::METHOD, peer, caller);
    let cx = cx.kept(&record.id, Arc::clone(sink) as _, Box::new(inputs));
    Ok(cx
        .with_value(TaskId(record.id.as_str().into()))
        .with_value(Admitted(name.into())))
}

impl Run {
    /// Waits until the task ends, and stores changes meanwhile. Returns `None` if the server has been
    /// shutting down for the grace time.
    async fn until_end(
        &mut self,
        handler: &mut JoinHandle<HandlerOutcome>,
    ) -> Result<Option<TaskEnd>, TaskError> {
        let left = Duration::from_millis(self.record.deadline.saturating_sub(millis::now()));
        let late = sleep(left);
        tokio::pin!(late);
        let core = Arc::clone(&self.core);
        let stopped = core.grace_over();
        tokio::pin!(stopped);
        let is_shared = core.stores.values_are_shared;
        let mut poll_at = Instant::now() + POLL_TIME;
        loop {
            let (cx, sink) = (self.cx.clone(), Arc::clone(&self.sink));
            let changed = async {
                match inputs::of(&cx).and_then(|inputs| inputs.kept.as_ref()) {
                    Some(kept) => kept.changed(self.seen).await,
                    None => std::future::pending().await,
                }
            };
            let write = async {
                match self.write_at {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                outcome = &mut *handler => return Ok(Some(self.end_of(outcome))),
                () = write => self.write().await?,
                () = changed => {
                    self.seen = self.snapshot().0;
                    self.write_at = Some(Instant::now());
                }
                () = sink.changed.notified() => {
                    let at = self.written + PROGRESS_INTERVAL;
                    self.write_at.get_or_insert(at);
                }
                () = self.place.changed.notified() => self.read().await?,
                () = sleep_until(poll_at), if is_shared => {
                    poll_at = Instant::now() + POLL_TIME;
                    self.read().await?;
                }
                () = &mut late => {
                    let error = "the task has taken longer than its time limit";
                    return Ok(Some(TaskEnd::failed(&ErrorObject::internal_error(error))));
                }
                () = &mut stopped => return Ok(None),
            }
            if self.record.is_cancelling {
                return Ok(Some(TaskEnd::Cancelled));
            }
        }
    }

    /// Returns how a task ends whose handler has ended.
    fn end_of(&self, outcome: Result<HandlerOutcome, JoinError>) -> TaskEnd {
        match outcome {
            Ok(Some(Ok(message))) => match rpc::parse(&message) {
                Ok(Message::Result { result, .. }) => TaskEnd::Completed(result.to_owned()),
                _ => TaskEnd::failed(&panicked()),
            },
            Ok(Some(Err(error))) => TaskEnd::failed(&failure(error, &self.cx).0),
            Ok(None) | Err(_) => TaskEnd::failed(&panicked()),
        }
    }

    /// Returns the number of changes of the handler, and the record with them.
    fn snapshot(&self) -> (u64, TaskRecord) {
        let mut record = self.record.clone();
        let Some(inputs) = inputs::of(&self.cx) else {
            return (0, record);
        };
        let snapshot = inputs.snapshot();
        let is_read = |key: &String| snapshot.accepted.contains_key(key);
        record.responses.retain(|key, _| !is_read(key));
        record.open = snapshot.open;
        // Those that a handler which was started again has not asked yet: the user may answer them.
        let asked_before = self.asked_before.iter();
        record
            .open
            .extend(asked_before.map(|(key, request)| (key.clone(), request.clone())));
        let answered: RawValues = record.responses.clone();
        let is_open = |key: &String| !answered.contains_key(key) && !is_read(key);
        record.open.retain(|key, _| is_open(key));
        record.accepted = snapshot.accepted;
        record.once = snapshot.once;
        if let Some(report) = self.sink.last() {
            record.report(report);
        }
        (snapshot.changes, record)
    }

    /// Writes the record. If the store fails, it is written later.
    async fn write(&mut self) -> Result<(), TaskError> {
        let (changes, mut record) = self.snapshot();
        record.updated = millis::now();
        match storage::replace(&self.core, &record, self.version).await {
            Ok(Some(version)) => {
                (self.record, self.version) = (record, version);
                (self.written, self.write_at) = (Instant::now(), None);
                let inputs = inputs::of(&self.cx);
                if let Some(kept) = inputs.and_then(|inputs| inputs.kept.as_ref()) {
                    kept.confirm(changes);
                }
                // An answer may have arrived before the question.
                if let Some(inputs) = inputs {
                    inputs.deliver(&self.record.responses);
                }
                self.place.state.changed(&self.core, &self.place.id).await;
            }
            // Another process has written: it is written again after that was read.
            Ok(None) => self.read().await?,
            Err(TaskError::Store(error)) => {
                tracing::warn!(error = %Chain(&error), "a task is not stored; trying again");
                self.write_at = Some(Instant::now() + RETRY_TIME);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Reads what others have changed: answers, and whether the task is to be cancelled.
    async fn read(&mut self) -> Result<(), TaskError> {
        let (record, version) = match storage::load(&self.core, &self.place.id).await {
            Ok(Some(found)) => found,
            Ok(None) => return Err(TaskError::TakenOver),
            Err(TaskError::Store(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        if record.owner != self.record.owner || record.runs != self.record.runs {
            return Err(TaskError::TakenOver);
        }
        (self.record, self.version) = (record, version);
        if let Some(inputs) = inputs::of(&self.cx) {
            inputs.deliver(&self.record.responses);
        }
        Ok(())
    }

    /// Stores how the task ended. Tries again until the task would be forgotten.
    async fn finish(mut self, mut end: TaskEnd) {
        loop {
            let mut record = self.record.clone();
            if let Some(report) = self.sink.last() {
                record.report(report);
            }
            record.updated = millis::now();
            record.finish(end.clone());
            match storage::replace(&self.core, &record, self.version).await {
                Ok(Some(_)) => break,
                Ok(None) => {
                    if let Err(error) = self.read().await {
                        tracing::warn!(error = %Chain(&error), "the end of a task is not stored");
                        return;
                    }
                }
                Err(error @ TaskError::TooLarge { .. }) => {
                    if let TaskEnd::Failed(_) | TaskEnd::Cancelled = end {
                        tracing::error!(error = %Chain(&error), "the end of a task is not stored");
                        return;
                    }
                    end = storage::failure(&error);
                }
                Err(error) => {
                    tracing::warn!(
                        error = %Chain(&error),
                        "the end of a task is not stored; trying again"
                    );
                    if self.record.time_to_live() <= RETRY_TIME {
                        return;
                    }
                    sleep(RETRY_TIME).await;
                }
            }
        }
        storage::forget_owner(&self.core, &self.record.id).await;
        self.place.state.changed(&self.core, &self.place.id).await;
    }
}

/// A task of tokio that is aborted when this is dropped.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Context {
    /// Returns a text that is the same whenever the handler of this [task](crate::Tasks) reaches this
    /// place, and differs between tasks and names: for systems that ignore what they have seen under
    /// the same key. `None` outside of tasks.
    #[must_use]
    pub fn idempotency_key(&self, name: &str) -> Option<String> {
        let TaskId(id) = self.value()?;
        Some(format!("{id}:{name}"))
    }
}
