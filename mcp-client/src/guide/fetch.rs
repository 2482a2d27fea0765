//! Resources by their HTTPS URLs: what is used, what is checked, and what happens if it fails.
//!
//! With the feature `https-url`. A server of the newest revision may say of a resource where else its
//! content is to be had: `httpUrl`, and `httpUrlExpiresAt`. [`Client::fetch`](crate::Client::fetch)
//! takes it from there where it can, and by `resources/read` where it cannot. A server may say it to
//! every client of that revision; [`proposals`](crate::ClientBuilder::proposals) only announces to it
//! that this one is glad of it.
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
//! // As it could stand in a list, or as a link in the result of a tool.
//! let note = Resource::new("note://1", "note")
//!     .http_url("https://files.example.com/note?token=abc")
//!     .http_url_expires_at("2020-01-01T00:00:00Z");
//! let mut fetched = client.fetch(&note).await?;
//! assert_eq!(fetched.bytes().await?, "Buy milk");
//! // Its time is over, so nobody was asked at that URL.
//! assert_eq!(fetched.by(), FetchedBy::Read);
//! assert!(matches!(fetched.attempts(), [FetchError::Expired { .. }]));
//! # Ok(())
//! # }
//! ```
//!
//! # What is large
//!
//! [`Fetched`](crate::Fetched) has seen the head of the answer and not more. Its content is taken part
//! by part, by [`chunk`](crate::Fetched::chunk), or written somewhere, by
//! [`write_to`](crate::Fetched::write_to), and never all in memory:
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
//! # What is used
//!
//! A server can name any URL. So it is asked for with nothing that says who asks, and only if the
//! [`FetchPolicy`](crate::FetchPolicy) allows it, which is set for a
//! [client](crate::ClientBuilder::fetch_policy) or for a [fetch](crate::Fetch::policy):
//!
//! | of the URL | by default | otherwise |
//! | --- | --- | --- |
//! | scheme | `https` | |
//! | name of a user | none | |
//! | time | 30 seconds are left of it | `margin` |
//! | host | any | `allow_host` with `only_allowed` |
//! | address | on the public internet | `allow_private`, `allow_host` |
//! | certificate | trusted by the system | `tls_roots` |
//! | redirects | 4, within the origin | `redirects`, `allow_host` |
//! | size | 64 MiB | `size` |
//! | time without a byte, and in all | 30 seconds, 10 minutes | `idle`, `time` |
//!
//! The address is that of the connection itself, so a name that means another address a moment later
//! is of no use. A name with one address that is not public among others is refused.
//!
//! # What is checked
//!
//! The status has to be 200, the media type that of the resource (or that which is
//! [asked for](crate::Fetch::as_type)), the length that of the resource, and the content is not to be
//! encoded. A body has to end as it said that it would.
//!
//! # What comes of failures
//!
//! | what | then |
//! | --- | --- |
//! | the time of the URL is over, or 401, 403 or 410 says so | a new reference by `resources/metadata`, where both sides speak SEP-2093; else it is read |
//! | it is too large, or says so | [`FetchFailed::TooLarge`](crate::FetchFailed): it would be as large if it were read |
//! | it breaks off, with a strong `ETag` | the rest is asked for, three times at most (`Range`, `If-Range`) |
//! | it breaks off otherwise, after the program took some of it | [`FetchFailed::Broken`](crate::FetchFailed), with the number of bytes |
//! | all else | it is read |
//!
//! Nothing of it is silent: [`by`](crate::Fetched::by) says how the content came, and
//! [`attempts`](crate::Fetched::attempts) what went wrong before. These errors show the origin of a URL
//! and not its path, for that may be a secret.
