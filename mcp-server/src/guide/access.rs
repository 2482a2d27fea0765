//! Who may use what: principals, guards, visibility, and middleware.
//!
//! With the feature `oauth`, an HTTP endpoint [verifies access tokens](super::oauth) itself.
//! Otherwise, authentication happens before the server: a layer of axum or tower checks the
//! credentials, or a program that accepts connections knows who is at the other end. It attaches a
//! [`Principal`](crate::Principal) to the requests, and further facts as types of its own.
//! Authorization is part of the server and is the same on every transport:
//!
//! ```
//! use std::collections::HashMap;
//! use std::sync::Mutex;
//! use std::time::{Duration, Instant};
//!
//! use axum::http::{Method, StatusCode, header};
//! use axum::response::{IntoResponse, Response};
//! use mcp_server::middleware::{self, Middleware, Next, Outcome, Request};
//! use mcp_server::{
//!     BuildErrors, Context, Extension, Group, HandlerError, HttpConfig, Principal, Server,
//! };
//!
//! /// What an access token says.
//! #[derive(Clone)]
//! struct Claims {
//!     scopes: Vec<String>,
//! }
//!
//! /// Checks the access token and attaches what it says. A layer of axum.
//! async fn authenticate(
//!     mut request: axum::extract::Request,
//!     next: axum::middleware::Next,
//! ) -> Response {
//!     let token = request.headers().get(header::AUTHORIZATION);
//!     // A real program verifies a signature here, or asks the authorization server.
//!     let scopes = match token.and_then(|token| token.to_str().ok()) {
//!         Some("Bearer reader") => vec!["read".to_owned()],
//!         Some("Bearer admin") => vec!["read".to_owned(), "admin".to_owned()],
//!         // Preflight requests of browsers never have credentials.
//!         _ if request.method() == Method::OPTIONS => return next.run(request).await,
//!         _ => {
//!             let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
//!             return (StatusCode::UNAUTHORIZED, challenge).into_response();
//!         }
//!     };
//!     request.extensions_mut().insert(Principal("ada".to_owned()));
//!     request.extensions_mut().insert(Claims { scopes });
//!     next.run(request).await
//! }
//!
//! /// A guard: an async function of extractors.
//! async fn needs_admin(Extension(claims): Extension<Claims>) -> Result<(), HandlerError> {
//!     if claims.scopes.iter().any(|scope| scope == "admin") {
//!         return Ok(());
//!     }
//!     Err(HandlerError::insufficient_scope("admin"))
//! }
//!
//! fn is_admin(cx: &Context) -> bool {
//!     let claims = cx.extension::<Claims>();
//!     claims.is_some_and(|claims| claims.scopes.iter().any(|scope| scope == "admin"))
//! }
//!
//! async fn greet(Principal(name): Principal) -> String {
//!     format!("Hello, {name}!")
//! }
//!
//! /// Middleware: allows a tool to some users only, by its name.
//! async fn by_tool(request: Request, next: Next) -> Outcome {
//!     if request.method() == "tools/call" {
//!         let tool: Option<String> = request.param("name")?;
//!         let user = request.context().extension::<Principal>();
//!         if tool.as_deref() == Some("greet") && user == Some(&Principal("mallory".to_owned())) {
//!             return Err(HandlerError::forbidden("you may not greet"));
//!         }
//!     }
//!     next.run(request).await
//! }
//!
//! /// Middleware: writes to the log how long each request takes, and how it ends. A response that asks
//! /// the client for input is not a success yet.
//! async fn timing(request: Request, next: Next) -> Outcome {
//!     let (method, start) = (request.method().to_owned(), Instant::now());
//!     let outcome = next.run(request).await;
//!     let ended = match &outcome {
//!         Ok(response) if response.is_input_required() => "asks a question",
//!         Ok(response) if response.is_tool_error() => "tool failed",
//!         Ok(_) => "result",
//!         Err(_) => "error",
//!     };
//!     tracing::info!(method, elapsed = ?start.elapsed(), ended);
//!     outcome
//! }
//!
//! /// Middleware with a state: so many calls of tools by each user in a minute. A real program
//! /// also removes the entries of users who are gone.
//! struct RateLimit {
//!     calls: u32,
//!     users: Mutex<HashMap<String, (Instant, u32)>>,
//! }
//!
//! impl RateLimit {
//!     fn allows(&self, user: &str) -> bool {
//!         let Ok(mut users) = self.users.lock() else {
//!             return false;
//!         };
//!         let (since, calls) = users.entry(user.to_owned()).or_insert((Instant::now(), 0));
//!         if since.elapsed() > Duration::from_secs(60) {
//!             (*since, *calls) = (Instant::now(), 0);
//!         }
//!         *calls += 1;
//!         *calls <= self.calls
//!     }
//! }
//!
//! impl Middleware for RateLimit {
//!     async fn call(&self, request: Request, next: Next) -> Outcome {
//!         let user = request.context().extension::<Principal>();
//!         let user = user.map_or("", |Principal(name)| name);
//!         if request.method() == "tools/call" && !self.allows(user) {
//!             return Err(HandlerError::internal("too many calls: wait for a minute"));
//!         }
//!         next.run(request).await
//!     }
//! }
//!
//! fn server() -> Result<Server, BuildErrors> {
//!     let administration = Group::new()
//!         .guard(needs_admin)
//!         .visible_if(is_admin)
//!         .tool("restart", "Restarts the service", async || "restarted");
//!     Server::builder("office", "1.0.0")
//!         .layer(middleware::from_fn(timing))
//!         .layer(RateLimit { calls: 100, users: Mutex::default() })
//!         .layer(middleware::from_fn(by_tool))
//!         .tool("greet", "Greets the user", greet)
//!         .merge(administration)
//!         .build()
//! }
//!
//! /// The endpoint behind the layer that authenticates.
//! fn app(server: Server) -> axum::Router {
//!     axum::Router::new()
//!         .route_service("/mcp", server.into_service(HttpConfig::new()))
//!         .layer(axum::middleware::from_fn(authenticate))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // In a test, the stream has what the layer would attach.
//! let (near, far) = tokio::io::duplex(64 << 10);
//! let stream = mcp_server::ByteStream::of(far)
//!     .extension(Principal("ada".to_owned()))
//!     .extension(Claims { scopes: vec!["read".to_owned()] });
//! let server = server()?;
//! # let _ = app;
//! tokio::spawn(async move { server.serve(stream).await });
//!
//! let transport = mcp_client::ByteStream::of(near);
//! let client = mcp_client::Client::builder("test", "1.0.0").connect(transport).await?;
//! assert_eq!(client.call_tool("greet").await?.text(), "Hello, ada!");
//! assert_eq!(client.tools().all().await?.items.len(), 1); // `restart` is not visible
//! assert!(client.call_tool("restart").await.is_err());
//! # Ok(())
//! # }
//! ```
//!
//! # Principals
//!
//! A [`Principal`](crate::Principal) is the name of the authenticated user or client. Transports
//! get it, and other values, in these ways:
//!
//! | transport | how |
//! | --- | --- |
//! | HTTP in axum, hyper or tower | a layer inserts it into the `extensions` of the HTTP request |
//! | [`ByteStream`](crate::ByteStream) | [`extension`](crate::ByteStream::extension), for example with the user of a Unix socket |
//! | [`Stdio`](crate::Stdio) | [`extension`](crate::Stdio::extension), for example with the user of the process |
//! | any | a middleware calls [`with_extension`](crate::middleware::Request::with_extension); see below |
//!
//! The server binds what it issues to the principal: sessions, cursors and sealed state are
//! invalid for every other one, and limits for each client count by principal. For this, the
//! transport has to attach it. A principal that a middleware attaches is only visible to handlers,
//! guards and later middleware.
//!
//! What a client says of itself, its [`Peer`](crate::Peer), is not authenticated. Never decide
//! about rights by it.
//!
//! # Guards
//!
//! A guard is an async function of extractors that returns `Result<(), _>`. It runs before the
//! arguments are decoded and the handler of a [tool](crate::ToolDef::guard), a
//! [prompt](crate::PromptDef::guard), a [resource](crate::ResourceDef::guard), a template, or
//! everything in a [group](crate::Group::guard). All guards have to return `Ok(())`; those of the
//! outermost group run first. A guard that extracts a `Principal` refuses requests that have none.
//!
//! | error | over HTTP | elsewhere |
//! | --- | --- | --- |
//! | [`forbidden`](crate::HandlerError::forbidden) | status 403 | -32600 |
//! | [`insufficient_scope`](crate::HandlerError::insufficient_scope) | status 403, and `WWW-Authenticate: Bearer error="insufficient_scope", scope="admin"` | -32600 |
//! | any other [error](super::errors), also by `?` | its code, or -32603 | the same |
//!
//! The challenge lets clients ask the user for more scopes and try again. The status is 403 only if
//! the response has not begun: a handler that has already sent progress can no longer choose it.
//!
//! The guards of a resource hold for everything that the protocol offers about it: reading,
//! metadata, the list of its members, versions, URLs, and subscriptions. A subscription is refused
//! with the error of a read; `subscriptions/listen` leaves the resource out of the acknowledgement.
//! The guards run again before each notification of a change, with what was attached to the request
//! that subscribed: if one refuses, nothing is sent. A guard does not hide the resource from lists.
//!
//! # Visibility
//!
//! [`visible_if`](crate::ToolDef::visible_if) hides a definition: callers for which the function
//! returns `false` do not find it in lists, and a request for it is answered as if it did not
//! exist. The function is called for each definition of each list, so it must be quick and must not
//! block.
//!
//! # Middleware
//!
//! A [middleware](crate::middleware) runs around the handlers of all requests, on every transport.
//! The first layer that is added is the outermost. It sees the method and the params, can answer by
//! itself, and sees the outcome. Layers of tower see HTTP requests instead: use them for
//! authentication, compression and whatever else concerns HTTP.
//!
//! Middleware sees the request whose result contains a [URL](super::urls) of a resource, but not
//! the downloads by that URL: only guards, scopes and visibility apply to them.
