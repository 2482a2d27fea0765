//! [`TaskOptions`]: how a tool runs as a task.

use std::time::Duration;

use crate::features::tools::definition::ToolDef;

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
