//! What a handler knows of its request, and what it can tell and ask meanwhile:
//! [`Context`](crate::Context).
//!
//! # Who asks
//!
//! ```
//! use mcp_server::types::Revision;
//! use mcp_server::{Context, HandlerError};
//!
//! async fn who(cx: &Context) -> Result<String, HandlerError> {
//!     let peer = cx.peer();
//!     let name = peer.client_info().map_or("somebody", |info| info.name.as_str());
//!     let asks = peer.capabilities().elicitation.is_some();
//!     let old = cx.revision() < Revision::LATEST;
//!     Ok(format!("{name}, who can be asked: {asks}, with a handshake: {old}"))
//! }
//! ```
//!
//! What a client says of itself is not checked by the protocol. Rights belong to whom a middleware
//! has authenticated. It attaches what it found out to the HTTP request, and a handler finds it by
//! its type; [`Principal`](crate::Principal) is also what state and cursors are bound to.
//!
//! ```
//! use mcp_server::{Context, HandlerError, Principal};
//!
//! /// What a middleware read from an access token.
//! #[derive(Clone)]
//! struct Claims {
//!     scopes: Vec<String>,
//! }
//!
//! /// In the middleware:
//! fn attach(request: &mut http::Request<()>, user: &str, claims: Claims) {
//!     request.extensions_mut().insert(Principal(user.to_owned()));
//!     request.extensions_mut().insert(claims);
//! }
//!
//! /// In a handler:
//! async fn delete(cx: &Context) -> Result<&'static str, HandlerError> {
//!     let claims = cx.extension::<Claims>();
//!     if !claims.is_some_and(|claims| claims.scopes.iter().any(|scope| scope == "delete")) {
//!         return Err(HandlerError::tool("you may not delete"));
//!     }
//!     // The request itself, absent on other transports.
//!     if let Some(parts) = cx.extension::<http::request::Parts>() {
//!         tracing::info!(agent = ?parts.headers.get("user-agent"), "deleted");
//!     }
//!     Ok("gone")
//! }
//! # drop(attach);
//! ```
//!
//! # Progress, logs, cancellation
//!
//! Progress goes out only where the peer asked for it with a token, and not more often than
//! [`Limits::progress_interval`](crate::Limits). Log messages go out at the level that the request
//! (2026-07-28) or the session (before) asked for. Over HTTP the first of them makes the answer a
//! stream of events.
//!
//! A request that the client cancels, or whose connection it closes, is dropped at its next
//! `await`. [`cancelled`](crate::Context::cancelled) is for tasks that a handler started.
//!
//! ```
//! use mcp_server::types::LoggingLevel;
//! use mcp_server::{Context, HandlerError};
//!
//! async fn copy(files: &[&str], cx: Context) -> Result<usize, HandlerError> {
//!     let watch = cx.clone();
//!     tokio::spawn(async move {
//!         watch.cancelled().await; // also when the request was answered
//!     });
//!     for (done, file) in files.iter().enumerate() {
//!         cx.progress(done as f64, files.len() as f64, *file).await?;
//!         cx.log(LoggingLevel::Debug, "copy", *file).await?;
//!     }
//!     Ok(files.len())
//! }
//! ```
//!
//! # Questions
//!
//! [`elicit`](crate::Context::elicit) asks the user with a form, `elicit_url` sends the user to a
//! page, [`sample`](crate::Context::sample) asks the client's model,
//! [`roots`](crate::Context::roots) for the directories to work on. Read [what a handler must not
//! do before it asks](super::peers).
//!
//! ```
//! use mcp_server::types::{
//!     CreateMessageRequestParams, Role, SamplingMessage, SamplingMessageContentBlock, StringSchema,
//!     TextContent, Tool, ToolChoice, ToolChoiceMode, ToolInputSchema,
//! };
//! use mcp_server::{Context, Elicited, Field, Form, HandlerError};
//!
//! async fn plan(cx: &Context) -> Result<String, HandlerError> {
//!     // A form, field by field; `Form::of::<T>` makes one of a type.
//!     let form = Form::new("Where to?")
//!         .required("city", StringSchema::new().max_length(80))
//!         .required("class", Field::one_of(["economy", "business"]).default("economy"))
//!         .optional("meals", Field::many_of_titled([("v", "Vegan"), ("k", "Kosher")]));
//!     let Elicited::Accepted(trip) = cx.elicit(form).await? else {
//!         return Ok("another time, then".to_owned());
//!     };
//!
//!     // Consent to open a page, where what must stay secret happens.
//!     let consent = cx.elicit_url("Please pay", "https://pay.example.com/42", "42").await?;
//!     if consent.accepted().is_none() {
//!         return Ok("not paid".to_owned());
//!     }
//!
//!     // The client's model, which may call a tool of ours on the way.
//!     let text = SamplingMessageContentBlock::Text(TextContent::new(format!("{trip:?}")));
//!     let params = CreateMessageRequestParams::new([SamplingMessage::new(Role::User, text)], 200)
//!         .tools([Tool::new("trains", ToolInputSchema::new())])
//!         .tool_choice(ToolChoice::new().mode(ToolChoiceMode::Auto));
//!     let answer = cx.sample(params).await?;
//!
//!     let roots = cx.roots().await?;
//!     Ok(format!("{} will do it in {} directories", answer.model, roots.len()))
//! }
//! ```
//!
//! A question is never sent to a client that did not declare that it takes it: it is an error of
//! the question, which may be caught.
