//! What servers say on their own: changes of lists and resources, logs; and what can be kept
//! meanwhile.
//!
//! # Subscriptions
//!
//! [`listen`](crate::Client::listen) asks for the changes that a filter names. To a server of
//! 2026-07-28 it is one request, `subscriptions/listen`, that lasts as long as the subscription; to an
//! older one it is `resources/subscribe` for each resource, and what the server announces anyway, over
//! HTTP on the stream that a GET opens.
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
//!         SubscriptionEvent::Listening(heard) => {
//!             // Whatever changed before this was not heard of. Now is the time to read it.
//!             println!("listening to {heard:?}");
//!             client.read_resource("note://1").await?;
//! #             server.resource_updated("note://1");
//!         }
//!         SubscriptionEvent::ResourceUpdated(which) => {
//!             client.read_resource(which.uri).await?;
//! #             server.tools().add(ToolDef::new("late").handler(async || ()))?;
//!         }
//!         SubscriptionEvent::ToolListChanged => {
//!             client.tools().all().await?;
//! #             break;
//!         }
//!         SubscriptionEvent::Missed => println!("anything may have changed"),
//!         SubscriptionEvent::Interrupted { error, again } => {
//!             println!("{error}; again in {again:?}");
//!         }
//!         other => println!("{other:?}"),
//!     }
//! }
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! - **`Listening`** says what the server agreed to tell, which may be less than was asked for. It
//!   comes anew after each interruption.
//! - **`Interrupted`** is said where the connection breaks or the server is silent to the request. It
//!   is tried again by itself, first after [`Limits::retry_first`](crate::Limits), then after twice the
//!   time, at most [`Limits::retry_most`](crate::Limits), each time a little less by chance. So it is
//!   where a child process is started again, and where a session ended and another one began.
//! - **The end**: `None` where the server ended the subscription in good order; an error where it
//!   refused, or the connection is gone for good. Nothing comes after either.
//! - **A program that does not listen** makes nothing grow: the same change is one event until it is
//!   taken, and beyond `pending_events` and `pending_bytes` of [`Limits`](crate::Limits) there is one
//!   [`Missed`](crate::SubscriptionEvent::Missed) for all that was not kept.
//!
//! Dropping the subscription ends it at the server: by cancellation, over HTTP by the end of the
//! response, at older servers by `resources/unsubscribe`, unless another subscription watches the same
//! resource. Each holds the connection open as a clone of the client does.
//!
//! # Other notifications
//!
//! [`on_log`](crate::ClientBuilder::on_log) hears what servers log, from a level on;
//! [`on_notification`](crate::ClientBuilder::on_notification) hears any notification, also of an
//! application's own. Both are called where messages are read, and must not block.
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
//! # Keeping results
//!
//! A server of 2026-07-28 says of lists, resources and of itself how long they stay good. With a
//! [`Cache`](crate::Cache) such results are kept for that time and found again by the next call;
//! without one nothing is. A result is dropped when its time is over, when a notification says that it
//! changed, when its cursor is not known any more, and when there is no room.
//!
//! ```
//! use mcp_client::{Cache, Client};
//!
//! let cache = Cache::new().entries(1_000).bytes(32 << 20);
//! // Shared by clients of one server, as far as the server calls a result public.
//! let alice = Client::builder("demo", "1.0.0").cache(cache.of("https://example.com/mcp"));
//! let bob = Client::builder("demo", "1.0.0").cache(cache.of("https://example.com/mcp"));
//! # drop((alice, bob));
//! ```
//!
//! What a server does not call public is never shared: each client is an authorization context of its
//! own. A client that begins to speak for somebody else drops what it has by
//! [`forget_cached`](crate::Client::forget_cached). [`fresh`](crate::Call::fresh) asks the server in
//! any case. Notifications come only to those who listen: without a subscription a result may be as
//! old as its time.
