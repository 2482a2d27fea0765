//! Tasks: calls of tools that take longer than a client waits.
//!
//! With the feature `tasks`, a server can answer the call of a tool with the id of a *task*, and go
//! on working (extension `io.modelcontextprotocol/tasks`, for clients of revision 2026-07-28). The
//! client asks for the state of the task from time to time, or subscribes to it, and fetches the
//! result within the time for which it is kept. It may be another process then.
//!
//! ```
//! use std::time::Duration;
//!
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::{Context, HandlerError, Memory, Server, TaskOptions, Tasks, ToolDef};
//!
//! async fn render(cx: Context) -> Result<String, HandlerError> {
//!     let file = cx.once("file", async { Ok("film.mp4".to_owned()) }).await?;
//!     for second in 1..=3 {
//!         cx.progress(second, Some(3.0), format!("rendering second {second}")).await?;
//!         tokio::time::sleep(Duration::from_millis(10)).await;
//!     }
//!     Ok(file)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = TaskOptions::new()
//!     .time_limit(Duration::from_secs(10 * 60))
//!     .keep_result(Duration::from_secs(24 * 60 * 60))
//!     .run_again(2);
//! let server = Server::builder("studio", "1.0.0")
//!     .store(Memory::new()) // or Redis, or Postgres
//!     .extension(Tasks::new())
//!     .add_tool(ToolDef::new("render").handler(render).as_task(options))
//!     .build()?;
//! // A client that does not know tasks waits for the result.
//! let client = Client::builder("test", "1.0.0").connect(ByteStream::of(server.in_memory())).await?;
//! assert_eq!(client.call_tool("render").await?.text(), "film.mp4");
//! # Ok(())
//! # }
//! ```
//!
//! # In the handler
//!
//! The handler of a task is that of any tool:
//!
//! - [`progress`](crate::Context::progress) becomes the message of the task, at most once a second.
//!   Log messages are not part of the extension, and are discarded.
//! - A question, such as [`elicit`](crate::Context::elicit), waits until the client has answered it,
//!   with the time limit of the task. The task is `input_required` meanwhile.
//! - If the client cancels the task, the handler is dropped, as for a request.
//! - A failure of the tool is a result. Any other error fails the task, with its code and message.
//!
//! To ask the user before the task begins, see
//! [`TaskOptions::begins_later`](crate::TaskOptions::begins_later).
//!
//! # When the process ends
//!
//! A task that was accepted is in the [store](crate::ServerBuilder::store), and so are its answers, its
//! values of [`once`](crate::Context::once), and its result. With a store that processes share, any of
//! them answers for it.
//!
//! A process that is [shut down](super::shutdown) waits for its tasks as it does for requests, for the
//! [grace time](field@crate::Limits::grace_time). Then the handler is dropped, and another process
//! starts it again at once, if [`run_again`](crate::TaskOptions::run_again) permits it; otherwise the
//! task fails. If a process dies, another one finds that out after 30 to 45 seconds, and does the same.
//! For a handler that starts again:
//!
//! - the answers of the user and the values of `once` are those of before;
//! - an operation that was interrupted runs again. Give whatever has the effect the
//!   [`idempotency_key`](crate::Context::idempotency_key), so that it happens once;
//! - guards and scopes were checked when the task was accepted, and are not checked again.
//!
//! A process that only lost its store for that long goes on until it notices that another one has
//! taken over, so both may run the handler for some seconds.
//!
//! # Limits
//!
//! A task belongs to the principal who called, and its id cannot be guessed. [`Tasks`](crate::Tasks)
//! limits the tasks of a user, those that run in a process, and the size of a task with its params,
//! answers and result. A larger result fails the task: return a link to a resource instead.
