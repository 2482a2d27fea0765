//! Middleware and extensions: code around all messages, and additions to the protocol.
//!
//! # Middleware
//!
//! A [middleware](crate::middleware) sees the requests and notifications of both directions, on
//! every transport. This client opens a span of `tracing` for each request, sends at most ten
//! requests per second, and repeats no call of a tool whose result it knows:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use std::collections::HashMap;
//! use std::sync::Mutex;
//! use std::time::Duration;
//!
//! use mcp_client::Client;
//! use mcp_client::middleware::{self, Direction, Middleware, Next, Outcome, Request, Response};
//! use tokio::time::{Interval, interval};
//! use tracing::Instrument;
//!
//! async fn span(request: Request, next: Next) -> Outcome {
//!     let span = tracing::info_span!("mcp", method = request.method());
//!     next.run(request).instrument(span).await
//! }
//!
//! struct RateLimit(tokio::sync::Mutex<Interval>);
//!
//! impl Middleware for RateLimit {
//!     async fn call(&self, request: Request, next: Next) -> Outcome {
//!         if request.direction() == Direction::ToServer {
//!             self.0.lock().await.tick().await;
//!         }
//!         next.run(request).await
//!     }
//! }
//!
//! #[derive(Default)]
//! struct KnownResults(Mutex<HashMap<String, Response>>);
//!
//! impl Middleware for KnownResults {
//!     async fn call(&self, request: Request, next: Next) -> Outcome {
//!         // Only a tool that has no effects, and returns the same every time.
//!         let name: Option<String> = request.param("name")?;
//!         if request.method() != "tools/call" || name.as_deref() != Some("count") {
//!             return next.run(request).await;
//!         }
//!         let key = request.params().get().to_owned();
//!         let known = self.0.lock().unwrap().get(&key).cloned();
//!         if let Some(known) = known {
//!             return Ok(known);
//!         }
//!         let response = next.run(request).await?;
//!         let result = serde_json::from_str::<serde_json::Value>(response.result().get());
//!         let result = result.unwrap_or_default();
//!         if result["isError"] != true && result["resultType"] != "input_required" {
//!             self.0.lock().unwrap().insert(key, response.clone());
//!         }
//!         Ok(response)
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use std::sync::atomic::{AtomicUsize, Ordering};
//! # static CALLS: AtomicUsize = AtomicUsize::new(0);
//! # let server = mcp_server::Server::builder("demo", "1.0.0")
//! #     .tool("count", "Counts its calls", async || {
//! #         (CALLS.fetch_add(1, Ordering::Relaxed) + 1).to_string()
//! #     })
//! #     .build()?;
//! let client = Client::builder("demo", "1.0.0")
//!     .layer(middleware::from_fn(span))
//!     .layer(KnownResults::default())
//!     .layer(RateLimit(interval(Duration::from_millis(100)).into()))
//!     .connect(serve(server))
//!     .await?;
//! assert_eq!(client.call_tool("count").await?.text(), "1");
//! assert_eq!(client.call_tool("count").await?.text(), "1");
//! # Ok(())
//! # }
//! ```
//!
//! `span` is the outermost middleware, because it was added first: it sees what the client sends
//! first, and what the server sends last. A known result does not count
//! for the rate. The table of this example grows without a bound; the [cache](crate::Cache) of the
//! client has one, and follows what servers allow.
//!
//! # Extensions
//!
//! A [`ClientExtension`](crate::ClientExtension) has an identifier with settings, which each side announces to
//! the other, and methods of its own. The params and results of these are types of the program; a
//! call is sent with [`Client::request`](crate::Client::request), for which they tell their form in
//! each revision.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::types::json::{self, Writer};
//! use mcp_client::types::revision::{VersionError, Versioned};
//! use mcp_client::types::{Outcome, Request, Revision, Sender};
//! use mcp_client::{Client, ClientExtension};
//! use serde::{Deserialize, Serialize};
//!
//! /// The params and the result of `com.example/audit/note`, in every revision.
//! #[derive(Clone, Serialize, Deserialize)]
//! struct Note {
//!     text: String,
//! }
//!
//! impl Versioned for Note {
//!     fn decode_at(_: Revision, text: &str) -> Result<Self, VersionError> {
//!         Ok(json::from_str(text)?)
//!     }
//!
//!     fn write_at(self, _: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
//!         Ok(out.write(&self)?)
//!     }
//! }
//!
//! // A result of a single form.
//! impl Outcome for Note {
//!     type Complete = Self;
//!
//!     fn complete(self) -> Result<Self, Box<Self>> {
//!         Ok(self)
//!     }
//! }
//!
//! struct NoteRequest;
//!
//! impl Request for NoteRequest {
//!     const METHOD: &'static str = "com.example/audit/note";
//!     const SENDER: Sender = Sender::Client;
//!     type Params = Note;
//!     type Result = Note;
//! }
//!
//! #[derive(Deserialize)]
//! struct Audit {
//!     level: u8,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let settings = json::from_str::<json::Object>(r#"{"level":3}"#)?;
//! # let extensions = json::Map::from([("com.example/audit", settings)]);
//! # let server = mcp_server::Server::builder("demo", "1.0.0")
//! #     .capabilities(|all| all.extensions(extensions))
//! #     .on::<NoteRequest, _, _>(async |note: mcp_server::Params<NoteRequest>| note.0)
//! #     .build()?;
//! let audit = ClientExtension::new("com.example/audit").settings(&serde_json::json!({"level": 3}));
//! let client = Client::builder("demo", "1.0.0").extension(audit).connect(serve(server)).await?;
//! if let Some(Audit { level }) = client.server_extension("com.example/audit")? {
//!     println!("level {level}");
//!     let noted = client.request::<NoteRequest>(Note { text: "begun".to_owned() }).await?;
//!     assert_eq!(noted.text, "begun");
//! #   return Ok(());
//! }
//! # Err("the server has the extension".into())
//! # }
//! ```
//!
//! [`on_request`](crate::ClientExtension::on_request) and
//! [`on_notification`](crate::ClientExtension::on_notification) handle what servers send, and
//! [`layer`](crate::ClientExtension::layer) adds a middleware. An invalid identifier, settings that
//! are no object, a method that the protocol itself defines, and whatever two extensions both declare are errors of
//! [`connect`](crate::ClientBuilder::connect), before anything is sent.
