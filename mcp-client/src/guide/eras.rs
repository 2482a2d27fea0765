//! Servers of all revisions: how the client detects the revision, and what differs for the program.
//!
//! # Two eras
//!
//! Revisions without a handshake are *modern*
//! ([`Revision::is_modern`](crate::types::Revision::is_modern)), those with one are *legacy*.
//!
//! | revision | begins with | what its servers do not support |
//! | --- | --- | --- |
//! | 2026-07-28 | any request, each names its revision; this client sends `server/discover` | requests to the client: they answer calls with questions instead |
//! | 2025-11-25 | `initialize` | caching hints, `server/discover`, `subscriptions/listen` |
//! | 2025-06-18 | `initialize` | icons, elicitation by URL, tools in sampling, several choices in a form |
//! | 2025-03-26 | `initialize` | elicitation, structured content, links to resources, titles, the context of a completion |
//! | 2024-11-05 | `initialize` | audio, annotations of tools |
//!
//! A program is written once, with the types of the newest revision. The client encodes requests in
//! the form of the negotiated revision, and decodes results from it:
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
//! // By default: the newest revision that both sides support.
//! let client = Client::builder("demo", "1.0.0").connect(serve(server)).await?;
//! assert_eq!(client.revision(), Revision::LATEST);
//! println!("{:?} {:?}", client.server_info(), client.server_capabilities());
//! # Ok(())
//! # }
//! ```
//!
//! The draft of the next revision is used only by a client that asks for it: with the Cargo feature
//! `draft`, pin `Revision::Draft`. It is unstable: any release of this crate may follow a newer
//! draft.
//!
//! # Negotiation
//!
//! [`connect`](crate::ClientBuilder::connect) sends `server/discover`, in the form of the newest
//! revision.
//!
//! - The result names the revisions that the server supports, and so does the error -32022. The
//!   client uses the newest one that it supports, or fails with
//!   [`ConnectError::Revision`](crate::ConnectError). If that is another modern revision than the
//!   one of the request, it sends `server/discover` again in the form of that revision. No revision
//!   is tried more than twice.
//! - Any other response means an older server; so does the exit of a child process that has read
//!   the request, which is then restarted once. The client sends `initialize`, which offers
//!   2025-11-25, and the server may choose an older revision.
//! - If there is no response within [`Limits::probe_time`](crate::Limits), the client sends
//!   `initialize` as well. Until [`Limits::call_time`](crate::Limits) has elapsed, the first of
//!   both responses decides, so a server may start slowly. If the server rejects the handshake with
//!   -32022, the client sends `server/discover` once more.
//! - Over HTTP, the statuses 401, 403, 407, 408, 429, those from 500 on, redirects and failed
//!   connections are errors. If `initialize` is rejected with 400, 404 or 405, the client tries the
//!   HTTP+SSE of 2024-11-05.
//!
//! A server that does not answer unknown requests delays the connection by 5 seconds. If the
//! revision is known, pin it with [`revision`](crate::ClientBuilder::revision), or shorten the
//! probe.
//!
//! A restarted process begins with the request that succeeded before. Over HTTP, an `EraCache`
//! remembers the era and the revision of servers by their origin, from one client to the next
//! (feature `http`). If the entry is outdated, the client negotiates again. If a server supports a
//! newer revision than the remembered one, its answer to `server/discover` says so, and the client
//! uses the newer one.
//!
//! # What is the same
//!
//! Calls, lists, progress, cancellation, [questions](super::questions), logs and
//! [subscriptions](super::changes) have the same API. The description of the server is in
//! [`server_info`](crate::Client::server_info),
//! [`server_capabilities`](crate::Client::server_capabilities) and
//! [`instructions`](crate::Client::instructions). The client sends the level of
//! [`on_log`](crate::ClientBuilder::on_log) with each request of a modern revision, and with
//! `logging/setLevel` in a session.
//!
//! # What differs
//!
//! - **What the revision of the server cannot express.** Such params are a
//!   [`CallError::Params`](crate::CallError), and nothing is sent: for example `client.discover()`
//!   to an older server. Results lack it: results of older revisions may not be cached (`ttl_ms` is
//!   0), and have no structured content before 2025-06-18.
//! - **When servers ask questions.** Older servers send requests at any time, also without a call.
//!   Modern servers ask only in response to a call.
//! - **Which changes are reported.** Older servers announce changes of lists without a
//!   subscription; [`on_notification`](crate::ClientBuilder::on_notification) handles them.
//! - **Requests that were removed**, such as `ping`: [send them by their
//!   types](super::calls#other-requests).
