//! Resources beyond the specification: metadata, collections, forms, versions and filters.
//!
//! Proposals are features of this crate, and a program opts into each:
//!
//! ```
//! use mcp_client::{Client, Proposal};
//!
//! let builder =
//!     Client::builder("demo", "1.0.0").proposals([Proposal::Sep2093, Proposal::VersionedResources]);
//! # drop(builder);
//! ```
//!
//! They are announced to servers of the newest revision. [`Client::negotiated`](crate::Client::negotiated)
//! says whether the server announced one, too; servers of older revisions hear nothing of it.
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
//! A server that does not know the request refuses it with -32601.
//!
//! # Collections and forms (`sep-2093`)
//!
//! [`resources_in`](crate::Client::resources_in) lists the members of a collection. What reading
//! gives is several contents: forms of one document, or members of a collection. [`ContentsOf`]
//! tells them apart, and says which rules a server breaks; nothing is dropped for that.
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
//! SEP-2093 moves the annotations of embedded resources into the resource. They are shown beside it,
//! too, in the results of tools and prompts: programs that have looked there find them. What a
//! server sent beside the resource stays there; where both are given,
//! [`effective_annotations`](mcp_types::EmbeddedResource::effective_annotations) are the resource's
//! own.
//!
//! # Versions (`versioned-resources`)
//!
//! [`get_resource`](crate::Client::get_resource) gives metadata and contents together. With
//! [`unless`](crate::Call::unless) contents come only where there is another version:
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
//! A subscription to several resources is one [`listen`](crate::Client::listen), over every
//! transport; where both sides speak the proposal, its events are
//! [`ResourceContentChanged`](crate::SubscriptionEvent::ResourceContentChanged) with the resource as
//! it is now. Whoever is slow hears of the last version only. The requests
//! [`subscribe_resources`](crate::Client::subscribe_resources) and
//! [`unsubscribe_resources`](crate::Client::unsubscribe_resources) work where a connection outlives
//! requests, that is not over HTTP.
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
//! Criteria are the server's affair. One that it does not know is refused with -32602 by servers of
//! this project, and named.
//!
//! [`ContentsOf`]: mcp_types::ContentsOf
