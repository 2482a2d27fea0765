//! Servers of all revisions: how a client finds out what a server speaks, and what that changes for
//! the program that uses it.
//!
//! # Two eras
//!
//! | revision | begins with | what servers of it do not know |
//! | --- | --- | --- |
//! | 2026-07-28 | any request, which says its revision itself; here with `server/discover` | requests to the client: they answer with questions |
//! | 2025-11-25 | `initialize` | caching hints, `server/discover`, `subscriptions/listen` |
//! | 2025-06-18 | `initialize` | icons, elicitation by URL, tools in sampling, several choices in a form |
//! | 2025-03-26 | `initialize` | elicitation, structured content, links to resources, titles, the context of a completion |
//! | 2024-11-05 | `initialize` | audio, annotations of tools |
//!
//! A program is written once, with the types of the newest revision. What it says is written in the
//! form of the server's revision, and what comes is read from it:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::Client;
//! use mcp_client::types::Revision;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use mcp_server::Server;
//! # let server = Server::builder("hello", "1.0.0")
//! #     .tool("hello", "Says hello", async || "Hello!")
//! #     .build()?;
//! for &revision in Revision::ALL {
//!     // Pinned: this revision and no other.
//!     let builder = Client::builder("demo", "1.0.0").revision(revision);
//!     let client = builder.connect(serve(server.clone())).await?;
//!     assert_eq!(client.call_tool("hello").await?.text(), "Hello!");
//! }
//!
//! // As usual: the newest one that both sides speak.
//! let client = Client::builder("demo", "1.0.0").connect(serve(server)).await?;
//! assert_eq!(client.revision(), Revision::LATEST);
//! println!("{:?} {:?}", client.server_info(), client.server_capabilities());
//! # Ok(())
//! # }
//! ```
//!
//! # How it is found out
//!
//! [`connect`](crate::ClientBuilder::connect) asks `server/discover`, in the form of the newest
//! revision.
//!
//! - A result names the revisions that the server speaks, and so does the refusal -32022. The newest
//!   of them that this client knows is spoken; where there is none, the error is
//!   [`ConnectError::Revision`](crate::ConnectError).
//! - Any other refusal, on byte streams also silence for
//!   [`Limits::probe_time`](crate::Limits) or the end of a child process, means a server of the time
//!   before. It gets `initialize`, which offers 2025-11-25, and may choose an older revision. A
//!   child process that ended is started once more for that.
//! - Over HTTP a status of 4xx without a message means the same, but for 401, 403, 407, 408 and 429,
//!   which are errors. Where `initialize` is refused with 400, 404 or 405, the HTTP+SSE of 2024-11-05
//!   is tried last.
//!
//! A server that is silent when it is asked what it does not know costs 5 seconds. Who knows the
//! revision pins it by [`revision`](crate::ClientBuilder::revision), or makes the probe shorter.
//!
//! A process that is started again is asked as it answered before. Over HTTP an `EraCache` remembers
//! the origins of servers, from one client to the next (feature `http`). What proves wrong is found out
//! anew.
//!
//! # What is the same
//!
//! Calls, lists, progress, cancellation, [questions](super::questions), logs and
//! [subscriptions](super::changes) are the same lines of a program. What the server said of itself is
//! in [`server_info`](crate::Client::server_info),
//! [`server_capabilities`](crate::Client::server_capabilities) and
//! [`instructions`](crate::Client::instructions), whichever way it said so. The level of
//! [`on_log`](crate::ClientBuilder::on_log) goes with each request of the newest revision, and by
//! `logging/setLevel` to a session.
//!
//! # What is not
//!
//! - **What the server's revision has no words for.** Params that cannot be said are a
//!   [`CallError::Params`](crate::CallError), and nothing is sent: `client.discover()` to an older
//!   server, say. In results it is what is absent: results of older revisions may not be cached
//!   (`ttl_ms` is 0), and have no structured content before 2025-06-18.
//! - **When questions come.** Older servers ask by requests of their own, at any time, and need not
//!   be at work on a call. Those of 2026-07-28 ask only in answer to one.
//! - **What changes are heard of.** Older servers announce changes of lists without being asked, to
//!   [`on_notification`](crate::ClientBuilder::on_notification) also where nobody listens.
//! - **Requests that went away**, such as `ping`: [they are made by their
//!   types](super::calls#requests-that-have-no-method-here).
