//! [`TaskHandle`]: a task that the program follows itself.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::{self, Object};
use mcp_types::revision::VersionError;
use mcp_types::{
    CallToolRequest, CallToolResult, GetTaskRequest, GetTaskResult, InputResponses,
    ProgressNotificationParams, Request, Revision, UpdateTaskRequest,
};

use super::run::{TaskConnection, TaskRun, unknown};
use super::snapshot::{Announcement, is_task};
use crate::features::calls::{Call, Decoded, decode};
use crate::features::inspect::{Inspect, KnownResult};
use crate::features::shared_connection::SharedConnection;
use crate::protocol::connection::Progress;
use crate::protocol::error::CallError;
use crate::protocol::lenient;

/// What [`Call::start_task`] returns.
#[derive(Debug)]
pub enum StartedCall {
    /// The server works on a task.
    Task(TaskHandle),
    /// The server has no task for this call; this is its result.
    Finished(Box<CallToolResult>),
}

impl Call<CallToolRequest> {
    /// Calls the tool. If the server makes a task of the call, returns a handle of it at once.
    /// Questions that come before the task are answered. Requires [`Tasks`](crate::Tasks).
    ///
    /// # Errors
    ///
    /// See [`CallError`].
    pub async fn start_task(self) -> Result<StartedCall, CallError> {
        let connection = self.connection().clone();
        let tool = self.params().name.clone();
        let of = connection.clone();
        let read = move |revision: Revision, text: &str| {
            if of.deferred().is_some() && is_task(&of, text) {
                return Ok(Decoded::Announced(StartResponse::Task(text.to_owned())));
            }
            Ok(match decode::<CallToolRequest>(revision, text)? {
                Decoded::Final(result) => Decoded::Final(StartResponse::Result(result)),
                Decoded::InputRequired(asked) => Decoded::InputRequired(asked),
                _ => Decoded::Other,
            })
        };
        match self.finish(read).await? {
            StartResponse::Result(result) => Ok(StartedCall::Finished(Box::new(result))),
            StartResponse::Task(text) => {
                let announced = Announcement::read(connection.connection().revision(), &text)?;
                let mut handle = TaskHandle::new(connection, announced.task_id.0);
                handle.tool = Some(tool);
                handle.ttl = announced.state.ttl();
                Ok(StartedCall::Task(handle))
            }
        }
    }
}

/// A result of a call, or the response that announces a task.
enum StartResponse {
    Result(CallToolResult),
    Task(String),
}

impl Inspect for StartResponse {
    fn inspect(&mut self) -> KnownResult<'_> {
        match self {
            Self::Result(result) => KnownResult::CallTool(result),
            Self::Task(_) => KnownResult::Other,
        }
    }
}

/// A task of a server: the call of a tool that goes on after its response. See the
/// [guide](crate::guide::tasks).
///
/// Dropping it does not cancel the task. Its [`id`](Self::id) can be stored, and
/// [`Client::task`](crate::Client::task) makes another handle of it, also in another process.
pub struct TaskHandle {
    task: TaskConnection,
    /// The name of the tool, if it is known.
    tool: Option<String>,
    ttl: Option<Duration>,
}

impl TaskHandle {
    pub(crate) fn new(connection: SharedConnection, id: String) -> Self {
        let permit_time = connection.connection().limits.call_time;
        Self {
            task: TaskConnection {
                connection,
                id,
                permit_time,
            },
            tool: None,
            ttl: None,
        }
    }

    /// Returns the id. Anyone who knows it may be able to use the task: keep it like a password.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.task.id
    }

    /// Returns for how long the server keeps the task, as it announced it; `None` if it keeps it for
    /// ever, and for a handle of a stored id.
    #[must_use]
    pub fn ttl(&self) -> Option<Duration> {
        self.ttl
    }

    /// Asks for the state of the task.
    ///
    /// # Errors
    ///
    /// [`CallError::Task`] if the server does not have it, and others of a call.
    pub async fn get(&self) -> Result<GetTaskResult, CallError> {
        let method = GetTaskRequest::METHOD;
        let text = self.task.get().await?;
        let revision = self.task.connection.connection().revision();
        let read = lenient::read(revision, method, text.get(), Revision::decode);
        read.map_err(|source| CallError::Answer { method, source })
    }

    /// Waits for the result, and answers questions meanwhile, by the handlers of the client. Waits as
    /// long as the server keeps the task, whatever the timeout of calls is. Dropping the future does
    /// not cancel the task.
    ///
    /// # Errors
    ///
    /// The error with which the task failed, [`CallError::Task`], and others of a call.
    pub async fn wait(&self) -> Result<CallToolResult, CallError> {
        self.follow(None).await
    }

    /// Does the same as [`wait`](Self::wait), and reports the progress of the task.
    ///
    /// # Errors
    ///
    /// Those of [`wait`](Self::wait).
    pub async fn wait_with_progress(
        &self,
        handler: impl Fn(ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Result<CallToolResult, CallError> {
        self.follow(Some(Progress::new(Box::new(handler)))).await
    }

    async fn follow(&self, progress: Option<Arc<Progress>>) -> Result<CallToolResult, CallError> {
        let method = CallToolRequest::METHOD;
        let text = TaskRun::new(self.task.clone(), None, progress)
            .finish()
            .await?;
        let connection = self.task.connection.connection();
        let features = self.task.connection.features();
        let failed = |source| CallError::Answer { method, source };
        let read = decode::<CallToolRequest>;
        let read = lenient::read(connection.revision(), method, text.get(), read);
        let Decoded::Final(mut result) = read.map_err(failed)? else {
            let fault = <serde_json::Error as serde::de::Error>::custom("it is not final");
            return Err(failed(VersionError::from(fault)));
        };
        features.adapt_result(&mut result, connection);
        #[cfg(feature = "json-schema")]
        if let Some(tool) = &self.tool {
            features.output_schemas.check(tool, &result).await?;
        }
        Ok(result)
    }

    /// Sends answers to questions of the task, under the keys of the questions in its state.
    /// [`wait`](Self::wait) answers them by itself.
    ///
    /// # Errors
    ///
    /// [`CallError::Task`] if the server does not have the task, and others of a call.
    pub async fn update(&self, answers: InputResponses) -> Result<(), CallError> {
        let method = UpdateTaskRequest::METHOD;
        let mut members = Object::new();
        for (key, answer) in &answers {
            let value = json::to_value(answer).map_err(|error| {
                let source = error.into();
                CallError::Params {
                    method: method.into(),
                    source,
                }
            })?;
            members.insert(key, value);
        }
        self.task.update(members).await.map_err(unknown)
    }

    /// Asks the server to cancel the task. It may finish nevertheless.
    ///
    /// # Errors
    ///
    /// [`CallError::Task`] if the server does not have the task, and others of a call.
    pub async fn cancel(&self) -> Result<(), CallError> {
        self.task.cancel().await.map_err(unknown)
    }
}

impl fmt::Debug for TaskHandle {
    /// The id may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskHandle")
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}
