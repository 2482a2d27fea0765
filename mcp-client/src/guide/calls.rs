//! Calls: arguments, timeouts, results and lists.
//!
//! # A call
//!
//! There is a method for each request of the newest revision. It takes the required params;
//! optional ones are added by methods of the call. Awaiting the call sends it and returns its
//! result.
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
//! println!("{}", hours.text()); // All texts; `contents` also has the binary parts.
//!
//! let trip = Map::from([("to", "Oslo".to_owned())]);
//! let prompt = client.get_prompt("pack").arguments(trip).await?;
//! println!("{:?}", prompt.messages);
//! # drop(rome);
//! # Ok(())
//! # }
//! ```
//!
//! There are two kinds of failure. A tool that fails reports so in its result, for the model to
//! read: [`has_failed`](crate::types::CallToolResult::has_failed). A call that fails is a
//! [`CallError`](crate::CallError): the server answered with an error, whose code
//! [`code`](crate::CallError::code) returns, or with a malformed result, or not in time.
//!
//! Calls run independently of each other: any number can be in flight on one connection, from any
//! clone of the [`Client`](crate::Client). Types are those of the newest revision whatever the
//! server supports; see [the page on eras](super::eras).
//!
//! # Timeouts and progress
//!
//! The timeout of a call is one minute ([`Limits::call_time`](crate::Limits)), unless the call sets
//! another [`timeout`](crate::Call::timeout). Reports of [progress](crate::Call::on_progress) can
//! restart it, up to [a total time](crate::Call::while_progressing):
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
//! // Dropping a call cancels it, here because something else finished first.
//! tokio::select! {
//!     done = client.call_tool("hang") => println!("{done:?}"),
//!     () = tokio::time::sleep(Duration::from_millis(50)) => {}
//! }
//! # Ok(())
//! # }
//! ```
//!
//! In both cases the client cancels the request on the server: with `notifications/cancelled`, or
//! over HTTP with 2026-07-28 by closing the response. A response that arrives later is ignored.
//! [`cancel_reason`](crate::Call::cancel_reason) sets the reason in the notification.
//!
//! The task that reads messages calls the handler of `on_progress`, so the handler must not block.
//! Use a channel if a report causes more work.
//!
//! # Metadata of a request
//!
//! [`meta`](crate::Call::meta) adds members to the request's `_meta`, and
//! [`traceparent`](crate::Call::traceparent) sets the trace context. The client adds the members
//! that the protocol requires.
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
//! A server of 2026-07-28 may answer with questions instead of a result. If the call is awaited,
//! the [handlers of the client](super::questions) answer them, and the request is sent again. A
//! program that wants to do so itself uses [`outcome`](crate::Call::outcome):
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
//!         other => return Err(format!("unexpected outcome {other:?}").into()),
//!     }
//! };
//! assert_eq!(result.text(), "ordered");
//! # Ok(())
//! # }
//! ```
//!
//! # Lists
//!
//! Servers send lists in pages. [`tools`](crate::Client::tools), `resources`, `resource_templates`
//! and `prompts` return its elements over all pages: as a stream, with [`next`](crate::List::next),
//! or [all at once](crate::List::all). [`one_page`](crate::List::one_page) requests a single page.
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
//! A malformed element is an [`ElementError`](crate::ElementError) with its path, its name and its
//! text; the other elements are not affected. If the server sends the same cursor twice, or too
//! many pages, the list ends with a [`ListError`](crate::ListError). If the server rejects its own
//! cursor, the list has changed meanwhile, and `all` starts again once.
//!
//! # Output schemas
//!
//! With the feature `json-schema`, the client validates `structuredContent` against the
//! `outputSchema` of the tool, as it was last listed on this connection. A result that does not
//! match is a [`CallError::Output`](crate::CallError), which contains the result. Results of tools
//! that were not listed, and results that report a failure, are not validated. Schemas are never
//! fetched. If a schema is invalid or refers to other documents, or if its validation would take
//! too long, the result is returned without a check, and the reason is logged. Compiling a schema
//! and long validations run on a blocking thread of tokio.
//!
//! # Other requests
//!
//! [`request`](crate::Client::request) sends any request of the method table: requests of older
//! revisions and of extensions, and requests that the application defines by implementing
//! [`Request`](crate::types::Request) and [`Versioned`](crate::types::revision::Versioned).
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
//! if !client.revision().is_modern() {
//!     client.request::<PingRequest>(None).await?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Params that the revision of the server cannot express are a
//! [`CallError::Params`](crate::CallError), and nothing is sent.
