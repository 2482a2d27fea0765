//! What a handler knows of its request, and what it can send and ask before it answers:
//! [`Context`](crate::Context).
//!
//! # The client
//!
//! ```
//! use mcp_server::types::Revision;
//! use mcp_server::{Context, Server};
//!
//! async fn who(cx: Context) -> String {
//!     let peer = cx.peer();
//!     let name = peer.client_info().map_or("unknown", |info| info.name.as_str());
//!     let can_be_asked = peer.capabilities().elicitation.is_some();
//!     let has_session = cx.revision() < Revision::LATEST;
//!     format!("{name}, can be asked: {can_be_asked}, has a session: {has_session}")
//! }
//!
//! let server = Server::builder("demo", "1.0.0").tool("who", "Describes the client", who).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! The protocol does not authenticate what a client says of itself. Rights belong to a
//! [`Principal`](crate::Principal), which a layer in front of the server attaches to the request;
//! see [`access`](super::access). Handlers extract it, the values of other types that are attached,
//! and the head of the HTTP request:
//!
//! ```
//! use mcp_server::{Extension, HandlerError, HttpParts, Principal, Server};
//!
//! /// What a layer read from an access token.
//! #[derive(Clone)]
//! struct Claims {
//!     scopes: Vec<String>,
//! }
//!
//! async fn delete(
//!     Principal(user): Principal,
//!     Extension(claims): Extension<Claims>,
//!     parts: Option<HttpParts>, // `None` on other transports
//! ) -> Result<&'static str, HandlerError> {
//!     if !claims.scopes.iter().any(|scope| scope == "delete") {
//!         return Err(HandlerError::insufficient_scope("delete"));
//!     }
//!     let agent = parts.as_ref().and_then(|parts| parts.headers.get("user-agent"));
//!     tracing::info!(user, ?agent, "deleted");
//!     Ok("deleted")
//! }
//!
//! let server = Server::builder("demo", "1.0.0").tool("delete", "Deletes all", delete).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! # Handlers must not block
//!
//! A handler runs on the runtime's threads, together with other requests, timeouts and connections.
//! Code that computes for long, or that waits without `.await`, stops all of these that share its
//! thread: on a runtime with one thread, the whole server. Run it with
//! [`spawn_blocking`](tokio::task::spawn_blocking):
//!
//! ```
//! use mcp_server::HandlerError;
//!
//! async fn count() -> Result<usize, HandlerError> {
//!     let read = || std::fs::read_dir("notes").map(Iterator::count);
//!     Ok(tokio::task::spawn_blocking(read).await??)
//! }
//! # drop(mcp_server::ToolDef::new("count").handler(count));
//! ```
//!
//! A handler that keeps its thread for a second or longer causes a warning in the log, with its
//! method and the name of its tool, when it returns to the runtime. One that has not returned after
//! 5 seconds causes a warning at that time.
//!
//! # Progress, log messages, cancellation
//!
//! Progress is sent only if the client asked for it with a token, and not more often than
//! [`Limits::progress_interval`](crate::Limits). Log messages are sent from the level on that the
//! request (2026-07-28) or the session (older revisions) has set. Over HTTP, the first of these
//! messages turns the response into a stream of events.
//!
//! If the client cancels the request or closes its connection, the handler is dropped at its next
//! `.await`. Tasks that it started wait for [`cancelled`](crate::Context::cancelled), and read
//! the client's reason with [`cancel_reason`](crate::Context::cancel_reason).
//!
//! ```
//! use mcp_server::types::LoggingLevel;
//! use mcp_server::{Context, HandlerError, Server};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Copy {
//!     files: Vec<String>,
//! }
//!
//! async fn copy(args: Copy, cx: Context) -> Result<usize, HandlerError> {
//!     let request = cx.clone();
//!     tokio::spawn(async move {
//!         request.cancelled().await; // resolves also when the request was answered
//!     });
//!     let total = args.files.len();
//!     for (done, file) in args.files.iter().enumerate() {
//!         cx.progress(done as f64, total as f64, file.as_str()).await?;
//!         cx.log(LoggingLevel::Debug, "copy", file.as_str()).await?;
//!     }
//!     Ok(total)
//! }
//!
//! let server = Server::builder("demo", "1.0.0").tool("copy", "Copies files", copy).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! # Questions to the client
//!
//! [`elicit`](crate::Context::elicit) asks the user with a form, `elicit_url` asks the user to open
//! a page, [`sample`](crate::Context::sample) requests a completion from the client's model, and
//! [`roots`](crate::Context::roots) returns the directories to work on. Read first [what a handler
//! must not do before it asks](super::peers).
//!
//! ```
//! use mcp_server::types::{
//!     CreateMessageRequestParams, Role, SamplingMessage, SamplingMessageContentBlock, StringSchema,
//!     TextContent, Tool, ToolChoice, ToolChoiceMode, ToolInputSchema,
//! };
//! use mcp_server::{Context, Elicited, Field, Form, HandlerError, Server};
//!
//! async fn plan(cx: Context) -> Result<String, HandlerError> {
//!     // A form, field by field. `Form::of::<T>` derives one from a type.
//!     let form = Form::new("Where to?")
//!         .required("city", StringSchema::new().max_length(80))
//!         .required("class", Field::one_of(["economy", "business"]).default("economy"))
//!         .optional("meals", Field::many_of_titled([("v", "Vegan"), ("k", "Kosher")]));
//!     let Elicited::Accepted(trip) = cx.elicit(form).await? else {
//!         return Ok("The user does not want to travel.".to_owned());
//!     };
//!
//!     // Secrets belong on a page, not in a form.
//!     let consent = cx.elicit_url("Please pay", "https://pay.example.com/42", "42").await?;
//!     if consent.accepted().is_none() {
//!         return Ok("The user does not want to pay.".to_owned());
//!     }
//!
//!     // The client's model may use a tool.
//!     let text = SamplingMessageContentBlock::Text(TextContent::new(format!("{trip:?}")));
//!     let params = CreateMessageRequestParams::new([SamplingMessage::new(Role::User, text)], 200)
//!         .tools([Tool::new("trains", ToolInputSchema::new())])
//!         .tool_choice(ToolChoice::new().mode(ToolChoiceMode::Auto));
//!     let answer = cx.sample(params).await?;
//!
//!     let roots = cx.roots().await?;
//!     Ok(format!("Planned by {}, with {} directories", answer.model, roots.len()))
//! }
//!
//! let server = Server::builder("travel", "1.0.0").tool("plan", "Plans a trip", plan).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! A question is sent only to a client that declared the capability for it. For other clients it
//! returns an error, which the handler may catch.
