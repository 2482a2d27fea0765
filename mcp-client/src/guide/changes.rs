//! Subscriptions to changes, log messages and other notifications, and the cache.
//!
//! # Subscriptions
//!
//! [`listen`](crate::Client::listen) subscribes to the changes that a filter names. The client
//! sends one `subscriptions/listen` request to a server of 2026-07-28, which lasts as long as the
//! subscription. To an older server, it sends `resources/subscribe` for each resource, and receives
//! the changes of lists that the server announces; over HTTP, on the stream of a GET request.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::types::{Revision, SubscriptionFilter};
//! use mcp_client::{Client, SubscriptionEvent};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use mcp_server::types::ToolsCapability;
//! # use mcp_server::{Context, ResourceDef, Server, ToolDef};
//! # for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
//! # let server = Server::builder("notes", "1.0.0")
//! #     .add_resource(ResourceDef::text("note://1", "note", "Buy milk"))
//! #     .capabilities(|all| all.tools(ToolsCapability::new().list_changed(true)))
//! #     .build()?;
//! # let builder = Client::builder("demo", "1.0.0").revision(revision);
//! # let client = builder.connect(serve(server.clone())).await?;
//! let filter = SubscriptionFilter::new()
//!     .tools_list_changed(true)
//!     .resource_subscriptions(["note://1".to_owned()]);
//! let mut changes = client.listen(filter);
//! while let Some(event) = changes.next().await {
//!     match event? {
//!         SubscriptionEvent::Listening(filter) => {
//!             // Earlier changes were not reported, so read the current state now.
//!             println!("listening to {filter:?}");
//!             client.read_resource("note://1").await?;
//! #             server.resource_updated("note://1");
//!         }
//!         SubscriptionEvent::ResourceUpdated(updated) => {
//!             client.read_resource(updated.uri).await?;
//! #             server.tools().add(ToolDef::new("late").handler(async || ()))?;
//!         }
//!         SubscriptionEvent::ToolListChanged => {
//!             client.tools().all().await?;
//! #             break;
//!         }
//!         SubscriptionEvent::Missed => println!("anything may have changed"),
//!         SubscriptionEvent::Interrupted { error, again } => {
//!             println!("{error}; trying again in {again:?}");
//!         }
//!         other => println!("{other:?}"),
//!     }
//! }
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! - **`Listening`** contains the changes that the server reports, which may be fewer than
//!   requested. It is sent again after each interruption.
//! - **`Interrupted`** reports that the connection failed, the server did not answer in time, a
//!   child process was restarted, or a session ended. The client tries again, first after
//!   [`Limits::retry_first`](crate::Limits), then after twice the time, at most
//!   [`Limits::retry_most`](crate::Limits), each time shortened by a random part.
//! - **The end** is an error, if the server rejected it or
//!   the connection is closed. No event follows.
//! - **If the program receives no events**, memory stays bounded: a repeated change is queued once,
//!   and beyond `pending_events` and `pending_bytes` of [`Limits`](crate::Limits), one
//!   [`Missed`](crate::SubscriptionEvent::Missed) replaces all further events.
//!
//! Dropping the subscription ends it on the server: with a cancellation, over HTTP by closing the
//! response, on older servers with `resources/unsubscribe` unless another subscription has the same
//! resource. A subscription keeps the connection open, like a clone of the client.
//!
//! # Other notifications
//!
//! [`on_log`](crate::ClientBuilder::on_log) handles log messages of the server from a level on, and
//! [`on_notification`](crate::ClientBuilder::on_notification) handles any notification, including
//! those that the application defines. The task that reads messages calls both, so they must not
//! block.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::Client;
//! use mcp_client::types::LoggingLevel;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use mcp_server::{Context, HandlerError, Server};
//! # let server = Server::builder("logs", "1.0.0")
//! #     .tool("log", "Logs", async |cx: Context| -> Result<(), HandlerError> {
//! #         cx.log(LoggingLevel::Error, "disk", "full").await?;
//! #         Ok(())
//! #     })
//! #     .build()?;
//! let (sender, mut logs) = tokio::sync::mpsc::unbounded_channel();
//! let builder = Client::builder("demo", "1.0.0").on_log(LoggingLevel::Warning, move |log| {
//!     let _ = sender.send(log);
//! });
//! # let client = builder.connect(serve(server)).await?;
//! # client.call_tool("log").await?;
//! let log = logs.recv().await.ok_or("the client is gone")?;
//! println!("{:?}: {}", log.level, log.data);
//! # Ok(())
//! # }
//! ```
//!
//! # Caching
//!
//! A server of 2026-07-28 states how long lists, resources and its description may be cached. With
//! a [`Cache`](crate::Cache), the client caches them for that time; by default nothing is cached. A
//! cached result is dropped when it expires, when a notification reports a change, when the server
//! rejects its cursor, and when the cache is full. With the proposal `versioned-resources`,
//! contents of resources are kept after that time, and the server is asked whether their version is
//! still the current one, see [`Cache`](crate::Cache#revalidation).
//!
//! ```
//! use mcp_client::{Cache, Client};
//!
//! let cache = Cache::new().entries(1_000).bytes(32 << 20);
//! // Clients of one server share the results that the server marks as public.
//! let alice = Client::builder("demo", "1.0.0").cache(cache.of("https://example.com/mcp"));
//! let bob = Client::builder("demo", "1.0.0").cache(cache.of("https://example.com/mcp"));
//! # drop((alice, bob));
//! ```
//!
//! Other results are never shared: each client is a separate authorization context. A client that
//! begins to act for another user drops its results with
//! [`forget_cached`](crate::Client::forget_cached). [`fresh`](crate::Call::fresh) bypasses the
//! cache. Servers send notifications of changes only to subscriptions: without one, a cached result
//! may be outdated until it expires.
