//! [`InFlight`]: what runs for a connection beyond the moment of its arrival, and ends with it.

use crate::protocol::answer::error_message;
use std::collections::HashMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::RequestId;
use mcp_types::rpc::ErrorObject;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::protocol::message_sink::{MessageSink, TrySend};
use crate::protocol::methods::LISTEN;
use crate::protocol::request_task::RequestTask;
use crate::transport::write_queue::WriteQueue;
use crate::util::seq_vec::SeqVec;

/// The tasks of a connection.
pub(crate) struct InFlight {
    tasks: Mutex<Tasks>,
    outbox: Arc<WriteQueue>,
    runtime: Handle,
    landed: Notify,
}

#[derive(Default)]
struct Tasks {
    closed: bool,
    /// Whether a line is being served at this moment.
    busy: bool,
    running: SeqVec<Task>,
    /// Which of them serves a request.
    requests: HashMap<RequestId, u64>,
    /// What tells the peer of changes, for each era that it speaks. Nobody waits for their end.
    tellers: Vec<AbortHandle>,
}

struct Task {
    id: Option<RequestId>,
    subscription: bool,
    /// Where the answer goes if the request came in a batch.
    place: Option<Place>,
    /// Absent for the moment until the task is spawned.
    abort: Option<AbortHandle>,
}

impl InFlight {
    pub(crate) fn new(outbox: Arc<WriteQueue>, runtime: Handle) -> Self {
        Self {
            tasks: Mutex::default(),
            outbox,
            runtime,
            landed: Notify::new(),
        }
    }

    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks that a line is being served, or no longer: its answer counts as well.
    pub(crate) fn set_busy(&self, busy: bool) {
        self.tasks().busy = busy;
        if !busy {
            self.landed.notify_waiters();
        }
    }

    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.tasks().requests.contains_key(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.tasks().running.all().len()
    }

    /// Runs a call to its end, and sends its answer as a line or to its place in a batch.
    pub(crate) fn call(self: &Arc<Self>, call: RequestTask, place: Option<Place>) {
        let task = Task {
            id: call.id().cloned(),
            subscription: call.context().method() == LISTEN,
            place,
            abort: None,
        };
        let Some(seat) = self.seat(task) else {
            return;
        };
        self.spawn(seat.number, TaskWork::Call(call, seat));
    }

    /// Runs the handler of a notification to its end.
    pub(crate) fn notification(self: &Arc<Self>, handler: Unit) {
        let task = Task {
            id: None,
            subscription: false,
            place: None,
            abort: None,
        };
        let Some(seat) = self.seat(task) else {
            return;
        };
        self.spawn(seat.number, TaskWork::Notification(handler, seat));
    }

    /// Runs what tells the peer of changes.
    pub(crate) fn tell(&self, teller: impl Future<Output = ()> + Send + 'static) {
        let task = self.start(TaskWork::Teller(Box::pin(teller)));
        let mut tasks = self.tasks();
        if tasks.closed {
            task.abort();
        } else {
            tasks.tellers.push(task);
        }
    }

