//! [`InFlight`]: the tasks of a connection, which end with it.

use crate::protocol::answer::error_message;
use std::collections::HashMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::RequestId;
use mcp_types::connection::WriteQueue;
use mcp_types::rpc::ErrorObject;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::protocol::message_sink::TrySend;
use crate::protocol::methods::LISTEN;
use crate::protocol::request_task::RequestTask;
use crate::util::seq_vec::SeqVec;

/// The tasks of a connection.
pub(crate) struct InFlight {
    tasks: Mutex<Tasks>,
    write_queue: Arc<WriteQueue>,
    runtime: Handle,
    idle: Notify,
}

#[derive(Default)]
struct Tasks {
    closed: bool,
    /// Whether the reading task handles a line at this moment.
    busy: bool,
    running: SeqVec<Task>,
    /// The numbers of the tasks that serve requests.
    requests: HashMap<RequestId, u64>,
    /// Tasks that send notifications of changes, and tasks of features. Not waited for.
    background: Vec<AbortHandle>,
}

struct Task {
    id: Option<RequestId>,
    subscription: bool,
    /// The batch that the request belongs to.
    batch: Option<BatchSlot>,
    /// Absent until the task is spawned.
    abort: Option<AbortHandle>,
}

impl InFlight {
    pub(crate) fn new(write_queue: Arc<WriteQueue>, runtime: Handle) -> Self {
        Self {
            tasks: Mutex::default(),
            write_queue,
            runtime,
            idle: Notify::new(),
        }
    }

    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks whether the reading task handles a line. While it does, the connection is not idle.
    pub(crate) fn set_busy(&self, busy: bool) {
        self.tasks().busy = busy;
        if !busy {
            self.idle.notify_waiters();
        }
    }

    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.tasks().requests.contains_key(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.tasks().running.all().len()
    }

    /// Spawns a request. Its response is sent as a line or added to its batch.
    pub(crate) fn call(self: &Arc<Self>, call: RequestTask, batch: Option<BatchSlot>) {
        let task = Task {
            id: call.id().cloned(),
            subscription: call.context().method() == LISTEN,
            batch,
            abort: None,
        };
        let Some(guard) = self.register(task) else {
            return;
        };
        self.spawn(guard.number, TaskWork::Call(call, guard));
    }

    /// Spawns the handler of a notification.
    pub(crate) fn notification(self: &Arc<Self>, handler: UnitFuture) {
        let task = Task {
            id: None,
            subscription: false,
            batch: None,
            abort: None,
        };
        let Some(guard) = self.register(task) else {
            return;
        };
        self.spawn(guard.number, TaskWork::Notification(handler, guard));
    }

    /// Spawns a background task, which ends with the connection.
    pub(crate) fn spawn_background(&self, task: impl Future<Output = ()> + Send + 'static) {
        let task = self.start(TaskWork::Background(Box::pin(task)));
        let mut tasks = self.tasks();
        if tasks.closed {
            task.abort();
        } else {
            tasks.background.push(task);
        }
    }

    fn register(self: &Arc<Self>, task: Task) -> Option<TaskGuard> {
        let mut tasks = self.tasks();
        if tasks.closed {
            return None;
        }
        let id = task.id.clone();
        let number = tasks.running.push(task);
        if let Some(id) = id {
            tasks.requests.insert(id, number);
        }
        Some(TaskGuard {
            in_flight: Arc::clone(self),
            number,
        })
    }

    fn start(&self, work: TaskWork) -> AbortHandle {
        self.runtime.spawn(work.run()).abort_handle()
    }

    /// Spawns a registered task. No lock is held while spawning, because a runtime that shuts down
    /// drops the future at once, and its guard needs the lock.
    fn spawn(&self, number: u64, work: TaskWork) {
        let abort = self.start(work);
        let mut tasks = self.tasks();
        match tasks.running.get_mut(number) {
            Some(task) => task.abort = Some(abort),
            // The task has finished, or the connection has ended.
            None => abort.abort(),
        }
    }

    /// Cancels a request. Nothing is sent for it afterwards.
    pub(crate) fn cancel(&self, id: &RequestId) {
        let tasks = self.tasks();
        let number = tasks.requests.get(id).copied();
        self.cancel_tasks(tasks, number.as_slice());
    }

    /// Cancels subscriptions, after the peer has closed its side.
    pub(crate) fn end_subscriptions(&self) {
        let tasks = self.tasks();
        let numbers = tasks.numbers(|task| task.subscription);
        self.cancel_tasks(tasks, &numbers);
    }

    /// Responds to all requests in flight with an error, and cancels all tasks.
    pub(crate) fn fail_all(&self, error: &ErrorObject) {
        let tasks = self.tasks();
        for (_, task) in tasks.running.all() {
            let Some(id) = &task.id else {
                continue;
            };
            let message = error_message(Some(id), error);
            match &task.batch {
                Some(slot) => slot.add(&message),
                None => self.write_queue.append(&message),
            }
        }
        let numbers = tasks.numbers(|_| true);
        self.cancel_tasks(tasks, &numbers);
        self.write_queue.notify_writer();
    }

    /// Cancels the tasks with these numbers.
    fn cancel_tasks(&self, mut tasks: MutexGuard<'_, Tasks>, numbers: &[u64]) {
        let mut aborted = Vec::new();
        // From the end, so that later elements need not be moved.
        for number in numbers.iter().rev() {
            let task = tasks.remove(*number);
            aborted.extend(task.and_then(|task| task.abort));
        }
        // The guards of aborted tasks need the lock.
        drop(tasks);
        for abort in aborted {
            abort.abort();
        }
        self.idle.notify_waiters();
    }

    /// Waits until no task runs and no line is handled.
    pub(crate) async fn wait_idle(&self) {
        loop {
            let mut idle = pin!(self.idle.notified());
            // Enabled before the tasks are counted, so that no notification is missed in between.
            idle.as_mut().enable();
            if self.tasks().is_idle() {
                return;
            }
            idle.await;
        }
    }

    /// Cancels all tasks and prevents new ones.
    pub(crate) fn close(&self) {
        let mut tasks = self.tasks();
        tasks.closed = true;
        let background = std::mem::take(&mut tasks.background);
        let numbers = tasks.numbers(|_| true);
        self.cancel_tasks(tasks, &numbers);
        for task in background {
            task.abort();
        }
    }
}

impl Tasks {
    fn is_idle(&self) -> bool {
        self.running.all().is_empty() && !self.busy
    }

    fn numbers(&self, chosen: impl Fn(&Task) -> bool) -> Vec<u64> {
        let running = self.running.all().iter();
        let chosen = running.filter(|(_, task)| chosen(task));
        chosen.map(|(number, _)| *number).collect()
    }

    fn remove(&mut self, number: u64) -> Option<Task> {
        let task = self.running.remove(number)?;
        if let Some(id) = &task.id {
            self.requests.remove(id);
        }
        Some(task)
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
        let mut tasks = self.in_flight.tasks();
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
            tasks.remove(self.number);
        }
        sent
    }
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        {
            // The task's share of its batch is dropped under the lock: when the connection is idle,
            // the response to the batch is queued.
            let mut tasks = self.in_flight.tasks();
            drop(tasks.remove(self.number));
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
        let mut answers = self
            .0
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let separator = if answers.is_empty() { b'[' } else { b',' };
        answers.push(separator);
        answers.extend_from_slice(message);
    }
}
