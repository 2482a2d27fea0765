//! Questions of servers: forms, pages, models, roots.
//!
//! The program sets a handler for each kind of question, and the client then declares the
//! capability. The same handler serves both eras: servers of the revisions up to 2025-11-25 send a
//! request and wait for the response; servers of 2026-07-28 answer a call with their questions, and
//! the client sends the call again with the answers.
//!
//! # Forms
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/subject/guide.rs"));
//! use mcp_client::Client;
//! use mcp_client::types::json::Map;
//! use mcp_client::types::{ElicitAction, ElicitResult, ElicitValue, Revision};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use mcp_client::types::StringSchema;
//! # use mcp_server::{Context, Elicited, Field, Form, HandlerError, Server};
//! # let server = Server::builder("travel", "1.0.0")
//! #     .tool("book", "Books", async |cx: Context| -> Result<_, HandlerError> {
//! #         let form = Form::new("Where to?")
//! #             .required("city", StringSchema::new().max_length(80))
//! #             .required("class", Field::one_of(["economy", "business"]).default("economy"));
//! #         Ok(match cx.elicit(form).await? {
//! #             Elicited::Accepted(trip) => format!("{:?} {:?}", trip.get("city"), trip.get("class")),
//! #             _ => "not booked".to_owned(),
//! #         })
//! #     })
//! #     .build()?;
//! for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
//!     let builder = Client::builder("demo", "1.0.0").on_elicit_form(|form| async move {
//!         println!("{}", form.message);
//!         for (name, field) in &form.requested_schema.properties {
//!             println!("{name}: {field:?}"); // The title, the type and the choices.
//!         }
//!         // Absent fields get the default of the form, here `class`.
//!         let filled_in = Map::from([("city", ElicitValue::String("Oslo".to_owned()))]);
//!         Ok(ElicitResult::new(ElicitAction::Accept).content(filled_in))
//!     });
//!     let client = builder.revision(revision).connect(serve(server.clone())).await?;
//!     let booked = client.call_tool("book").await?.text();
//!     assert!(booked.contains("Oslo") && booked.contains("economy"), "{booked}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Accepted content is completed with the defaults of the form and then validated: required fields,
//! types, bounds, formats, choices. Members that the form does not declare are sent unchanged.
//! Invalid content is a [`FormError`](crate::FormError) and is not sent. If the user declines or
//! cancels, no content is sent.
//!
//! # Pages
//!
//! The handler of [`on_elicit_url`](crate::ClientBuilder::on_elicit_url) receives a URL that the
//! user should open, for data that must not pass through the client. Show the whole URL and ask
//! before it is opened. Accepting means consent, not that the user has finished on the page.
//! Servers of 2025-11-25 report the latter with `ElicitationCompleteNotification`, to a handler of
//! [`on_notification`](crate::ClientBuilder::on_notification).
//!
//! A server of 2025-11-25 may also reject a call with -32042 and name pages. The same handler
//! receives them. If the user accepts all of them, the call is sent again.
//!
//! # Models and roots
//!
//! ```
//! use mcp_client::Client;
//! use mcp_client::types::json::Object;
//! use mcp_client::types::rpc::ErrorObject;
//! use mcp_client::types::{
//!     CreateMessageResult, Role, Root, SamplingCapability, SamplingMessageContentBlock, TextContent,
//! };
//!
//! let builder = Client::builder("demo", "1.0.0")
//!     .on_sample(|asked| async move {
//!         if asked.max_tokens > 10_000 {
//!             // An older server receives this error unchanged.
//!             return Err(ErrorObject::new(-1, "the user said no").into());
//!         }
//!         let text = SamplingMessageContentBlock::from(TextContent::new("..."));
//!         Ok(CreateMessageResult::new("a-model", Role::Assistant, text))
//!     })
//!     // Further capabilities are declared explicitly: here, that the model supports tools.
//!     .capabilities(|all| all.sampling(SamplingCapability::new().tools(Object::new())))
//!     .on_roots(|| async { Ok(vec![Root::new("file:///home/me/work").name("work")]) });
//! # drop(builder);
//! ```
//!
//! When the roots change, [`roots_changed`](crate::Client::roots_changed) notifies an older server;
//! a server of 2026-07-28 asks whenever it needs them.
//!
//! Show the user the prompt and the answer of the model, and let them reject both: the
//! specification requires it, and a library cannot do it.
//!
//! # Handlers
//!
//! - Handlers have no timeout: a call of 2026-07-28 waits for its answers, and its timeout starts
//!   again when it is sent again. With an older server, the call during which the server asks keeps
//!   its timeout: set a longer [`timeout`](crate::Call::timeout) for such calls.
//! - Several handlers may run at once, for several questions of one call and for several calls.
//! - Handlers are dropped when the answer is not needed any more: when the call is dropped, or when
//!   an older server cancels its request.
//! - Handlers fail with an [`InputError`](crate::InputError), any boxed error. A call of 2026-07-28
//!   then fails with [`CallError::Input`](crate::CallError), and the server receives nothing. An
//!   older server receives an [`ErrorObject`](crate::types::rpc::ErrorObject) unchanged, and other
//!   errors as -32603 with their text. A panic is an error, too.
//! - A question without a handler contradicts the declared capabilities. An older server receives
//!   -32601, or -32602 for an undeclared mode of elicitation; a call of 2026-07-28 fails.
//!
//! # Rounds
//!
//! A server may ask again after it has received answers, at most [`Limits::rounds`](crate::Limits)
//! times; then the call fails with [`CallError::Rounds`](crate::CallError). The client returns the
//! `requestState` of the server unchanged, with the answers of the last round. A program that wants
//! to control the rounds uses the [outcome](super::calls#other-outcomes).
//!
//! Handlers answer at most [`Limits::server_requests`](crate::Limits) questions at once. Further
//! requests of an older server are rejected. If a server of 2026-07-28 asks more questions in one
//! response, the call fails with [`CallError::Questions`](crate::CallError) and no handler is
//! called; questions of other calls wait.
