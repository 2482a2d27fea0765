//! Tasks: calls of tools that take longer than a client waits.
//!
//! With the feature `tasks` and the extension [`Tasks`](crate::Tasks), a server of revision
//! 2026-07-28 may answer the call of a tool with a *task*, and go on working (extension
//! `io.modelcontextprotocol/tasks`). The server decides that for each call.
//!
//! ```
//! use std::time::Duration;
//!
//! use mcp_client::{CallError, Client, StartedCall, TaskError, Tasks};
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let tasks = mcp_server::Tasks::new().poll_interval(Duration::from_millis(10));
//! # let render = mcp_server::ToolDef::new("render").handler(async || "film.mp4");
//! # let server = mcp_server::Server::builder("studio", "1.0.0")
//! #     .extension(tasks)
//! #     .add_tool(render.as_task(mcp_server::TaskOptions::new()))
//! #     .build()?;
//! let tasks = Tasks::new().time_limit(Duration::from_secs(60 * 60));
//! let client = Client::builder("editor", "1.0.0").extension(tasks).connect(serve(server)).await?;
//!
//! // Waits for the end, however the server works.
//! let film = client.call_tool("render").on_progress(|report| println!("{report:?}")).await?;
//! assert_eq!(film.text(), "film.mp4");
//!
//! // Returns at once. The id can be stored.
//! let id = match client.call_tool("render").start_task().await? {
//!     StartedCall::Task(task) => task.id().to_owned(),
//!     StartedCall::Finished(film) => return Ok(println!("{}", film.text())),
//! };
//!
//! // Later, perhaps in another process.
//! match client.task(id).wait().await {
//!     Ok(film) => println!("{}", film.text()),
//!     Err(CallError::Task(TaskError::Unknown { .. })) => println!("the film is not kept any more"),
//!     Err(error) => return Err(error.into()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # While a task runs
//!
//! The client asks for its state at the interval that the server names, between 100 milliseconds
//! and a minute, or else each second. If the connection is lost or the server has too much to do,
//! it tries again, with growing pauses.
//!
//! - A new message of the task is [progress](crate::Call::on_progress) of the call.
//! - Each question is answered once, by the handlers of the client, as the page
//!   [`questions`](super::questions) describes.
//! - A task that fails is the error of the call, with the code, the message and the data. A
//!   cancelled one is a [`TaskError`](crate::TaskError), and so is one that the server does not keep
//!   any more.
//! - The timeout of the call includes the task, unless [`time_limit`](crate::Tasks::time_limit) sets
//!   another one for tasks.
//! - Dropping the future of the call, or its timeout, cancels the task.
//!   [`close`](crate::Client::close) waits until that is sent.
//!
//! # Handles
//!
//! [`start_task`](crate::Call::start_task) and [`task`](crate::Client::task) return a
//! [`TaskHandle`](crate::TaskHandle), which waits, asks for the state, answers and cancels. Dropping
//! it, or its futures, does not cancel the task. An id that a program stores is like a password: it
//! may be all that the server asks for.
//!
//! [Middleware](super::middleware) sees the response that announces the task, and the requests
//! `tasks/get`, `tasks/update` and `tasks/cancel`.
