//! Errors of handlers: how to return them, and what the model, the client and the log get.
//!
//! A handler returns any error with `?`. No conversion is needed for types that implement
//! `std::error::Error`:
//!
//! ```
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::{ErrorDetail, HandlerError, Server};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Path {
//!     path: String,
//! }
//!
//! /// The constructors of `HandlerError` say exactly what the client gets.
//! async fn read(args: Path) -> Result<String, HandlerError> {
//!     if args.path.is_empty() {
//!         return Err(HandlerError::invalid_params("`path` is empty"));
//!     }
//!     if args.path.starts_with("/etc") {
//!         let error = HandlerError::tool("this file may not be read");
//!         return Err(error.logged_as(format!("refused to read {}", args.path)));
//!     }
//!     Ok(std::fs::read_to_string(args.path)?)
//! }
//!
//! /// An error type of the program.
//! #[derive(Debug, thiserror::Error)]
//! enum NoteError {
//!     #[error("no note has the title `{0}`")]
//!     NotFound(String),
//!     #[error("the database failed")]
//!     Database(#[from] std::io::Error),
//! }
//!
//! async fn newest() -> Result<String, NoteError> {
//!     Err(NoteError::NotFound("today".to_owned()))
//! }
//!
//! /// Decides once for all handlers what becomes of a `NoteError`.
//! fn convert(error: NoteError) -> HandlerError {
//!     match &error {
//!         NoteError::NotFound(_) => HandlerError::tool(error.to_string()),
//!         NoteError::Database(cause) => {
//!             HandlerError::internal("try again later").logged_as(format!("database: {cause}"))
//!         }
//!     }
//! }
//!
//! /// An error type that does not implement `std::error::Error`.
//! struct Busy {
//!     seconds: u64,
//! }
//!
//! impl From<Busy> for HandlerError {
//!     fn from(error: Busy) -> Self {
//!         Self::tool(format!("busy, try again in {} seconds", error.seconds))
//!     }
//! }
//!
//! async fn print() -> Result<(), Busy> {
//!     Err(Busy { seconds: 5 })
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("notes", "1.0.0")
//!     .error_detail(ErrorDetail::Hidden)
//!     .map_error(convert)
//!     .tool("read", "Reads a file", read)
//!     .tool("newest", "Returns the newest note", newest)
//!     .tool("print", "Prints all notes", print)
//!     .build()?;
//!
//! let transport = ByteStream::of(server.in_memory());
//! let client = Client::builder("test", "1.0.0").connect(transport).await?;
//!
//! // A failure of the tool: the call succeeds, and the model reads the text.
//! let result = client.call_tool("newest").await?;
//! assert!(result.has_failed());
//! assert_eq!(result.text(), "no note has the title `today`");
//! assert_eq!(client.call_tool("print").await?.text(), "busy, try again in 5 seconds");
//!
//! // An error by `?` without a conversion: its text is hidden here.
//! let missing = serde_json::json!({ "path": "/missing" });
//! let result = client.call_tool("read").arguments(&missing).await?;
//! assert_eq!(result.text(), "the tool failed");
//!
//! // An error of the protocol: the call fails.
//! let empty = serde_json::json!({ "path": "" });
//! let error = client.call_tool("read").arguments(&empty).await.expect_err("refused");
//! assert_eq!(error.code(), Some(-32602));
//! # Ok(())
//! # }
//! ```
//!
//! # Two kinds of errors
//!
//! A *failure of a tool* is a result with `isError`. The model reads its text and can try
//! something else. An *error of the protocol* has a code and a message, and is meant for the
//! program that sent the request. Which of the two the client gets depends on how the error was
//! made:
//!
//! | error | in a tool | in any other handler |
//! | --- | --- | --- |
//! | any error by `?` | a result with `isError` | -32603 |
//! | [`tool`](crate::HandlerError::tool), [`tool_result`](crate::HandlerError::tool_result) | a result with `isError` | -32603 |
//! | [`invalid_params`](crate::HandlerError::invalid_params) | -32602 | -32602 |
//! | [`resource_not_found`](crate::HandlerError::resource_not_found) | -32602; -32002 before 2026-07-28 | the same |
//! | [`internal`](crate::HandlerError::internal) | -32603 | -32603 |
//! | [`forbidden`](crate::HandlerError::forbidden), [`insufficient_scope`](crate::HandlerError::insufficient_scope) | -32600, over HTTP with status 403 | the same |
//! | [`missing_capability`](crate::HandlerError::missing_capability) | -32021; -32602 before 2026-07-28 | the same |
//! | [`protocol`](crate::HandlerError::protocol) | any code, message and data | the same |
//!
//! Guards and middleware run outside of the tool, so their errors are always errors of the
//! protocol, as in the last column.
//!
//! An `ErrorObject` that is returned with `?`, or is the source of such an error, is sent
//! unchanged: a server that calls another server passes on its errors.
//!
//! Handlers do not see arguments that do not fit their type or schema. The server rejects them with
//! the place of the mistake: with `isError` since 2025-11-25, so that the model can correct itself,
//! and with -32602 for clients of older revisions.
//!
//! # What the client and the log get
//!
//! Errors by `?` are unexpected, so the log always has all of them: a warning "handler failed" with
//! the fields `method`, `tool`, `request.id`, `principal`, `error` and `causes`, the texts of the
//! [sources](std::error::Error::source). Sources often name tables, files and hosts, so the client
//! gets only the error's own text.
//! [`error_detail`](crate::ServerBuilder::error_detail) changes that:
//!
//! | [`ErrorDetail`](crate::ErrorDetail) | text for the model, in a tool | message of -32603, elsewhere |
//! | --- | --- | --- |
//! | `Hidden` | "the tool failed" | "internal error" |
//! | `Message`, the default | the error's own text | the error's own text |
//! | `Causes` | its own text and those of its sources | the same |
//!
//! Some error types repeat the text of their source in their own. Give such an error a text of its
//! own with [`map_error`](crate::ServerBuilder::map_error), or hide it.
//!
//! Errors that the constructors make are sent unchanged, whatever `error_detail` says, and are
//! not logged: they are answers, not surprises. [`logged_as`](crate::HandlerError::logged_as) also
//! writes a text to the log, which the client does not see.
//!
//! Requests for a [URL](super::urls) of a resource never get a text of an error: the status is 500,
//! and the log has the error.
//!
//! # One error type for many handlers
//!
//! [`map_error`](crate::ServerBuilder::map_error) takes a function from one error type to
//! [`HandlerError`](crate::HandlerError). It applies to all handlers, guards and extractors of the
//! server, also where a handler returns a `HandlerError` that `?` made of that type.
//!
//! Types that implement `std::error::Error` cannot implement `Into<HandlerError>` themselves: every
//! such type already does. Types that do not implement it can, as `Busy` above.
