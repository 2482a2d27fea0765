//! Calls: how they are made, how long they take, what comes of them; and lists.
//!
//! # A call
//!
//! There is a method for each request of the newest revision. It takes the required params; optional
//! ones are added by methods of the call. Awaiting the call sends it and returns its result.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::Client;
//! use mcp_client::types::json::{Map, Object};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize)]
//! struct Place {
//!     city: &'static str,
//! }
//!
//! #[derive(Deserialize)]
//! struct Weather {
//!     celsius: f64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use mcp_server::{Json, Server};
//! # #[derive(Deserialize, schemars::JsonSchema)]
//! # struct Asked { city: String }
//! # #[derive(Serialize, schemars::JsonSchema)]
//! # struct Answer { celsius: f64 }
//! # #[derive(Deserialize, schemars::JsonSchema)]
//! # struct Trip { to: String }
//! # let server = Server::builder("weather", "1.0.0")
//! #     .tool("weather", "Tells the weather", |at: Asked| async move {
//! #         Json(Answer { celsius: if at.city == "Oslo" { -3.0 } else { 20.0 } })
//! #     })
//! #     .resource("weather://hours", "hours", async || "9 to 5")
//! #     .prompt("pack", "What to pack", |trip: Trip| async move {
//! #         format!("What do I pack for {}?", trip.to)
//! #     })
//! #     .build()?;
//! # let client = Client::builder("demo", "1.0.0").connect(serve(server)).await?;
//! // Arguments are an object, or a reference to anything that is encoded as one.
//! let warm = Object::from([("city", "Rome")]);
//! let rome = client.call_tool("weather").arguments(warm).await?;
//! let oslo = client.call_tool("weather").arguments(&Place { city: "Oslo" }).await?;
//!
//! // The result is the type of the specification. A tool reports a failure in it.
//! if !oslo.has_failed() {
//!     println!("{}", oslo.text());
//! }
//! let weather: Weather = oslo.structured()?;
//! assert!(weather.celsius < 0.0);
//!
//! let hours = client.read_resource("weather://hours").await?;
//! println!("{}", hours.text()); // `contents` has all parts, also binary ones
//!
//! let trip = Map::from([("to", "Oslo".to_owned())]);
//! let prompt = client.get_prompt("pack").arguments(trip).await?;
//! println!("{:?}", prompt.messages);
//! # drop(rome);
//! # Ok(())
//! # }
//! ```
//!
//! There are two kinds of failure. A tool that fails reports so in its result, for the model to read:
//! [`has_failed`](crate::types::CallToolResult::has_failed). A call that fails is a
//! [`CallError`](crate::CallError): the server answered with an error, whose code
//! [`code`](crate::CallError::code) returns, or with a malformed result, or not in time.
//!
//! Calls run independently of each other: any number can be in flight on one connection, from any
//! clone of the [`Client`](crate::Client). Types are those of the newest revision whatever the server
//! speaks; [the page on eras](super::eras) says what that means.
//!
//! # How long it takes
//!
//! A call waits for a minute ([`Limits::call_time`](crate::Limits)), or for its
//! [`timeout`](crate::Call::timeout). It may wait anew with each report of
//! [progress](crate::Call::on_progress), as long as [that goes on](crate::Call::while_progressing):
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use std::time::Duration;
//!
//! use mcp_client::{CallError, Client};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use mcp_server::{Context, HandlerError, Server};
//! # let server = Server::builder("slow", "1.0.0")
//! #     .tool("copy", "Copies", async |cx: Context| -> Result<_, HandlerError> {
//! #         cx.progress(1.0, 2.0, "half of it").await?;
//! #         Ok("copied")
//! #     })
//! #     .tool("hang", "Never ends", async || {
//! #         std::future::pending::<()>().await
//! #     })
//! #     .build()?;
//! # let client = Client::builder("demo", "1.0.0").connect(serve(server)).await?;
//! let copied = client
//!     .call_tool("copy")
//!     .timeout(Duration::from_secs(10))
//!     .while_progressing(Duration::from_secs(600))
//!     .on_progress(|report| println!("{} of {:?}", report.progress, report.total))
//!     .await?;
//! assert_eq!(copied.text(), "copied");
//!
//! let late = client.call_tool("hang").timeout(Duration::from_millis(50)).await;
//! assert!(matches!(late, Err(CallError::Timeout { .. })));
//!
//! // Dropping a call gives it up, here because something else came first.
//! tokio::select! {
//!     done = client.call_tool("hang") => println!("{done:?}"),
//!     () = tokio::time::sleep(Duration::from_millis(50)) => {}
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Either way the server hears of it, in the form of its revision and transport: by
//! `notifications/cancelled`, or over HTTP with 2026-07-28 by the end of the response. An answer
//! that comes all the same is dropped.
//!
//! What is given to `on_progress` is called where messages are read. It must not block; a program
//! that has work to do with the report sends it on by a channel.
//!
//! # What goes with a request
//!
//! [`meta`](crate::Call::meta) adds members to the request's `_meta`, and
//! [`traceparent`](crate::Call::traceparent) the trace of which it is a part. What the protocol
//! itself asks for stands there without further ado.
//!
//! ```no_run
//! # async fn call(client: mcp_client::Client) -> Result<(), mcp_client::CallError> {
//! let result = client
//!     .call_tool("weather")
//!     .meta("com.example/tenant", "blue")
//!     .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
//!     .await?;
//! # drop(result);
//! # Ok(())
//! # }
//! ```
//!
//! # Other outcomes
//!
//! A server of 2026-07-28 may answer with questions in place of a result. Awaiting a call answers
//! them by [what the client has for that](super::questions), and sends the request again. A program
//! that wants to do so itself asks for the [`outcome`](crate::Call::outcome):
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::Client;
//! use mcp_client::types::json::{Map, Object};
//! use mcp_client::types::{
//!     CallToolOutcome, ElicitAction, ElicitResult, ElicitationCapability, InputResponse,
//! };
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use mcp_server::{Context, Form, HandlerError, Server};
//! # let server = Server::builder("asks", "1.0.0")
//! #     .tool("order", "Orders", async |cx: Context| -> Result<_, HandlerError> {
//! #         let form = Form::new("Sure?");
//! #         let sure = cx.elicit(form).await?.accepted().is_some();
//! #         Ok(if sure { "ordered" } else { "not ordered" })
//! #     })
//! #     .build()?;
//! # let builder = mcp_client::Client::builder("demo", "1.0.0")
//! #     .capabilities(|all| all.elicitation(ElicitationCapability::new().form(Object::new())));
//! # let client = builder.connect(serve(server)).await?;
//!
//! let mut call = client.call_tool("order");
//! let result = loop {
//!     match call.clone().outcome().await? {
//!         CallToolOutcome::Complete(result) => break result,
//!         CallToolOutcome::InputRequired(asked) => {
//!             let questions = asked.input_requests.unwrap_or_default();
//!             let answer = |(key, _question)| {
//!                 let answer = ElicitResult::new(ElicitAction::Accept).content(Map::new());
//!                 (key, InputResponse::from(answer))
//!             };
//!             let answers: Map<InputResponse> = questions.into_iter().map(answer).collect();
//!             call = call.input_responses(answers);
//!             if let Some(state) = asked.request_state {
//!                 call = call.request_state(state);
//!             }
//!         }
//!         other => return Err(format!("what is {other:?}?").into()),
//!     }
//! };
//! assert_eq!(result.text(), "ordered");
//! # Ok(())
//! # }
//! ```
//!
//! # Lists
//!
//! A list comes in pages. [`tools`](crate::Client::tools), `resources`, `resource_templates` and
//! `prompts` return its elements over all pages: as a stream, with [`next`](crate::List::next), or
//! [all at once](crate::List::all). [`one_page`](crate::List::one_page) requests a single page.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! # use mcp_client::Client;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use mcp_server::Server;
//! # let server = Server::builder("two", "1.0.0")
//! #     .page_size(1)
//! #     .tool("one", "One", async || 1)
//! #     .tool("two", "Two", async || 2)
//! #     .build()?;
//! # let client = Client::builder("demo", "1.0.0").connect(serve(server)).await?;
//! // The first page is requested here, the next one when its elements are used up.
//! let mut tools = client.tools();
//! while let Some(tool) = tools.next().await {
//!     println!("{}", tool?.name);
//! }
//!
//! // All elements. Malformed ones are reported separately.
//! let listed = client.tools().all().await?;
//! for fault in &listed.faults {
//!     eprintln!("{fault}"); // $.tools[3].inputSchema, named "x": ...
//! }
//! assert_eq!(listed.items.len(), 2);
//!
//! // Page by page.
//! let page = client.tools().one_page().page().await?.result;
//! if let Some(cursor) = page.next_cursor {
//!     let next = client.tools().one_page().cursor(cursor).await?;
//!     assert_eq!(next.tools.len(), 1);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! One malformed element does not lose the others: it is an
//! [`ElementError`](crate::ElementError) with its path, its name and its text. A server that gives
//! the same cursor twice, or pages without end, gets a [`ListError`](crate::ListError). Where a
//! server refuses its own cursor, the list changed meanwhile, and `all` begins once more.
//!
//! # What tools promise
//!
//! With the feature `json-schema`, `structuredContent` is held to the `outputSchema` with which the
//! tool was listed last on this connection. What breaks it is a
//! [`CallError::Output`](crate::CallError), which holds the result all the same. A tool that was not
//! listed is held to nothing, nor is one that says that it failed. No schema is ever fetched; what
//! refers to something outside of itself cannot be used, and is the same error.
//!
//! # Requests that have no method here
//!
//! [`request`](crate::Client::request) takes any request of the method table: those that only older
//! revisions have, of extensions, and requests of an application's own, for which
//! [`Request`](crate::types::Request) and [`Versioned`](crate::types::revision::Versioned) are
//! implemented.
//! [`notify`](crate::Client::notify) does the same for notifications.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::types::Revision;
//! use mcp_client::types::v2025_11_25::PingRequest;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = mcp_server::Server::builder("old", "1.0.0").build()?;
//! # let builder = mcp_client::Client::builder("demo", "1.0.0").revision(Revision::V2025_11_25);
//! # let client = builder.connect(serve(server)).await?;
//!
//! if client.revision() < Revision::LATEST {
//!     client.request::<PingRequest>(None).await?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Params that the server's revision cannot say are a [`CallError::Params`](crate::CallError), and
//! nothing is sent.
