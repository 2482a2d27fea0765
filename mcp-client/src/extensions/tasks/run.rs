//! [`TaskRun`]: follows a task to its end.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::{Object, Value};
use mcp_types::rpc::{INTERNAL_ERROR, INVALID_PARAMS};
use mcp_types::{
    CallToolRequest, CancelTaskRequest, GetTaskRequest, ProgressNotificationParams, Request,
    TaskStatus, UpdateTaskRequest,
};
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until, timeout};

use super::questions::Questions;
use super::snapshot::Snapshot;
use crate::features::calls::any::JsonCall;
use crate::features::shared_connection::SharedConnection;
use crate::features::subscriptions::backoff::Backoff;
use crate::protocol::connection::Progress;
#[cfg(feature = "http")]
use crate::protocol::error::HttpError;
use crate::protocol::error::{CallError, TaskError, TransportError};
use crate::protocol::lenient;

/// How long the cancellation of a task that was dropped may take.
const CANCEL_TIME: Duration = Duration::from_secs(5);

/// How often in a row the server may fail to tell the state of a task. The task itself may go on
/// meanwhile.
const FAILURES: u32 = 5;

/// A task of a server.
#[derive(Clone)]
pub(super) struct TaskConnection {
    pub(super) connection: SharedConnection,
    pub(super) id: String,
    /// How long a question of the task waits for its permit.
    pub(super) permit_time: Duration,
}

impl TaskConnection {
    /// Sends a request of the extension, with further params.
    pub(super) async fn send(
        &self,
        method: &'static str,
        mut params: Object,
    ) -> Result<Box<RawValue>, CallError> {
        params.insert("taskId", self.id.clone());
        JsonCall::new(self.connection.clone(), method.into(), &params).await
    }

    /// Asks for the state of the task.
    pub(super) async fn get(&self) -> Result<Box<RawValue>, CallError> {
        let sent = self.send(GetTaskRequest::METHOD, Object::new());
        sent.await.map_err(unknown)
    }

    pub(super) async fn update(&self, answers: Object) -> Result<(), CallError> {
        let params = Object::from([("inputResponses", Value::Object(answers))]);
        self.send(UpdateTaskRequest::METHOD, params).await.map(drop)
    }

    pub(super) async fn cancel(&self) -> Result<(), CallError> {
        let sent = self.send(CancelTaskRequest::METHOD, Object::new());
        sent.await.map(drop)
    }
}

/// Recognises the error for a task that the server does not have.
pub(super) fn unknown(error: CallError) -> CallError {
    match error {
        CallError::Refused { source, .. } if source.code == INVALID_PARAMS => {
            TaskError::Unknown { source }.into()
        }
        other => other,
    }
}

/// Polls a task until it ends, and answers its questions.
pub(super) struct TaskRun {
    task: TaskConnection,
    questions: Questions,
    progress: Option<Arc<Progress>>,
    /// What was reported last, and the number of reports.
    reported: Option<ProgressNotificationParams>,
    reports: i64,
    started: Instant,
    ttl: Option<Duration>,
    next: Instant,
    pause: Duration,
    backoff: Backoff,
    /// How often in a row the server answered with an internal error.
    failures: u32,
    /// Whether dropping this cancels the task.
    cancels: bool,
}

impl TaskRun {
    /// Begins with the state in which the server announced the task, if it is known.
    pub(super) fn new(
        task: TaskConnection,
        announced: Option<Snapshot>,
        progress: Option<Arc<Progress>>,
    ) -> Self {
        let now = Instant::now();
        let mut run = Self {
            questions: Questions::default(),
            progress,
            reported: None,
            reports: 0,
            started: now,
            ttl: None,
            next: now,
            pause: Duration::ZERO,
            backoff: Backoff::new(&task.connection.connection().limits),
            failures: 0,
            cancels: false,
            task,
        };
        if let Some(announced) = announced {
            run.observe(&announced);
            if announced.status == Some(TaskStatus::Working) {
                run.next = now + run.pause;
            }
        }
        run
    }

    /// Cancels the task if this is dropped before its end.
    pub(super) fn cancel_on_drop(mut self) -> Self {
        self.cancels = true;
        self
    }

