//! Resources by their HTTPS URLs: which URLs are used, what is checked, and what happens after a
//! failure.
//!
//! With the feature `https-url`. A server without sessions may name a URL for the content of a
//! resource: `httpUrl`, with `httpUrlExpiresAt`. [`Client::fetch`](crate::Client::fetch) fetches
//! the content by this URL if possible, otherwise with `resources/read`. A server may send URLs to
//! every client of that revision; [`proposals`](crate::ClientBuilder::proposals) announces that
//! this client supports them.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::types::Resource;
//! use mcp_client::{Client, FetchError, FetchedBy};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = mcp_server::Server::builder("notes", "1.0.0")
//! #     .add_resource(mcp_server::ResourceDef::text("note://1", "note", "Buy milk"))
//! #     .build()?;
//! # let client = Client::builder("demo", "1.0.0").connect(serve(server)).await?;
//! // As in a list of resources, or as a link in the result of a tool.
//! let note = Resource::new("note://1", "note")
//!     .http_url("https://files.example.com/note?token=abc")
//!     .http_url_expires_at("2020-01-01T00:00:00Z");
//! let mut fetched = client.fetch(&note).await?;
//! assert_eq!(fetched.bytes().await?, "Buy milk");
//! // The URL has expired, so no request was sent to it.
//! assert_eq!(fetched.by(), FetchedBy::Read);
//! assert!(matches!(fetched.attempts(), [FetchError::Expired { .. }]));
//! # Ok(())
//! # }
//! ```
//!
//! # Large content
//!
//! When `fetch` returns, only the head of the response was received. The program receives the
//! content in parts with [`chunk`](crate::Fetched::chunk), or writes it with
//! [`write_to`](crate::Fetched::write_to), so it is never completely in memory:
//!
//! ```no_run
//! # async fn run(
//! #     client: mcp_client::Client,
//! #     video: mcp_client::types::Resource,
//! #     mut file: impl tokio::io::AsyncWrite + Unpin,
//! # ) -> Result<(), mcp_client::FetchFailed> {
//! use mcp_client::FetchPolicy;
//!
//! let policy = FetchPolicy::new().size(10 << 30);
//! let mut fetched = client.fetch(&video).policy(policy).await?;
//! println!("{:?} bytes", fetched.length());
//! let written = fetched.write_to(&mut file).await?; // an `AsyncWrite`, a file for example
//! # let _ = written;
//! # Ok(())
//! # }
//! ```
//!
//! # Which URLs are used
//!
//! A server can name any URL. So the request contains no credentials, and is sent only if the
//! [`FetchPolicy`](crate::FetchPolicy) of the [client](crate::ClientBuilder::fetch_policy) or of
//! the [fetch](crate::Fetch::policy) allows it:
//!
//! | property | default | method to change it |
//! | --- | --- | --- |
//! | scheme | `https` | |
//! | user name | not allowed | |
//! | expiry | at least 30 seconds ahead | `margin` |
//! | host | any | `allow_host` with `only_allowed` |
//! | address | on the public internet | `allow_private`, `allow_host` |
//! | certificate | trusted by the system | `tls_roots` |
//! | proxy | none | `proxy` |
//! | redirects | 4, within the origin | `redirects`, `allow_host` |
//! | size | 64 MiB | `size` |
//! | timeout without data, and in total | 30 seconds, 10 minutes | `idle`, `time` |
//!
//! The checked address is that of the connection, so a name that is resolved to another address a
//! moment later cannot bypass the check. A name with any address that is not public is rejected. A
//! proxy is asked for a connection to a checked address; to a name only if its address does not
//! matter, see [`FetchPolicy::proxy`](crate::FetchPolicy::proxy).
//!
//! # What is checked
//!
//! The status must be 200, the media type that of the resource (or the [requested
//! one](crate::Fetch::as_type)), and the length that of the resource, if the type is its own. The
//! content must not have a content encoding, and must be as long as its declared length.
//!
//! # After a failure
//!
//! | failure | what the client does |
//! | --- | --- |
//! | the URL has expired, or is rejected with 401, 403 or 410 | requests the current URL with `resources/metadata` if both sides support SEP-2093, otherwise reads the resource |
//! | the content is too large | [`FetchFailed::TooLarge`](crate::FetchFailed): reading it would transfer as much |
//! | the transfer is interrupted, and there is a strong `ETag` | requests the rest, at most three times (`Range`, `If-Range`) |
//! | the transfer is interrupted otherwise, after the program has received a part | [`FetchFailed::Broken`](crate::FetchFailed), with the number of bytes |
//! | any other failure | reads the resource |
//!
//! [`by`](crate::Fetched::by) returns how the content was fetched, and
//! [`attempts`](crate::Fetched::attempts) the errors before. These errors contain the origin of a
//! URL but not its path, which may be a secret.
