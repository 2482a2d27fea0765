//! Resources that describe themselves: metadata, collections and documents, by the proposal
//! SEP-2093, and lists that a handler makes.
//!
//! # Opting in
//!
//! The feature `sep-2093` compiles the proposal, [`proposals`](crate::ServerBuilder::proposals)
//! enables it. Clients of the newest revision then get what it adds. Clients that declared the
//! proposal as well find annotations of embedded resources at one place only. Clients of older
//! revisions get nothing of it: the same definition serves all of them.
//!
//! ```
//! use mcp_server::types::{Proposal, Resource, ResourceType};
//! use mcp_server::{
//!     HandlerError, ListAt, ResourcePage, ResourceUri, Server, TemplateDef, Variables,
//! };
//! use serde::Deserialize;
//!
//! /// Notes by shelf.
//! const SHELVES: [(&str, &[&str]); 2] = [("work", &["plan", "todo"]), ("home", &["garden"])];
//!
//! #[derive(Deserialize)]
//! struct Shelf {
//!     shelf: String,
//! }
//!
//! #[derive(Deserialize)]
//! struct Note {
//!     shelf: String,
//!     note: String,
//! }
//!
//! fn notes(shelf: &str) -> Option<&'static [&'static str]> {
//!     SHELVES.iter().find(|(name, _)| *name == shelf).map(|(_, notes)| *notes)
//! }
//!
//! fn exists(at: &Note) -> bool {
//!     notes(&at.shelf).is_some_and(|notes| notes.contains(&&*at.note))
//! }
//!
//! async fn read_note(at: Note, ResourceUri(uri): ResourceUri) -> Result<String, HandlerError> {
//!     if !exists(&at) {
//!         return Err(HandlerError::resource_not_found(uri));
//!     }
//!     Ok(format!("# {}", at.note))
//! }
//!
//! /// Answers `resources/metadata`, without reading the note.
//! async fn describe_note(
//!     note: Resource,
//!     Variables(at): Variables<Note>,
//! ) -> Result<Resource, HandlerError> {
//!     if !exists(&at) {
//!         return Err(HandlerError::resource_not_found(note.uri));
//!     }
//!     Ok(note.title(at.note))
//! }
//!
//! async fn read_shelf(at: Shelf, ResourceUri(uri): ResourceUri) -> Result<String, HandlerError> {
//!     let notes = notes(&at.shelf).ok_or_else(|| HandlerError::resource_not_found(uri))?;
//!     Ok(notes.join("\n"))
//! }
//!
//! async fn describe_shelf(
//!     shelf: Resource,
//!     Variables(at): Variables<Shelf>,
//! ) -> Result<Resource, HandlerError> {
//!     if notes(&at.shelf).is_none() {
//!         return Err(HandlerError::resource_not_found(shelf.uri));
//!     }
//!     Ok(shelf.title(at.shelf))
//! }
//!
//! /// Lists the shelves, or the notes of one shelf.
//! async fn list(at: ListAt) -> Result<ResourcePage, HandlerError> {
//!     let Some(Shelf { shelf }) = at.variables()? else {
//!         // `resources/list` without a URI.
//!         return Ok(ResourcePage::new(SHELVES.iter().map(|(shelf, _)| {
//!             Resource::new(format!("notes://{shelf}"), *shelf)
//!                 .resource_type(ResourceType::Collection)
//!         })));
//!     };
//!     let notes = notes(&shelf).unwrap_or_default().iter();
//!     Ok(ResourcePage::new(notes.map(|note| {
//!         Resource::new(format!("notes://{shelf}/{note}"), *note)
//!             .resource_type(ResourceType::Document)
//!     })))
//! }
//!
//! let note = TemplateDef::new("notes://{shelf}/{note}", "note")
//!     .mime_type("text/markdown")
//!     .resource_type(ResourceType::Document)
//!     .handler(read_note)
//!     .describe(describe_note);
//! let shelf = TemplateDef::new("notes://{shelf}", "shelf")
//!     .collection()
//!     .handler(read_shelf)
//!     .describe(describe_shelf)
//!     .list(list);
//! let server = Server::builder("notes", "1.0.0")
//!     .proposals([Proposal::Sep2093])
//!     .add_resource_template(note)
//!     .add_resource_template(shelf)
//!     .build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! # Descriptions
//!
//! `resources/metadata` returns the definition of a [resource](crate::ResourceDef::describe) or a
//! [template](crate::TemplateDef::describe), completed by its handler `describe`. The handler that
//! reads does not run. A template without `describe` answers for every URI that it matches.
//!
//! The contents that are read get the same description: where they have no name, title,
//! description, icons, annotations or type, they get those of their resource, and each element gets
//! its own size in bytes. Values that the handler sets stay. Members in the contents of a
//! collection are described in the same way, by the list of the collection and by the definitions
//! that have their URIs. For that, `describe` runs before each `resources/read` as well, so it
//! should be quick. The media type that it returns is sent to clients of every revision.
//!
//! `describe` also runs for the resources of lists, so that a list has what `resources/metadata`
//! returns. It gets the resource as the handler of the list returned it, with what that handler did
//! not set from the definition. Up to 16 descriptions of a list run at the same time. One that
//! fails or takes longer than 5 seconds is logged, and its resource is listed without it.
//!
//! # Documents and collections
//!
//! | type | set by | contents that are read |
//! | --- | --- | --- |
//! | document | `resource_type`, or `describe`; [`ResourceDef::text`](crate::ResourceDef::text) and [`bytes`](crate::ResourceDef::bytes) are documents | at least one element, all with the requested URI: formats of one document |
//! | collection | `collection`, or `describe`; a `ResourceDef` with a handler that lists is one | anything, also members under their own URIs |
//! | none | nothing | anything |
//!
//! If the contents violate these rules, the request fails with -32603 for every client, and the log
//! has the URI and the rule at the level `ERROR`. New servers should give each resource a type:
//! several URIs in the contents of a resource without a type are deprecated.
//!
//! Several formats of a document are several elements with one URI:
//!
//! ```
//! use mcp_server::types::{
//!     AnyResourceContents, Base64Text, BlobResourceContents, ResourceType, TextResourceContents,
//! };
//! use mcp_server::{ResourceDef, ResourceUri};
//!
//! async fn read(ResourceUri(uri): ResourceUri) -> Vec<AnyResourceContents> {
//!     let pdf = BlobResourceContents::new(&*uri, Base64Text::encode(b"%PDF-1.7"));
//!     let text = TextResourceContents::new(uri, "All is well.");
//!     vec![pdf.mime_type("application/pdf").into(), text.mime_type("text/plain").into()]
//! }
//!
//! let report = ResourceDef::new("report://2026", "report")
//!     .mime_type("application/pdf") // the preferred format
//!     .resource_type(ResourceType::Document)
//!     .handler(read);
//! # drop(report);
//! ```
//!
//! Large files need not be in memory: a handler may return a stream, here of a reader in memory. It
//! is sent at the [URL](super::urls) of the resource, and collected for `resources/read`.
//!
//! ```
//! # #[cfg(feature = "https-url")] {
//! use mcp_server::{ResourceDef, ResourceStream};
//!
//! let film = ResourceDef::new("film://one", "film")
//!     .handler(async || ResourceStream::seekable(std::io::Cursor::new(*b"...")))
//!     .describe(async |film: mcp_server::types::Resource| film.size(3));
//! # drop(film);
//! # }
//! ```
//!
//! # Members of a collection
//!
//! `resources/list` with the URI of a collection runs `describe`, which decides whether the
//! collection exists, and then the handler that [`list`](crate::ResourceDef::list) sets, page by
//! page, see [`ListAt`](crate::ListAt).
//!
//! Without a URI it returns the resources that were added to the server, then those that the
//! handlers of templates list, one template after the other. A resource with a definition of its
//! own is listed once. Clients of every revision get this list.
//!
//! A URI of no resource is rejected with -32602 `resource not found`, the URI of a document, or of
//! another resource that lists nothing, with -32602 as
//! [`not_a_collection`](crate::HandlerError::not_a_collection). Both errors have the URI as data.
//!
//! # Annotations of embedded resources
//!
//! The proposal moves annotations from the block to the contents in it. A program may set them at
//! either place:
//!
//! | set | client that declared the proposal | other clients of the newest revision | older revisions |
//! | --- | --- | --- | --- |
//! | on the block | in the contents | on both | on the block |
//! | in the contents | in the contents | on both | on the block |
//! | on both, differently | those of the contents, as a whole | each where it was set | those of the block |