    /// Returns the result of the task as JSON.
    pub(super) async fn finish(mut self) -> Result<Box<RawValue>, CallError> {
        loop {
            tokio::select! {
                biased;
                answered = self.questions.answered(&self.task.connection) => answered?,
                () = sleep_until(self.next) => {}
            }
            let failures = self.failures;
            let done = match self.questions.unsent().cloned() {
                Some(answers) => self.update(answers).await.map(|()| None),
                None => self.poll().await,
            };
            match done {
                Ok(Some(result)) => return Ok(result),
                Ok(None) => {}
                Err(error) if self.failures > FAILURES => {
                    // The task may be working, and another process may follow it.
                    self.cancels = false;
                    return Err(error);
                }
                Err(error) if self.failures > failures || self.is_transient(&error) => {
                    tracing::debug!(%error, "a task cannot be polled now");
                    self.next = Instant::now() + self.backoff.next(error.retry_after());
                    if self.has_expired() {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
            if let Some(ttl) = self.ttl.filter(|_| self.has_expired()) {
                return Err(TaskError::Expired { ttl }.into());
            }
        }
    }

    /// Returns `true` if the server does not keep the task any more.
    fn has_expired(&self) -> bool {
        self.ttl.is_some_and(|ttl| self.started.elapsed() > ttl)
    }

    /// Sends answers. If the server refuses them, the next state of the task may tell why.
    async fn update(&mut self, answers: Object) -> Result<(), CallError> {
        match self.task.update(answers).await {
            Ok(()) => {
                self.failures = 0;
                self.questions.sent();
                Ok(())
            }
            Err(error) if error.code() == Some(INVALID_PARAMS) => {
                self.questions.sent();
                self.poll().await?.map_or(Err(error), |_| Ok(()))
            }
            Err(error) => {
                self.count(&error);
                Err(error)
            }
        }
    }

    /// Counts the internal errors of the server.
    fn count(&mut self, error: &CallError) {
        self.failures += u32::from(error.code() == Some(INTERNAL_ERROR));
    }

    /// Asks for the state, and returns the result if there is one.
    async fn poll(&mut self) -> Result<Option<Box<RawValue>>, CallError> {
        self.backoff.begin();
        let text = self.task.get().await.inspect_err(|error| {
            if let CallError::Task(TaskError::Unknown { .. }) = error {
                self.cancels = false;
            }
            self.count(error);
        })?;
        self.failures = 0;
        self.backoff.opened();
        let revision = self.task.connection.connection().revision();
        let state = Snapshot::read(revision, text.get())?;
        self.observe(&state);
        self.next = Instant::now() + self.pause;
        let ends = !matches!(
            state.status,
            Some(TaskStatus::Working | TaskStatus::InputRequired)
        );
        self.cancels &= !ends;
        match state.status {
            Some(TaskStatus::InputRequired) => {
                let asked = state
                    .input_requests
                    .as_deref()
                    .ok_or_else(|| Snapshot::lacks("inputRequests"))?;
                let time = self.task.permit_time;
                self.questions.ask(&self.task.connection, asked, time)?;
                Ok(None)
            }
            Some(TaskStatus::Completed) => {
                let result = state.result.ok_or_else(|| Snapshot::lacks("result"))?;
                Ok(Some(result))
            }
            Some(TaskStatus::Failed) => {
                let error = state.error.ok_or_else(|| Snapshot::lacks("error"))?;
                Err(CallError::Refused {
                    method: CallToolRequest::METHOD.into(),
                    source: lenient::error_object(error.get()),
                    transport: None,
                })
            }
            Some(TaskStatus::Cancelled) => {
                let message = state.status_message;
                Err(TaskError::Cancelled { message }.into())
            }
            _ => Ok(None),
        }
    }

    /// Follows the times of the server, and reports new progress.
    fn observe(&mut self, state: &Snapshot) {
        self.ttl = state.ttl();
        self.pause = state.pause();
        let Some(progress) = &self.progress else {
            return;
        };
        let report = state.progress(&self.task.id, self.reports);
        if report.is_none() || report == self.reported {
            return;
        }
        self.reports += 1;
        self.reported = state.progress(&self.task.id, self.reports);
        if let Some(report) = self.reported.clone() {
            progress.report(report);
        }
    }

    /// Returns `true` if another attempt may succeed.
    fn is_transient(&self, error: &CallError) -> bool {
        let is_transient = match error {
            CallError::Lost { source, .. } => match source.as_ref() {
                TransportError::Closed => self.task.connection.connection().state.is_reconnecting(),
                #[cfg(feature = "http")]
                TransportError::Http(HttpError::Status { status, .. }) => status.is_server_error(),
                _ => false,
            },
            _ => false,
        };
        is_transient || error.is_transient()
    }
}

impl Drop for TaskRun {
    fn drop(&mut self) {
        if self.cancels {
            let task = self.task.clone();
            let background = &self.task.connection.features().background;
            background.spawn(async move {
                // The server decides whether it ends the work.
                let _ = timeout(CANCEL_TIME, task.cancel()).await;
            });
        }
    }
}
