//! [`Tasks`]: the settings of the extension.

use std::time::Duration;

use serde::Deserialize;

use crate::features::tools::definition::ToolDef;
use crate::protocol::handler::extract::ExtensionSettings;

/// The identifier of the extension.
pub(crate) const IDENTIFIER: &str = "io.modelcontextprotocol/tasks";

/// What clients announce: nothing but that they know the extension.
#[derive(Deserialize)]
pub(crate) struct ClientTasks {}

impl ExtensionSettings for ClientTasks {
    const IDENTIFIER: &'static str = IDENTIFIER;
}

/// The official extension `io.modelcontextprotocol/tasks` (repository ext-tasks), for
/// [`ServerBuilder::extension`](crate::ServerBuilder::extension). A tool becomes a task by
/// [`ToolDef::as_task`](crate::ToolDef::as_task). See the [guide](crate::guide::tasks).
///
/// ```
/// use std::time::Duration;
///
/// use mcp_server::{Context, HandlerError, Server, TaskOptions, Tasks, ToolDef};
///
/// async fn report(cx: Context) -> Result<String, HandlerError> {
///     for chapter in 1..=3 {
///         cx.progress(chapter, Some(3.0), "writing").await?;
///         tokio::time::sleep(Duration::from_secs(60)).await;
///     }
///     Ok("the report".to_owned())
/// }
///
/// let report = ToolDef::new("report")
///     .description("Writes a report, which takes minutes")
///     .handler(report)
///     .as_task(TaskOptions::new());
/// let server = Server::builder("office", "1.0.0")
///     .extension(Tasks::new())
///     .add_tool(report)
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "the extension does nothing until it is added to a server"]
pub struct Tasks {
    pub(crate) per_user: usize,
    pub(crate) bytes: usize,
    pub(crate) running: usize,
    pub(crate) watched: usize,
    pub(crate) poll_interval: Duration,
}

impl Default for Tasks {
    fn default() -> Self {
        Self::new()
    }
}

impl Tasks {
    /// Creates the extension with the default limits.
    pub fn new() -> Self {
        Self {
            per_user: 100,
            bytes: 256 << 10,
            running: 10_000,
            watched: 100,
            poll_interval: Duration::from_secs(1),
        }
    }

    /// Sets how many tasks a user may have at all processes together, those that have ended and are
    /// still kept included: 100 by default. The user is the [`Principal`](crate::Principal), or
    /// else the address of the client.
    pub fn per_user(mut self, tasks: usize) -> Self {
        self.per_user = tasks;
        self
    }

    /// Sets the maximum size of a task in bytes, with its params, answers and result: 256 KiB by
    /// default, and at most 1 MiB. A call with larger params is refused, and a larger result fails the
    /// task. Without a [store](crate::ServerBuilder::store), all values of a process together have at
    /// most 64 MiB, and tasks are most of them: a server with many users needs a store.
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes.min(1 << 20);
        self
    }

    /// Sets how many tasks run in this process at once: 10,000 by default. Further calls are refused
    /// with an error.
    pub fn running(mut self, tasks: usize) -> Self {
        self.running = tasks;
        self
    }

    /// Sets how many tasks one subscription may name: 100 by default.
    pub fn watched(mut self, tasks: usize) -> Self {
        self.watched = tasks;
        self
    }

    /// Sets the interval at which clients are asked to poll: a second by default. Rounded to
    /// milliseconds.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }
}

/// How the calls of a tool become tasks, for [`ToolDef::as_task`].
#[derive(Clone, Copy, Debug)]
#[must_use = "the options do nothing until they are given to a tool"]
pub struct TaskOptions {
    pub(crate) is_required: bool,
    pub(crate) begins_later: bool,
    /// How often the handler may be started in all.
    pub(crate) runs: u32,
    pub(crate) time_limit: Duration,
    pub(crate) kept: Duration,
}

impl Default for TaskOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl TaskOptions {
    /// Creates the default options: calls of clients that know tasks become tasks, other calls are
    /// answered with the result. A task runs for an hour at most, and its result is kept for an hour.
    /// If its process ends, it has failed.
    pub fn new() -> Self {
        let hour = Duration::from_secs(60 * 60);
        Self {
            is_required: false,
            begins_later: false,
            runs: 1,
            time_limit: hour,
            kept: hour,
        }
    }

    /// Refuses the calls of clients that do not know tasks with -32021.
    pub fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Lets the handler decide when the task begins, by
    /// [`Context::begin_task`](crate::Context::begin_task). What it asks before is asked in the
    /// response to the call, while the user waits.
    pub fn begins_later(mut self) -> Self {
        self.begins_later = true;
        self
    }

    /// Starts the handler again if the process that runs it ends, up to so many times; a shutdown of
    /// the server does not count. The process is usually another one, of those that share a
    /// [store](crate::ServerBuilder::store).
    ///
    /// The handler begins anew, so what has effects belongs in [`Context::once`](crate::Context::once):
    /// its value is stored before the handler goes on. Answers of the user are kept as well. A handler
    /// that is started again has the [`Principal`](crate::Principal) of the call, and neither its
    /// access token nor its HTTP headers.
    pub fn run_again(mut self, times: u32) -> Self {
        self.runs = times.saturating_add(1);
        self
    }

    /// Sets after which time, counted from the call, the handler is stopped and the task has failed:
    /// an hour by default. Starts of the handler do not extend it.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Sets for how long the result is kept after the end of the task: an hour by default.
    pub fn keep_result(mut self, time: Duration) -> Self {
        self.kept = time;
        self
    }
}

impl ToolDef {
    /// Lets the calls of this tool run as tasks of the extension
    /// [`io.modelcontextprotocol/tasks`](crate::Tasks), which the server needs as well. The handler does
    /// not change: progress, questions to the user and cancellation work as in a request.
    pub fn as_task(mut self, options: TaskOptions) -> Self {
        self.extensions.insert(options);
        self
    }
}
