//! Icons and websites (SEP-973): choosing, loading and checking them.
//!
//! Servers of 2025-11-25 and 2026-07-28 may have icons, and so may their tools, resources and
//! prompts. [`choose`](crate::icons::choose) selects the most suitable one, and
//! [`Client::icon`](crate::Client::icon) loads it:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::Client;
//! use mcp_client::icons::{IconWish, ImageFormat, choose};
//! use mcp_client::types::IconTheme;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dot = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAIA";
//! # let dot = mcp_server::types::Icon::new(dot).sizes(["any".to_owned()]);
//! # let other = mcp_server::types::Icon::new("http://example.com/icon.png");
//! # let server = mcp_server::Server::builder("dots", "1.0.0").icon(other).icon(dot).build()?;
//! # let client = Client::builder("demo", "1.0.0").connect(serve(server)).await?;
//! let info = client.server_info().ok_or("the server has no description")?;
//! let wish = IconWish::new().size(48).theme(IconTheme::Dark);
//! let icon = choose(info.icons.as_deref().unwrap_or_default(), &wish).ok_or("no icon")?;
//! let image = client.icon(icon).await?;
//! assert_eq!(image.format, ImageFormat::Gif);
//! # Ok(())
//! # }
//! ```
//!
//! # What is loaded
//!
//! | property | default | method of [`IconPolicy`](crate::icons::IconPolicy) |
//! | --- | --- | --- |
//! | source | `data:`, or `https` at the origin of the server | `allow_host` |
//! | format | PNG, JPEG, WebP, GIF, detected from the first bytes | `allow_svg` |
//! | declared media types | must match the format | |
//! | size | 1 MiB | `size` |
//! | pixels | 4096 on a side | `pixels` |
//! | redirects | within the origin of the server | `allow_host` |
//!
//! A server that is a process has no origin, so its icons must be `data:` URIs or on allowed hosts.
//! Loading a URL requires the feature `tls`, and follows the `FetchPolicy` of the client: from
//! public addresses, without authorization, cookies or referrer.
//!
//! A program that displays SVG must prevent scripts and external references: use it as the source
//! of an image element, never as a part of a page. The number of frames of an animation is not
//! checked.
//!
//! # Websites
//!
//! [`Client::website`](crate::Client::website) checks the website that a server names. It is never
//! opened:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::Client;
//! use mcp_client::icons::{IconPolicy, Website};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let builder = mcp_server::Server::builder("notes", "1.0.0");
//! # let server = builder.website_url("https://notes.example.com/about").build()?;
//! # let client = Client::builder("demo", "1.0.0").connect(serve(server)).await?;
//! let policy = IconPolicy::new().allow_host("example.com");
//! let shown = match client.website(&policy) {
//!     None => String::new(),
//!     Some(Ok(Website::Own { url } | Website::Trusted { url })) => url,
//!     Some(Ok(Website::Elsewhere { host, .. })) => format!("a page at {host}"),
//!     Some(Ok(_)) => "a page".to_owned(),
//!     Some(Err(fault)) => format!("no page: {fault}"),
//! };
//! assert_eq!(shown, "a page at notes.example.com");
//! # Ok(())
//! # }
//! ```
