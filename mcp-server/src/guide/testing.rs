//! Tests of a server: in memory with a client, and handlers called directly.
//!
//! [`in_memory`](crate::Server::in_memory) serves a client in the same process, without a socket
//! or a child process. It returns a stream, which any client can use; with `mcp-client`, a test
//! needs two lines before its first request:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::{BuildErrors, HandlerError, Server, State};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! type Notes = Arc<Mutex<Vec<String>>>;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Note {
//!     text: String,
//! }
//!
//! async fn save(note: Note, State(notes): State<Notes>) -> Result<usize, HandlerError> {
//!     if note.text.is_empty() {
//!         return Err(HandlerError::tool("a note needs a text"));
//!     }
//!     let mut notes = notes.lock().map_err(|_| HandlerError::internal("a writer panicked"))?;
//!     notes.push(note.text);
//!     Ok(notes.len())
//! }
//!
//! /// Used by `main` and by the tests.
//! fn server(notes: Notes) -> Result<Server, BuildErrors> {
//!     Server::builder("notes", "1.0.0")
//!         .state(notes)
//!         .tool("save", "Saves a note", save)
//!         .build()
//! }
//!
//! // #[tokio::test]
//! async fn saves_a_note() -> Result<(), Box<dyn std::error::Error>> {
//!     let notes = Notes::default();
//!     let transport = ByteStream::of(server(notes.clone())?.in_memory());
//!     let client = Client::builder("test", "1.0.0").connect(transport).await?;
//!
//!     let note = serde_json::json!({ "text": "Buy milk" });
//!     let result = client.call_tool("save").arguments(&note).await?;
//!     assert_eq!(result.text(), "1");
//!     assert_eq!(*notes.lock().unwrap(), ["Buy milk"]);
//!     Ok(())
//! }
//!
//! // #[tokio::test]
//! async fn refuses_an_empty_note() {
//!     let note = Note { text: String::new() };
//!     let error = save(note, State(Notes::default())).await.expect_err("refused");
//!     assert_eq!(error.code(), None); // a failure of the tool, not an error of the protocol
//! }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #     saves_a_note().await?;
//! #     refuses_an_empty_note().await;
//! #     Ok(())
//! # }
//! ```
//!
//! # In memory
//!
//! The client and the server exchange the same messages as over standard input and output, so the
//! test covers schemas, validation and encoding. A task serves the stream until it is dropped, so
//! the test needs a tokio runtime, as `#[tokio::test]` starts one.
//!
//! The client negotiates the newest revision. `Client::builder(..).revision(..)` of `mcp-client`
//! pins another one, to see what clients of older revisions get.
//!
//! [`in_memory_as`](crate::Server::in_memory_as) does the same for an authenticated client: with a
//! [`Principal`](crate::Principal), with an access token and its scopes, or with any values that a
//! middleware would attach:
//!
#![cfg_attr(feature = "oauth", doc = "```")]
#![cfg_attr(not(feature = "oauth"), doc = "```ignore")]
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::{AccessToken, Server};
//!
//! async fn whoami(token: AccessToken) -> String {
//!     token.scopes.join(" ")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("demo", "1.0.0").tool("whoami", "Lists scopes", whoami).build()?;
//! let token = AccessToken::new("https://auth.example.com").subject("ada").scopes(["notes:read"]);
//! let transport = ByteStream::of(server.in_memory_as(token));
//! let client = Client::builder("test", "1.0.0").connect(transport).await?;
//! assert_eq!(client.call_tool("whoami").await?.text(), "notes:read");
//! # Ok(())
//! # }
//! ```
//!
//! # Handlers by themselves
//!
//! A handler is an async function. A test calls it with its arguments and extractors, as
//! `refuses_an_empty_note` does above: `State`, `Principal`, `Extension` and `ResourceUri` are made
//! by their constructors. A handler that takes a [`Context`](crate::Context) needs a request, so
//! test it in memory, or move what does not need the context to a function of its own.
//!
//! Definitions are checked by [`build`](crate::ServerBuilder::build), which returns
//! [all errors](crate::BuildErrors) at once: a test that only builds the server finds wrong schemas,
//! duplicate names and missing states.
//!
//! # Over HTTP
//!
//! `serve_http` with port 0 lets the system choose a free port, and `HttpServer::local_addr` returns
//! it. Use it to test status codes, headers and middleware of tower.
