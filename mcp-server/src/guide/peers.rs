//! One handler, every peer: eras and revisions, and how a handler asks its client something.
//!
//! A handler is written once, against the types of the newest revision. What comes from a peer of
//! an older one is read under that revision's schema and made the newest form; what goes to it is
//! made its form again. A handler seldom needs to know; [`Context::revision`](crate::Context)
//! tells.
//!
//! # Revisions
//!
//! | revision | begins with | what its peers lack, beside what newer ones lack |
//! | --- | --- | --- |
//! | 2026-07-28 | any request, which says its revision itself; `server/discover` | |
//! | 2025-11-25 | `initialize` | results that are not objects, `null` in schemas of properties |
//! | 2025-06-18 | `initialize` | icons, elicitation by URL, tools in sampling, several choices in a form |
//! | 2025-03-26 | `initialize` | elicitation, structured content, links to resources, titles |
//! | 2024-11-05 | `initialize` | audio, annotations of tools |
//!
//! What a revision has no place for is left out where the rest still makes sense: a title, an icon,
//! structured content that also stands as text. A block of content of a newer kind comes as text
//! that says what it was. A question that the revision does not have is an error of the question.
//! Both eras share a connection or an endpoint: which one a message is of, it says itself.
//!
//! # Two eras
//!
//! Peers of the revisions up to 2025-11-25 begin with a handshake. When a handler asks such a peer
//! something, the server sends it a request of its own, and the handler waits for the answer.
//!
//! Peers of 2026-07-28 send requests that stand alone, and the server sends none. When a handler
//! asks such a peer something, its request ends there: the result is the list of open questions.
//! The client finds the answers and sends the request again, with them, and the handler **runs
//! again from its first line**. Now the question is answered at once, and the handler goes on to
//! the next question, or to its end.
//!
//! The same line serves both:
//!
//! ```
//! # use mcp_server::{Context, Form, HandlerError};
//! # use mcp_server::types::StringSchema;
//! # async fn handler(cx: Context) -> Result<(), HandlerError> {
//! let form = Form::new("Which colour?").required("colour", StringSchema::new());
//! let colour = cx.elicit(form).await?;
//! # drop(colour);
//! # Ok(())
//! # }
//! ```
//!
//! Nothing is kept on the server between two rounds, so any process that has the same
//! [keys](crate::Keys) can serve the next one. Answers so far travel with the request, encrypted
//! and authenticated: bound to method, params and [principal](crate::Principal), and for
//! [a limited time](crate::Limits).
//!
//! # What must not stand before a question
//!
//! All that stands before a question is done again for each round of a modern peer. So it must be
//!
//! - **free of effects.** No order placed, no mail sent, no row written before the last question.
//!   Ask first and act afterwards; where that cannot be, act inside of
//!   [`Context::once`](crate::Context::once).
//! - **the same each time.** A handler that takes another way in the second round, because of a
//!   clock, a random number or a counter, asks other questions than those that were answered. Take
//!   such values inside of `once`, too.
//! - **cheap**, or inside of `once`.
//!
//! ```
//! # use mcp_server::{Context, Form, HandlerError};
//! # use mcp_server::types::BooleanSchema;
//! # async fn reserve() -> Result<u64, HandlerError> { Ok(1) }
//! async fn handler(cx: Context) -> Result<u64, HandlerError> {
//!     // Done in the first round; the others get its value from the client's message.
//!     let seat = cx.once("seat", reserve()).await?;
//!     let form = Form::new(format!("Seat {seat}?")).required("ok", BooleanSchema::new());
//!     cx.elicit(form).await?;
//!     Ok(seat)
//! }
//! ```
//!
//! When a handler waits for an answer and for something else at a time, the something else is
//! dropped when the question goes out. Questions that are asked together, joined, go out together,
//! and the client can answer them in one round.
//!
//! # What clients may do
//!
//! Never answer: then the handler never runs again, and what it reserved must lapse by itself.
//! Answer some of the questions: the others are asked again. Send an answer twice, as long as the
//! state is valid: what may happen only once at all, such as redeeming a voucher, the program must
//! see to itself. Answer something that does not fit the form: that is an error to the client
//! (-32602) with the place, and a new try with the same state is possible.
//!
//! A handler never asks for what the client did not declare: the question is then an error
//! (-32021, to older peers -32602), which a handler may catch to do without.
