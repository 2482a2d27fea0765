//! Several processes: one endpoint, any number of processes, and no client that notices it.
//!
//! The processes share a [`Store`](crate::Store), in [`Redis`](crate::Redis), in
//! [`Postgres`](crate::Postgres), or in a database of your own. Behind it, any process can serve any
//! request, so that a load balancer need not send a client to the same one again. The example
//! `cluster` is a complete program, of which each process is started with the same settings:
//!
#![doc = concat!("```no_run\n", include_str!("../../examples/cluster.rs"), "```")]
//!
//! What differs from a program for one process:
//!
//! - [`keys`](crate::ServerBuilder::keys) are the same everywhere. Cursors, and the state of
//!   requests that ask the user, are sealed with them and travel with the client.
//! - What handlers keep between requests is in [`Stored`](crate::Stored), not in a
//!   [`State`](crate::State), which belongs to one process. It belongs to the
//!   [`Principal`](crate::Principal), so the endpoint has to authenticate its clients, here by
//!   [access tokens](super::oauth).
//! - [`until`](crate::Server::until) ends a process without losing requests. Its socket is closed
//!   at once, so that new connections go to the other processes, while the requests in flight
//!   continue for [`Limits::grace_time`](field@crate::Limits::grace_time). Restart one process
//!   after the other.
//! - Behind a proxy, name it with [`trusted_proxies`](crate::HttpConfig::trusted_proxies), so that limits
//!   apply to the clients.
//!
//! Handlers, changes such as [`tools_changed`](crate::Server::tools_changed), and clients need
//! nothing else. `docs/scale.md` in the repository has the settings of the databases and of the load
//! balancer, what is guaranteed when processes or the store fail, what to monitor, and what it
//! costs.
//!
//! A test needs no database: two servers that share one [`Memory`](crate::Memory) behave like two
//! processes.
//!
//! ```
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::{HandlerError, Memory, Server, Stored, StoredValue};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Default, Serialize, Deserialize)]
//! struct Visits(u32);
//!
//! impl StoredValue for Visits {
//!     const NAME: &'static str = "visits";
//! }
//!
//! async fn visit(visits: Stored<Visits>) -> Result<String, HandlerError> {
//!     let more = |visits: Option<Visits>| Visits(visits.unwrap_or_default().0 + 1);
//!     Ok(visits.update(more).await?.0.to_string())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Memory::new();
//! for visits in ["1", "2"] {
//!     let server = Server::builder("shop", "1.0.0")
//!         .store(store.clone())
//!         .tool("visit", "Counts the visits", visit)
//!         .build()?;
//!     let transport = ByteStream::of(server.in_memory());
//!     let client = Client::builder("test", "1.0.0").connect(transport).await?;
//!     assert_eq!(client.call_tool("visit").await?.text(), visits);
//! }
//! # Ok(())
//! # }
//! ```