    fn seat(self: &Arc<Self>, task: Task) -> Option<TaskGuard> {
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
            flight: Arc::clone(self),
            number,
        })
    }

    fn start(&self, work: TaskWork) -> AbortHandle {
        self.runtime.spawn(work.run()).abort_handle()
    }

    /// No lock is held meanwhile: a runtime that ends drops the future, and its seat, at once.
    fn spawn(&self, number: u64, work: TaskWork) {
        let abort = self.start(work);
        let mut tasks = self.tasks();
        match tasks.running.get_mut(number) {
            Some(task) => task.abort = Some(abort),
            // Done, or the connection ended.
            None => abort.abort(),
        }
    }

    /// Ends a request. Nothing is sent for it from here on.
    pub(crate) fn cancel(&self, id: &RequestId) {
        let tasks = self.tasks();
        let number = tasks.requests.get(id).copied();
        self.end(tasks, number.as_slice());
    }

    /// Ends subscriptions, for a peer that has gone.
    pub(crate) fn end_subscriptions(&self) {
        let tasks = self.tasks();
        let numbers = tasks.numbers(|task| task.subscription);
        self.end(tasks, &numbers);
    }

    /// Answers all requests in flight with an error, and ends everything that runs.
    pub(crate) fn fail(&self, error: &ErrorObject) {
        let tasks = self.tasks();
        for (_, task) in tasks.running.all() {
            let Some(id) = &task.id else {
                continue;
            };
            let message = error_message(Some(id), error);
            match &task.place {
                Some(place) => place.fill(&message),
                None => self.outbox.append(&message),
            }
        }
        let numbers = tasks.numbers(|_| true);
        self.end(tasks, &numbers);
        self.outbox.announce();
    }

    /// Ends the tasks with these numbers.
    fn end(&self, mut tasks: MutexGuard<'_, Tasks>, numbers: &[u64]) {
        let mut ended = Vec::new();
        // The last ones first: nothing has to move up behind them.
        for number in numbers.iter().rev() {
            let task = tasks.remove(*number);
            ended.extend(task.and_then(|task| task.abort));
        }
        // Without the lock, as tasks that end give their seats up.
        drop(tasks);
        for abort in ended {
            abort.abort();
        }
        self.landed.notify_waiters();
    }

    /// Waits until nothing runs any more.
    pub(crate) async fn landed(&self) {
        loop {
            let mut landed = pin!(self.landed.notified());
            // Enabled before the tasks are counted, so that nothing is missed in between.
            landed.as_mut().enable();
            if self.tasks().idle() {
                return;
            }
            landed.await;
        }
    }

    /// Ends everything.
    pub(crate) fn close(&self) {
        let mut tasks = self.tasks();
        tasks.closed = true;
        let tellers = std::mem::take(&mut tasks.tellers);
        let numbers = tasks.numbers(|_| true);
        self.end(tasks, &numbers);
        for teller in tellers {
            teller.abort();
        }
    }
}

impl Tasks {
    fn idle(&self) -> bool {
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

/// A future that only has an end.
type Unit = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What a task does: one type, since what the runtime needs is compiled for each.
enum TaskWork {
    Call(RequestTask, TaskGuard),
    Notification(Unit, TaskGuard),
    Teller(Unit),
}

impl TaskWork {
    async fn run(self) {
        match self {
            Self::Call(call, seat) => {
                let answer = call.await;
                while seat.answer(&answer.message) == TrySend::Full {
                    seat.flight.outbox.has_room().await;
                }
            }
            Self::Notification(handler, seat) => {
                handler.await;
                drop(seat);
            }
            Self::Teller(teller) => teller.await,
        }
    }
}

/// A task's seat in the flight, given up when the task ends in whatever way.
struct TaskGuard {
    flight: Arc<InFlight>,
    number: u64,
}

impl TaskGuard {
    /// Sends the answer, unless the request was cancelled.
    fn answer(&self, message: &[u8]) -> TrySend {
        let mut tasks = self.flight.tasks();
        let Some(task) = tasks.running.get(self.number) else {
            return TrySend::Closed;
        };
        let pushed = match &task.place {
            Some(place) => {
                place.fill(message);
                TrySend::Queued
            }
            None => self.flight.outbox.try_send(message),
        };
        if pushed != TrySend::Full {
            // At once: the peer may use the id again as soon as it has the answer.
            tasks.remove(self.number);
        }
        pushed
    }
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        {
            // Its place in a batch goes with the task while the lock is held: once the flight is
            // seen to have landed, the batch stands in the outbox.
            let mut tasks = self.flight.tasks();
            drop(tasks.remove(self.number));
        }
        self.flight.landed.notify_waiters();
    }
}

/// The answers to a batch, which leave as one line when the last place is given up.
struct Batch {
    answers: Mutex<Vec<u8>>,
    outbox: Arc<WriteQueue>,
}

impl Drop for Batch {
    fn drop(&mut self) {
        let answers = self
            .answers
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        // Nothing but notifications: no answer at all.
        if !answers.is_empty() {
            answers.push(b']');
            self.outbox.push_anyway(answers);
        }
    }
}

/// A place for an answer in a batch.
#[derive(Clone)]
pub(crate) struct Place(Arc<Batch>);

impl Place {
    /// The first place in a new batch.
    pub(crate) fn in_batch(outbox: &Arc<WriteQueue>) -> Self {
        Self(Arc::new(Batch {
            answers: Mutex::default(),
            outbox: Arc::clone(outbox),
        }))
    }

    pub(crate) fn fill(&self, message: &[u8]) {
        let mut answers = self
            .0
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let before = if answers.is_empty() { b'[' } else { b',' };
        answers.push(before);
        answers.extend_from_slice(message);
    }
}
