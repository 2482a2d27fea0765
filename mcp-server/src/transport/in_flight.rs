//! [`InFlight`]: the tasks of a connection, which end with it.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::RequestId;
use mcp_types::rpc::ErrorObject;
use mcp_wire::{TaskTable, WriteQueue};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

#[cfg(feature = "proposals")]
use crate::protocol::caller::connection_scope::ConnectionScope;
use crate::protocol::core::RequestState;
use crate::protocol::dispatch::lifecycle::Cancellation;
use crate::protocol::dispatch::request_task::RequestTask;
use crate::protocol::message::methods::LISTEN;
use crate::protocol::message::{TrySend, error_message};
use crate::util::lock::lock;

/// The tasks of a connection.
pub(crate) struct InFlight {
    tasks: Mutex<ConnectionTasks>,
    write_queue: Arc<WriteQueue>,
    runtime: Handle,
    idle: Notify,
    #[cfg(feature = "proposals")]
    scope: Arc<ConnectionScope>,
}

#[derive(Default)]
struct ConnectionTasks {
    closed: bool,
    /// Whether the reading task handles a line at this moment.
    busy: bool,
    running: TaskTable<TaskData>,
    /// Tasks that send notifications of changes, and tasks of features. Not waited for.
    background: Vec<AbortHandle>,
}

#[derive(Default)]
struct TaskData {
    subscription: bool,
    /// The state of the request; absent for the handler of a notification.
    request: Option<Arc<RequestState>>,
    /// The batch that the request belongs to.
    batch: Option<BatchSlot>,
}

impl InFlight {
    pub(crate) fn new(
        write_queue: Arc<WriteQueue>,
        runtime: Handle,
        #[cfg(feature = "proposals")] scope: Arc<ConnectionScope>,
    ) -> Self {
        Self {
            tasks: Mutex::default(),
            write_queue,
            runtime,
            idle: Notify::new(),
            #[cfg(feature = "proposals")]
            scope,
        }
    }

    /// Marks whether the reading task handles a line. While it does, the connection is not idle.
    pub(crate) fn set_busy(&self, busy: bool) {
        lock(&self.tasks).busy = busy;
        if !busy {
            self.idle.notify_waiters();
        }
    }

    pub(crate) fn has(&self, id: &RequestId) -> bool {
        lock(&self.tasks).running.number(id).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.tasks).running.len()
    }

    /// Spawns a request. Its response is sent as a line or added to its batch.
    pub(crate) fn call(self: &Arc<Self>, call: RequestTask, batch: Option<BatchSlot>) {
        let data = TaskData {
            subscription: call.cx.method() == LISTEN,
            request: Some(Arc::clone(&call.cx.state)),
            batch,
        };
        let Some(guard) = self.register(call.id().cloned(), data) else {
            return;
        };
        self.spawn(guard.number, TaskWork::Call(call, guard));
    }

    /// Spawns the handler of a notification.
    pub(crate) fn notification(self: &Arc<Self>, handler: UnitFuture) {
        let Some(guard) = self.register(None, TaskData::default()) else {
            return;
        };
        self.spawn(guard.number, TaskWork::Notification(handler, guard));
    }

    /// Spawns a background task, which ends with the connection.
    pub(crate) fn spawn_background(&self, task: impl Future<Output = ()> + Send + 'static) {
        let task = self.start(TaskWork::Background(Box::pin(task)));
        let mut tasks = lock(&self.tasks);
        if tasks.closed {
            task.abort();
        } else {
            tasks.background.push(task);
        }
    }

    /// Starts the tasks that a request registered for the connection.
    #[cfg(feature = "proposals")]
    pub(crate) fn start_tasks(&self) {
        for task in self.scope.take_tasks() {
            self.spawn_background(task);
        }
    }

    fn register(self: &Arc<Self>, id: Option<RequestId>, data: TaskData) -> Option<TaskGuard> {
        let mut tasks = lock(&self.tasks);
        if tasks.closed {
            return None;
        }
        Some(TaskGuard {
            number: tasks.running.insert(id, data),
            in_flight: Arc::clone(self),
        })
    }

    fn start(&self, work: TaskWork) -> AbortHandle {
        self.runtime.spawn(work.run()).abort_handle()
    }

    /// Spawns a registered task. No lock is held while spawning, because a runtime that shuts down
    /// drops the future at once, and its guard needs the lock.
    fn spawn(&self, number: u64, work: TaskWork) {
        let abort = self.start(work);
        let stored = lock(&self.tasks).running.set_abort(number, abort);
        if let Err(abort) = stored {
            // The task has finished, or the connection has ended.
            abort.abort();
        }
    }

    /// Cancels a request. Nothing is sent for it afterwards.
    pub(crate) fn cancel(&self, cancellation: &Cancellation) {
        let cancelled = {
            let mut tasks = lock(&self.tasks);
            let number = tasks.running.number(&cancellation.id);
            number.and_then(|number| tasks.running.remove(number))
        };
        let aborted = cancelled.and_then(|task| {
            if let Some(request) = &task.data.request {
                request.ended.set_reason(cancellation.reason.as_deref());
            }
            task.into_abort()
        });
        self.abort(aborted);
    }

    /// Cancels subscriptions, after the peer has closed its side.
    pub(crate) fn end_subscriptions(&self) {
        let aborted = lock(&self.tasks)
            .running
            .remove_if(|task| task.subscription);
        self.abort(aborted);
    }

    /// Responds to all requests in flight with an error, and cancels all tasks.
    pub(crate) fn fail_all(&self, error: &ErrorObject) {
        let mut tasks = lock(&self.tasks);
        for task in tasks.running.iter() {
            let Some(id) = &task.id else {
                continue;
            };
            let message = error_message(Some(id), error);
            match &task.data.batch {
                Some(slot) => slot.add(&message),
                None => self.write_queue.append(&message),
            }
        }
        let aborted = tasks.running.remove_if(|_| true);
        drop(tasks);
        self.abort(aborted);
        self.write_queue.notify_writer();
    }

    /// Aborts tasks that were removed. Called without the lock, which the guards of the tasks need.
    fn abort(&self, aborted: impl IntoIterator<Item = AbortHandle>) {
        for task in aborted {
            task.abort();
        }
        self.idle.notify_waiters();
    }

    /// Waits until no task runs and no line is handled.
    pub(crate) async fn wait_idle(&self) {
        loop {
            let mut idle = pin!(self.idle.notified());
            // Enabled before the tasks are counted, so that no notification is missed in between.
            idle.as_mut().enable();
            if lock(&self.tasks).is_idle() {
                return;
            }
            idle.await;
        }
    }

    /// Cancels all tasks and prevents new ones.
    pub(crate) fn close(&self) {
        let mut tasks = lock(&self.tasks);
        tasks.closed = true;
        let mut aborted = tasks.running.remove_if(|_| true);
        aborted.append(&mut tasks.background);
        drop(tasks);
        self.abort(aborted);
    }
}

