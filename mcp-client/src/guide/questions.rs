//! Questions of servers: forms, pages, models, roots.
//!
//! A handler answers them, and that it is there is what the client declares. The same handler serves
//! both eras: servers of the revisions up to 2025-11-25 send a request and wait for its answer; those
//! of 2026-07-28 answer a call with their questions, and get the call once more with the answers.
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
//!             println!("{name}: {field:?}"); // a title, a type, what may be chosen
//!         }
//!         // What the user leaves out has the form's default, here `class`.
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
//! An answer that was accepted is completed with the form's defaults and then held to the form: what
//! is required, types, bounds, formats, choices. Members that the form does not have are sent as they
//! are. What breaks the form is a [`FormError`](crate::FormError), and the server gets no answer. What
//! the user declines or cancels is sent without content.
//!
//! # Pages
//!
//! [`on_elicit_url`](crate::ClientBuilder::on_elicit_url) gets a URL that the user is to open, for what
//! must not pass through the client. Show the whole URL and ask before it is opened; accepting is
//! consent, not the end of what happens on the page. The end is told by servers of 2025-11-25, by
//! `ElicitationCompleteNotification`, to
//! [`on_notification`](crate::ClientBuilder::on_notification).
//!
//! A server of 2025-11-25 may also refuse a call with -32042 and name pages. They go to the same
//! handler; once the user accepted all of them, the call is made once more.
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
//!             // Said to an older server as it is.
//!             return Err(ErrorObject::new(-1, "the user said no").into());
//!         }
//!         let said = SamplingMessageContentBlock::from(TextContent::new("..."));
//!         Ok(CreateMessageResult::new("a-model", Role::Assistant, said))
//!     })
//!     // What goes beyond having a handler is declared by hand: here, that the model takes tools.
//!     .capabilities(|all| all.sampling(SamplingCapability::new().tools(Object::new())))
//!     .on_roots(|| async { Ok(vec![Root::new("file:///home/me/work").name("work")]) });
//! # drop(builder);
//! ```
//!
//! When the roots change, [`roots_changed`](crate::Client::roots_changed) says so to an older server;
//! one of 2026-07-28 asks whenever it needs them.
//!
//! Show the user what a model is asked and what it answers, and let them say no: the specification
//! asks for it, and no library can do it.
//!
//! # Handlers
//!
//! - They may take as long as they like: a call of 2026-07-28 waits for its answers without a bound,
//!   and its timeout begins anew when it is sent again. An older server keeps its own time, and the
//!   call that it is at work on keeps the client's: give such calls a longer
//!   [`timeout`](crate::Call::timeout).
//! - Several may run at once, for several questions of one call and for several calls.
//! - They are dropped when nobody waits for the answer any more: when the call is dropped, or when
//!   an older server cancels.
//! - What they fail with is an [`InputError`](crate::InputError), any error in a box. A call of
//!   2026-07-28 then ends with [`CallError::Input`](crate::CallError), and the server hears nothing of
//!   it. To an older server an [`ErrorObject`](crate::types::rpc::ErrorObject) is said as it is, and
//!   anything else with its text and -32603. A panic is an error, too.
//! - A question without a handler was never declared. An older server is refused with -32601, or
//!   with -32602 where it has the other of forms and pages; a call of 2026-07-28 ends.
//!
//! # Rounds
//!
//! A server may ask again when it is answered, at most [`Limits::rounds`](crate::Limits) times; then
//! the call ends with [`CallError::Rounds`](crate::CallError). Its state, `requestState`, is text that
//! goes back as it came, with the answers of the last round only. A program that wants to see the
//! rounds takes the [outcome](super::calls#other-outcomes).
//!
//! Handlers work on [`Limits::server_requests`](crate::Limits) questions at a time. One more request of
//! an older server is refused. At 2026-07-28, more questions in one answer end the call with
//! [`CallError::Questions`](crate::CallError) before any handler sees them, and those of other calls
//! wait for their turn.
