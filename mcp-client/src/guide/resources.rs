//! Proposals about resources: metadata, collections, alternative forms, versions and filters.
//!
//! Each proposal is a Cargo feature, and a program opts into it:
//!
//! ```
//! use mcp_client::{Client, Proposal};
//!
//! let builder =
//!     Client::builder("demo", "1.0.0").proposals([Proposal::Sep2093, Proposal::VersionedResources]);
//! # drop(builder);
//! ```
//!
//! The client announces them to servers without sessions only.
//! [`Client::negotiated`](crate::Client::negotiated) returns `true` if the server announced one,
//! too.
//!
//! # Metadata without contents (`sep-2093`)
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! # use mcp_client::{Client, Proposal};
//! # use mcp_server::{ResourceDef, Server};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = Server::builder("notes", "1.0.0")
//! #     .proposals([Proposal::Sep2093])
//! #     .add_resource(ResourceDef::text("note://1", "note", "Buy milk"))
//! #     .build()?;
//! # let builder = Client::builder("demo", "1.0.0").proposals([Proposal::Sep2093]);
//! # let client = builder.connect(serve(server)).await?;
//! let note = client.read_resource_metadata("note://1").await?.resource;
//! assert_eq!(note.size, Some(8));
//! # Ok(())
//! # }
//! ```
//!
//! A server that does not support the request rejects it with -32601.
//!
//! # Collections and forms (`sep-2093`)
//!
//! [`resources_in`](crate::Client::resources_in) lists the members of a collection. A resource can
//! have several contents: alternative forms of a document, or members of a collection.
//! [`ContentsOf`] separates them, and reports violations of the proposal as warnings.
//!
//! ```
//! use mcp_client::Client;
//!
//! # async fn read(client: Client) -> Result<(), mcp_client::CallError> {
//! let result = client.read_resource("docs:report").await?;
//! let report = result.contents_of("docs:report");
//! for warning in report.warnings() {
//!     eprintln!("docs:report: {warning:?}");
//! }
//! let plain = report.alternative("text/plain").or_else(|| report.primary());
//! println!("{}", plain.and_then(|form| form.text()).unwrap_or("no text"));
//! for member in report.children() {
//!     println!("{}", member.uri());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! SEP-2093 moves the annotations of embedded resources into the resource. In results of tools and
//! prompts, the client also copies them to their former place beside the resource, unless the
//! server sent annotations there.
//! [`effective_annotations`](mcp_types::EmbeddedResource::effective_annotations) returns those in
//! the resource, if there are any.
//!
//! # Versions (`versioned-resources`)
//!
//! [`get_resource`](crate::Client::get_resource) returns metadata and contents together. With
//! [`unless`](crate::Call::unless), the server sends contents only if the version has changed:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::Current;
//! # use mcp_client::{Client, Proposal};
//! # use mcp_server::{ResourceDef, Server};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = Server::builder("notes", "1.0.0")
//! #     .proposals([Proposal::VersionedResources])
//! #     .add_resource(ResourceDef::text("note://1", "note", "Buy milk"))
//! #     .build()?;
//! # let builder = Client::builder("demo", "1.0.0").proposals([Proposal::VersionedResources]);
//! # let client = builder.connect(serve(server)).await?;
//! let note = client.get_resource("note://1").await?;
//! let version = note.resource.version.unwrap_or_default();
//! let again = client.get_resource("note://1").unless(version).await?;
//! assert_eq!(again, Current::NotModified);
//! # Ok(())
//! # }
//! ```
//!
//! [`listen`](crate::Client::listen) subscribes to several resources over every transport. If both
//! sides support the proposal, its events are
//! [`ResourceContentChanged`](crate::SubscriptionEvent::ResourceContentChanged) with the current
//! state of the resource. A slow program receives only the last version. The requests
//! [`subscribe_resources`](crate::Client::subscribe_resources) and
//! [`unsubscribe_resources`](crate::Client::unsubscribe_resources) do not work over HTTP, where
//! requests are independent.
//!
//! # Filters (`versioned-resources`)
//!
//! ```
//! use mcp_client::types::json::Object;
//!
//! # async fn list(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
//! let filter = Object::from([("kind", "file"), ("uriPrefix", "file:///src/")]);
//! for resource in client.resources_where(filter)?.all().await?.items {
//!     println!("{} {:?}", resource.uri, resource.version);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The server defines the criteria. Servers of this project reject unknown ones with -32602 and
//! name them.
//!
//! [`ContentsOf`]: mcp_types::ContentsOf