impl ConnectionTasks {
    fn is_idle(&self) -> bool {
        self.running.is_empty() && !self.busy
    }
}

/// A future without an output.
type UnitFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The work of a task. One type for all tasks, so that the code that spawns is compiled once.
enum TaskWork {
    Call(RequestTask, TaskGuard),
    Notification(UnitFuture, TaskGuard),
    Background(UnitFuture),
}

impl TaskWork {
    async fn run(self) {
        match self {
            Self::Call(call, guard) => {
                let answer = call.await;
                while guard.answer(&answer.message) == TrySend::Full {
                    guard.in_flight.write_queue.wait_capacity().await;
                }
                #[cfg(feature = "proposals")]
                guard.in_flight.start_tasks();
            }
            Self::Notification(handler, guard) => {
                handler.await;
                drop(guard);
            }
            Self::Background(task) => task.await,
        }
    }
}

/// The registration of a task, removed when the task ends for any reason.
struct TaskGuard {
    in_flight: Arc<InFlight>,
    number: u64,
}

impl TaskGuard {
    /// Sends the response, unless the request was cancelled.
    fn answer(&self, message: &[u8]) -> TrySend {
        let mut tasks = lock(&self.in_flight.tasks);
        let Some(task) = tasks.running.get(self.number) else {
            return TrySend::Closed;
        };
        let sent = match &task.batch {
            Some(slot) => {
                slot.add(message);
                TrySend::Queued
            }
            None => self.in_flight.write_queue.try_send(message),
        };
        if sent != TrySend::Full {
            // Removed now, because the peer may reuse the id as soon as it has the response.
            tasks.running.remove(self.number);
        }
        sent
    }
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        {
            // The task's share of its batch is dropped under the lock: when the connection is idle,
            // the response to the batch is queued.
            let mut tasks = lock(&self.in_flight.tasks);
            drop(tasks.running.remove(self.number));
        }
        self.in_flight.idle.notify_waiters();
    }
}

/// The responses to a batch, which are sent as one line when the last slot is dropped.
struct Batch {
    answers: Mutex<Vec<u8>>,
    write_queue: Arc<WriteQueue>,
}

impl Drop for Batch {
    fn drop(&mut self) {
        let answers = self
            .answers
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        // A batch of notifications gets no response.
        if !answers.is_empty() {
            answers.push(b']');
            self.write_queue.force_send(answers);
        }
    }
}

/// The right to add a response to a batch.
#[derive(Clone)]
pub(crate) struct BatchSlot(Arc<Batch>);

impl BatchSlot {
    /// Creates a batch and its first slot.
    pub(crate) fn new_batch(write_queue: &Arc<WriteQueue>) -> Self {
        Self(Arc::new(Batch {
            answers: Mutex::default(),
            write_queue: Arc::clone(write_queue),
        }))
    }

    /// Adds a response.
    pub(crate) fn add(&self, message: &[u8]) {
        let mut answers = lock(&self.0.answers);
        let separator = if answers.is_empty() { b'[' } else { b',' };
        answers.push(separator);
        answers.extend_from_slice(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(queue: &WriteQueue) -> String {
        let mut lines = Vec::new();
        queue.take(&mut lines);
        String::from_utf8(lines).expect("messages are text")
    }

    #[test]
    fn responses_are_sent_once_when_the_last_slot_is_dropped() {
        let queue = Arc::new(WriteQueue::new(1));
        let first = BatchSlot::new_batch(&queue);
        let second = first.clone();
        second.add(b"2");
        drop(second);
        assert_eq!(queued(&queue), "");
        let third = first.clone();
        first.add(b"1");
        drop(first);
        assert_eq!(queued(&queue), "");
        // The queue is full, and accepts the batch nevertheless.
        queue.append(b"full");
        drop(third);
        assert_eq!(queued(&queue), "full\n[2,1]\n");
        assert_eq!(queued(&queue), "");
    }

    #[test]
    fn batch_without_responses_is_not_sent() {
        let queue = Arc::new(WriteQueue::new(1));
        drop(BatchSlot::new_batch(&queue));
        assert_eq!(queued(&queue), "");
    }
}
