//! Values that handlers share: state, groups with a state of their own, and extractors.
//!
//! A server gets its values with [`state`](crate::ServerBuilder::state), and a handler extracts
//! them with [`State<T>`](crate::State). Extractors are the parameters of a handler after its
//! arguments. The program below has two parts, notes and statistics:
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use std::sync::{Arc, Mutex};
//!
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::{
//!     Context, FromContext, Group, HandlerError, Principal, Requirements, Server, State,
//! };
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! /// Shared by all handlers.
//! #[derive(Clone)]
//! struct Config {
//!     motto: &'static str,
//! }
//!
//! /// The state of the group of notes: cheap to clone, since it is cloned for each request.
//! #[derive(Clone, Default)]
//! struct Notes(Arc<Mutex<BTreeMap<String, String>>>);
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Note {
//!     title: String,
//!     text: String,
//! }
//!
//! /// Saves a note. A handler can take several states.
//! async fn save(
//!     note: Note,
//!     State(notes): State<Notes>,
//!     State(config): State<Config>,
//! ) -> Result<String, HandlerError> {
//!     let mut notes = notes.0.lock().map_err(|_| HandlerError::internal("a writer panicked"))?;
//!     notes.insert(note.title, note.text);
//!     Ok(format!("{} notes. {}", notes.len(), config.motto))
//! }
//!
//! /// The definitions of one part of the server, for example of one module.
//! fn notes(notes: Notes) -> Group {
//!     Group::new().prefix("notes_").state(notes).tool("save", "Saves a note", save)
//! }
//!
//! type Counter = Arc<AtomicU64>;
//!
//! /// An extractor of one's own: the name of the user, or `guest`.
//! struct User(String);
//!
//! impl FromContext for User {
//!     async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
//!         let principal = Option::<Principal>::from_context(cx).await?;
//!         Ok(Self(principal.map_or("guest".to_owned(), |principal| principal.0)))
//!     }
//! }
//!
//! /// An extractor that uses a state: the number of this visit.
//! struct Visit(u64);
//!
//! impl FromContext for Visit {
//!     fn requirements(requirements: &mut Requirements) {
//!         requirements.state::<Counter>();
//!     }
//!
//!     async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
//!         let State(counter) = State::<Counter>::from_context(cx).await?;
//!         Ok(Self(counter.fetch_add(1, Ordering::Relaxed) + 1))
//!     }
//! }
//!
//! async fn visit(User(name): User, Visit(number): Visit) -> String {
//!     format!("Visit {number}, {name}")
//! }
//!
//! fn statistics() -> Group {
//!     Group::new().state(Counter::default()).tool("visit", "Counts a visit", visit)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("office", "1.0.0")
//!     .state(Config { motto: "Keep it short." })
//!     .merge(notes(Notes::default()))
//!     .merge(statistics())
//!     .build()?;
//!
//! let transport = ByteStream::of(server.in_memory());
//! let client = Client::builder("test", "1.0.0").connect(transport).await?;
//! let note = serde_json::json!({ "title": "shopping", "text": "milk" });
//! let saved = client.call_tool("notes_save").arguments(&note).await?;
//! assert_eq!(saved.text(), "1 notes. Keep it short.");
//! assert_eq!(client.call_tool("visit").await?.text(), "Visit 1, guest");
//! # Ok(())
//! # }
//! ```
//!
//! # State
//!
//! The type is the key: a server has one state of each type. Two values of one type need a newtype
//! each, as `Notes` above; a type alias such as `Counter` is no type of its own. Two states of one
//! type are a [`BuildError`](crate::BuildError), and so is a handler that takes a `State<T>`
//! although the server has no `T`. Both are found by [`build`](crate::ServerBuilder::build), before
//! the first request.
//!
//! A state is cloned for each request that extracts it. Values that change are shared with `Arc`
//! and a lock, an atomic or a channel; a pool of database connections usually is an `Arc` already.
//! Do not hold the lock of a `std::sync::Mutex` across an `.await`.
//!
//! # Groups
//!
//! A [`Group`](crate::Group) collects tools, prompts, resources and completions. It can set:
//!
//! - a [prefix](crate::Group::prefix) for the names of its tools and prompts. URIs of resources
//!   stay as they are.
//! - [states](crate::Group::state) that only its handlers see. A group's state hides one of the
//!   same type that the server has.
//! - [guards](crate::Group::guard) and [visibility](crate::Group::visible_if), see
//!   [`access`](super::access).
//!
//! Groups can be merged into groups. Prefixes are then joined, and a handler sees the state of the
//! innermost group that has one.
//!
//! # Extractors
//!
//! | parameter | value | if it is absent |
//! | --- | --- | --- |
//! | [`Context`](crate::Context) | the request: progress, logs, questions to the client | |
//! | [`State<T>`](crate::State) | a state of the group or the server | the server cannot be built |
//! | [`Principal`](crate::Principal) | the authenticated user | the request is forbidden |
//! | [`Extension<T>`](crate::Extension) | a value that a middleware or the transport attached | -32603 |
//! | [`Peer`](crate::Peer) | what the client says of itself | |
//! | `HttpParts` | the head of the HTTP request | -32603 |
//! | [`ResourceUri`](crate::ResourceUri) | the URI of the resource that is read | the server cannot be built |
//! | a type with [`FromContext`](crate::FromContext) | what it extracts | its error |
//!
//! `Option<Principal>`, `Option<Extension<T>>` and `Option<HttpParts>` are `None` in requests
//! without such a value. Extractors run in the order of the parameters, after the arguments were
//! decoded. The first one that fails ends the request with its error, and the handler does not run.
//!
//! An extractor that uses a `State<T>` names it in
//! [`requirements`](crate::FromContext::requirements), so that `build` can check it.
