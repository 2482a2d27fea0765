//! URLs of resources, for programs that do not speak the protocol, by the proposal `https-url`.
//!
//! # Handing out URLs
//!
//! With [`HttpUrls`](crate::HttpUrls), every resource and every link to one gets the members
//! `httpUrl` and `httpUrlExpiresAt` for clients of the newest revision: in lists, in metadata, and
//! in the results of tools and prompts. A model can pass such a URL to code in a sandbox, which
//! downloads with it what `resources/read` would return.
//!
//! ```
//! use mcp_server::types::ResourceLink;
//! use mcp_server::{HttpUrls, Proposal, ResourceDef, Server};
//!
//! async fn november() -> &'static str {
//!     "50,000 rows"
//! }
//!
//! /// The link in the result gets a URL.
//! async fn report() -> ResourceLink {
//!     ResourceLink::new("report://2026/11", "november")
//! }
//!
//! let server = Server::builder("reports", "1.0.0")
//!     .proposals([Proposal::HttpsUrl])
//!     .http_urls(HttpUrls::new("https://reports.example.com/files/")?)
//!     .resource("report://2026/11", "november", november)
//!     .tool("report", "Makes a report", report)
//!     // This resource gets no URL.
//!     .add_resource(ResourceDef::text("report://key", "key", "...").http_url(false))
//!     .build()?;
//! # drop(server);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Collections get no URL, nor do links to resources that this server does not serve or that do not
//! exist: a linked resource of a template without `describe` is read to know this. A URL that a
//! handler sets itself stays, if its scheme is `https`.
//!
//! # Serving URLs
//!
//! The base URL is the one that clients see. [`serve_http`](crate::Server::serve_http) serves all
//! paths below its path: with [`Http::tls`](crate::Http) by itself, or behind a proxy that
//! terminates TLS and keeps the path. [`resource_urls`](crate::Server::resource_urls) returns a
//! service for other stacks:
//!
//! ```
//! # fn app(server: mcp_server::Server) -> axum::Router {
//! use mcp_server::HttpConfig;
//!
//! let mut app = axum::Router::new();
//! if let Some(urls) = server.resource_urls() {
//!     app = app.route_service("/files/{token}", urls); // without a layer that authenticates
//! }
//! app.route_service("/mcp", server.into_service(HttpConfig::new()))
//! # }
//! # let _ = app;
//! ```
//!
//! GET and HEAD are supported, with `ETag`, conditional requests and ranges. The cost of a request
//! depends on what the server knows about the resource:
//!
//! * Text and bytes that are part of the definition
//!   ([`ResourceDef::text`](crate::ResourceDef::text),
//!   [`ResourceDef::bytes`](crate::ResourceDef::bytes)) are hashed once and never copied.
//! * If the definition or `describe` has a version (feature `versioned-resources`), the `ETag` is
//!   made from it. The handler does not run for a request whose condition fails (304, 412), nor for
//!   HEAD if the size is known. Every peer for which `describe` succeeds gets such an answer, so
//!   `describe` has to check rights as the handler does. The version has to change with every byte.
//! * A handler that returns a [`ResourceStream`](crate::ResourceStream) in place of contents is
//!   run, and its bytes are sent while they are read: constant memory for any size. Nothing is read
//!   for HEAD, failed conditions and ranges that are not wanted. `resources/read` still returns
//!   small ones.
//! * Otherwise the handler runs for each request, and the contents are hashed, large ones on
//!   another thread.
//!
//! `Last-Modified` is `lastModified` of the annotations.
//! [`public_http_cache`](crate::ResourceDef::public_http_cache) permits a content delivery network
//! to keep the bytes, and [`presign`](crate::ResourceDef::presign) hands out a URL of an object
//! store in place of one of this server; the example `object-store` does this for S3-compatible
//! stores.
//!
//! A server on standard input and output can hand out URLs as well, if the same program also serves
//! them at a socket.
//!
//! # Who may use a URL
//!
//! A URL is valid for one resource and one principal: it contains the
//! [`Principal`](crate::Principal) of the request to which it was issued. The handler of the
//! resource runs for that principal, and whatever it refuses over the protocol it refuses here too.
//! So do its guards, scopes and [`visible_if`](crate::ResourceDef::visible_if).
//! [Middleware](crate::middleware) does not run for a download: it sees only the request to which
//! the URL was issued. Rights that a middleware checks need a guard as well. Other values that a
//! middleware attaches are not part of the URL: [`claims`](crate::HttpUrls::claims) attaches them
//! again, and handlers do not find them without it. [`ReadByUrl`](crate::ReadByUrl) is attached to
//! requests by URL, for handlers that need to know.
//!
//! ```
//! use mcp_server::{
//!     Extension, Extensions, HandlerError, HttpUrls, Principal, Proposal, ResourceUri, Server,
//! };
//!
//! #[derive(Clone)]
//! struct Tenant(String);
//!
//! fn tenant(Principal(name): &Principal) -> Tenant {
//!     Tenant(name.split('@').nth(1).unwrap_or_default().to_owned())
//! }
//!
//! async fn report(
//!     tenant: Option<Extension<Tenant>>,
//!     ResourceUri(uri): ResourceUri,
//! ) -> Result<String, HandlerError> {
//!     match tenant {
//!         Some(Extension(Tenant(name))) => Ok(format!("The report of {name}")),
//!         None => Err(HandlerError::resource_not_found(uri)),
//!     }
//! }
//!
//! let urls = HttpUrls::new("https://reports.example.com/files/")?.claims(|principal| {
//!     let mut claims = Extensions::new();
//!     claims.insert(tenant(principal)); // as the middleware does
//!     claims
//! });
//! let server = Server::builder("reports", "1.0.0")
//!     .proposals([Proposal::HttpsUrl])
//!     .http_urls(urls)
//!     .resource("report://ours", "ours", report)
//!     .build()?;
//! # drop(server);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Revoking URLs
//!
//! A URL expires after its [lifetime](crate::HttpUrls::lifetime), 15 minutes by default. For a
//! quarter of that time, a resource has the same URL, so that caches can use it.
//! [`revoke_url`](crate::Server::revoke_url) revokes all URLs of one resource before that, and new
//! keys revoke all URLs of all resources:
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
//! lifetime; the [`Bus`](crate::Bus) distributes revocations. This crate never writes a URL to a
//! log. Proxies and other layers might: until it expires, a URL grants access to everybody who
//! knows it.
