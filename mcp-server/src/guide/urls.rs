//! URLs of resources: what programs without a connection fetch, by the proposal `https-url`.
//!
//! # Handing them out
//!
//! With [`HttpUrls`](crate::HttpUrls) every resource and every link to one leaves with `httpUrl`
//! and `httpUrlExpiresAt`, for peers of the newest revision: in lists, in metadata, in what tools
//! and prompts answer. A model can pass such a URL to code in a sandbox, which needs nothing else
//! to fetch what `resources/read` would give.
//!
//! ```
//! use mcp_server::{Context, HttpUrls, Proposal, ResourceDef, Server};
//! use mcp_server::types::{CallToolResult, ResourceLink};
//!
//! let server = Server::builder("reports", "1.0.0")
//!     .proposals([Proposal::HttpsUrl])
//!     .http_urls(HttpUrls::new("https://reports.example.com/files/")?)
//!     .resource("report://2026/11", "november", |_uri: String, _: Context| async {
//!         Ok("50,000 rows")
//!     })
//!     .tool("report", "Makes a report", |(), _: Context| async {
//!         let link = ResourceLink::new("report://2026/11", "november");
//!         Ok(CallToolResult::new([link.into()])) // leaves with a URL
//!     })
//!     .add_resource(ResourceDef::text("report://key", "key", "...").http_url(false)) // without
//!     .build()?;
//! # drop(server);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Collections get none, nor do links to what this server does not serve. A URL that a handler
//! sets itself stays, if it is one of `https`.
//!
//! # Serving them
//!
//! The base URL is the one that clients see. [`serve_http`](crate::Server::serve_http) serves what
//! is below its path, for a proxy that takes TLS off and passes paths on as they are.
//! [`serve_https`](crate::Server::serve_https), of the feature `tls`, needs no proxy.
//! [`resource_urls`](crate::Server::resource_urls) is a service for any other stack:
//!
//! ```
//! # fn app(server: mcp_server::Server) -> axum::Router {
//! use mcp_server::HttpConfig;
//!
//! let mut app = axum::Router::new();
//! if let Some(urls) = server.resource_urls() {
//!     app = app.route_service("/files/{token}", urls); // nothing that authenticates before it
//! }
//! app.route_service("/mcp", server.into_service(HttpConfig::new()))
//! # }
//! # let _ = app;
//! ```
//!
//! GET and HEAD are served, with `ETag`, conditions and ranges. How much work a request is depends
//! on what the server knows of the resource:
//!
//! * Text and bytes that are part of the definition ([`ResourceDef::text`](crate::ResourceDef::text),
//!   [`ResourceDef::bytes`](crate::ResourceDef::bytes)) are hashed once and never copied.
//! * With a version, set in the definition or by `describe` (feature `versioned-resources`), the
//!   `ETag` comes from the version. The handler does not run for a request whose condition is not
//!   met (304, 412), nor for HEAD if the size is known as well. Such a request is answered for
//!   everyone to whom `describe` answers, so `describe` has to check rights as the handler does. A
//!   version has to change with every byte.
//! * Else the handler runs for each request, and its contents are hashed, large ones on a thread of
//!   their own.
//!
//! A server on standard input and
//! output can hand URLs out as well, if the same program serves them at a socket.
//!
//! # Who may read what
//!
//! A URL is good for one resource, and for whom it was handed out: the
//! [`Principal`](crate::Principal) of the request stands in it. When it comes back, the handler of
//! the resource runs as for that principal, and refuses what it refuses by the protocol. What else
//! a middleware attaches is made anew by [`claims`](crate::HttpUrls::claims); without that a
//! handler that asks for it finds nothing. [`ReadByUrl`](crate::ReadByUrl) tells a handler which
//! way it was reached.
//!
//! ```
//! use mcp_server::{Context, Extensions, HandlerError, HttpUrls, Principal, Proposal, Server};
//!
//! struct Tenant(String);
//!
//! fn tenant(Principal(name): &Principal) -> Tenant {
//!     Tenant(name.split('@').nth(1).unwrap_or_default().to_owned())
//! }
//!
//! let urls = HttpUrls::new("https://reports.example.com/files/")?.claims(|principal| {
//!     let mut claims = Extensions::new();
//!     claims.insert(tenant(principal)); // as the middleware does it
//!     claims
//! });
//! let server = Server::builder("reports", "1.0.0")
//!     .proposals([Proposal::HttpsUrl])
//!     .http_urls(urls)
//!     .resource("report://ours", "ours", |uri: String, cx: Context| async move {
//!         match cx.extension::<Tenant>() {
//!             Some(Tenant(name)) => Ok(format!("of {name}")),
//!             None => Err(HandlerError::resource_not_found(uri)),
//!         }
//!     })
//!     .build()?;
//! # drop(server);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Taking them back
//!
//! A URL ends after its [lifetime](crate::HttpUrls::lifetime), 15 minutes by default. Earlier, all
//! that were handed out for one resource are void after
//! [`revoke_url`](crate::Server::revoke_url), and all of them when the keys that signed them are
//! gone:
//!
//! ```
//! use mcp_server::{Server, UrlKeys};
//!
//! fn leaked(server: &Server) -> Result<(), mcp_server::SealError> {
//!     server.revoke_url("report://2026/11");
//!     server.rotate_url_keys(UrlKeys::generate()?);
//!     Ok(())
//! }
//! # let _ = leaked;
//! ```
//!
//! Processes that serve one endpoint need the same base URL, [keys](crate::HttpUrls::keys) and
//! lifetime; the [`Bus`](crate::Bus) carries what is taken back. This crate writes no URL to a log.
//! Whatever stands before it may: a URL is as good as a key until it expires.
