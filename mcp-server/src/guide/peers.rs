//! One handler for all clients: eras and revisions, and what a handler must not do before it asks
//! the client.
//!
//! A handler uses the types of the newest revision. Messages of clients of older revisions are
//! decoded by the schema of that revision and converted to the newest one; results are converted
//! back. Handlers rarely need to know the revision; [`Context::revision`](crate::Context::revision)
//! returns it.
//!
//! # Revisions
//!
//! | revision | begins with | not available, in addition to what newer revisions lack |
//! | --- | --- | --- |
//! | 2026-07-28 | any request, which contains its revision; `server/discover` | |
//! | 2025-11-25 | `initialize` | results that are not objects, `null` in schemas of properties |
//! | 2025-06-18 | `initialize` | icons, elicitation by URL, tools in sampling, several choices in a form |
//! | 2025-03-26 | `initialize` | elicitation, structured content, links to resources, titles |
//! | 2024-11-05 | `initialize` | audio, annotations of tools |
//!
//! With the Cargo feature `draft`, `ServerBuilder::draft` also serves clients of the draft of the
//! next revision. It is unstable: any release of this crate may follow a newer draft. What only the
//! draft has is in the module `draft` of [`types`](crate::types); requests that it adds are handled
//! with [`on`](crate::ServerBuilder::on).
//!
//! What a revision cannot express is left out if the rest still makes sense: a title, an icon,
//! structured content that is also given as text. A block of content of a newer kind becomes a text
//! that says what it was. A choice of several values in a form becomes a checkbox for each value. A
//! question that the revision does not have returns an error. Both eras
//! share connections and endpoints: each message shows which era it belongs to.
//!
//! # Two eras
//!
//! Clients of revisions up to 2025-11-25 begin with a handshake. When a handler asks such a client
//! something, the server sends it a request, and the handler waits for the response.
//!
//! Clients of 2026-07-28 send independent requests, and the server sends them none. When a handler
//! asks such a client something, the request ends with the list of open questions as its result.
//! The client collects the answers and sends the request again, together with them, and the handler
//! **runs again from the beginning**. This time the question returns its answer at once, and the
//! handler continues to the next question, or to its end.
//!
//! The same line serves both:
//!
//! ```
//! use mcp_server::types::StringSchema;
//! use mcp_server::{Context, Elicited, Form, HandlerError, Server};
//!
//! async fn paint(cx: Context) -> Result<String, HandlerError> {
//!     let form = Form::new("Which colour?").required("colour", StringSchema::new());
//!     match cx.elicit(form).await? {
//!         Elicited::Accepted(answer) => Ok(format!("painted: {answer:?}")),
//!         _ => Ok("not painted".to_owned()),
//!     }
//! }
//!
//! let server = Server::builder("walls", "1.0.0").tool("paint", "Paints a wall", paint).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! The server stores nothing between two rounds, so any process that has the same
//! [keys](crate::Keys) can serve the next one. The client sends the answers so far along, encrypted
//! and authenticated: they are bound to the method, the params and the
//! [principal](crate::Principal), and are valid for [a limited time](crate::Limits).
//!
//! # Before a question
//!
//! The code before a question runs once for each round of a modern client. It must be
//!
//! - **free of side effects.** Do not place an order, send a mail or write a row before the last
//!   question. Ask first, then act; if that is not possible, act inside of
//!   [`Context::once`](crate::Context::once).
//! - **deterministic.** If a handler takes another branch in the second round because of a clock, a
//!   random number or a counter, it asks other questions than those that were answered. Compute
//!   such values inside of `once` as well.
//! - **cheap**, or inside of `once`.
//!
//! ```
//! use mcp_server::types::BooleanSchema;
//! use mcp_server::{Context, Form, HandlerError, Server};
//!
//! async fn reserve() -> Result<u64, HandlerError> {
//!     Ok(1)
//! }
//!
//! async fn book(cx: Context) -> Result<u64, HandlerError> {
//!     // Runs in the first round; the client sends the value along in the others.
//!     let seat = cx.once("seat", reserve()).await?;
//!     let form = Form::new(format!("Seat {seat}?")).required("ok", BooleanSchema::new());
//!     cx.elicit(form).await?;
//!     Ok(seat)
//! }
//!
//! let server = Server::builder("cinema", "1.0.0").tool("book", "Books a seat", book).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! If the code before a question cannot start again at all, for example because it is a call of
//! another server, run it with [`Context::detached`](crate::Context::detached): it goes on while the
//! client answers, and the next round waits for it. A gateway is built on this, see the crate
//! `mcp-gateway`.
//!
//! If a handler waits for an answer and for something else at the same time, the other future is
//! dropped when the question is sent. Questions that are joined are sent together, and the client
//! can answer them in one round.
//!
//! # What clients may do
//!
//! - Never answer: the handler does not run again, so a reservation must expire by itself.
//! - Answer some of the questions: the others are asked again.
//! - Send an answer twice while the state is valid: the program itself has to make sure that an
//!   action that must happen only once, such as redeeming a voucher, does.
//! - Send an answer that does not fit the form: the client gets -32602 with the place, and may try
//!   again with the same state.
//!
//! A handler never asks for something that the client did not declare: the question returns an
//! error (-32021, for older clients -32602), which a handler may catch to continue without an
//! answer.
//!
//! # The begin and the end of a subscription
//!
//! A program that fetches changes only while a client wants them uses a
//! [middleware](crate::middleware). In the newest revision, a subscription is a request that lasts
//! until the client ends it or disconnects: its future is dropped then. Older clients subscribe with a
//! request of its own, until they unsubscribe or their [session](crate::ClientSession) ends.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use mcp_client::{ByteStream, Client, SubscriptionEvent};
//! use mcp_server::middleware::{Middleware, Next, Outcome, Request};
//! use mcp_server::types::SubscriptionFilter;
//! use mcp_server::{ResourceDef, Server};
//!
//! /// Each subscription has a clone.
//! #[derive(Clone, Default)]
//! struct Subscriptions(Arc<()>);
//!
//! impl Subscriptions {
//!     fn count(&self) -> usize {
//!         Arc::strong_count(&self.0) - 2 // without this one and the middleware
//!     }
//! }
//!
//! impl Middleware for Subscriptions {
//!     async fn call(&self, request: Request, next: Next) -> Outcome {
//!         let session = request.context().session();
//!         match request.method() {
//!             "subscriptions/listen" => {
//!                 let _open = Arc::clone(&self.0);
//!                 next.run(request).await
//!             }
//!             "resources/subscribe" => {
//!                 let answer = next.run(request).await?;
//!                 if let Some(session) = session {
//!                     let open = Arc::clone(&self.0);
//!                     // A complete program aborts this on `resources/unsubscribe`.
//!                     tokio::spawn(async move {
//!                         session.ended().await;
//!                         drop(open);
//!                     });
//!                 }
//!                 Ok(answer)
//!             }
//!             _ => next.run(request).await,
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let subscriptions = Subscriptions::default();
//! let server = Server::builder("demo", "1.0.0")
//!     .add_resource(ResourceDef::new("news://today", "today").handler(async || "Nothing new"))
//!     .layer(subscriptions.clone())
//!     .build()?;
//! let stream = ByteStream::of(server.in_memory());
//! let client = Client::builder("demo", "1.0.0").connect(stream).await?;
//! let filter = SubscriptionFilter::new().resource_subscriptions(["news://today".to_owned()]);
//! let mut listening = client.listen(filter);
//! assert!(matches!(listening.next().await, Some(Ok(SubscriptionEvent::Listening(_)))));
//! assert_eq!(subscriptions.count(), 1);
//! drop((listening, client));
//! while subscriptions.count() > 0 {
//!     tokio::time::sleep(Duration::from_millis(10)).await;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! If processes share sessions, `resources/subscribe` reaches one process, and the notification is
//! sent by the one that has the client's stream: fetch the changes in the first one, and
//! [announce](crate::Server::announce) them to all.
