//! Resources that say more of themselves: metadata, collections and documents, by the proposal
//! SEP-2093, and lists that are made when they are asked for.
//!
//! # Opting in
//!
//! The feature `sep-2093` compiles it, [`proposals`](crate::ServerBuilder::proposals) switches it
//! on. Peers of the newest revision then get what it adds, and those that announce it too find
//! annotations of embedded resources at one place only. Peers of older revisions see nothing of it:
//! a definition says all that there is to say, and what a peer cannot take stays here.
//!
//! ```
//! use mcp_server::types::{Proposal, Resource, ResourceType};
//! use mcp_server::{Context, HandlerError, ListAt, ResourcePage, Server, TemplateDef};
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
//! let note = TemplateDef::new("notes://{shelf}/{note}", "note")
//!     .mime_type("text/markdown")
//!     .resource_type(ResourceType::Document)
//!     .handler(|uri: String, at: Note, _: Context| async move {
//!         match notes(&at.shelf) {
//!             Some(notes) if notes.contains(&&*at.note) => Ok(format!("# {}", at.note)),
//!             _ => Err(HandlerError::resource_not_found(uri)),
//!         }
//!     })
//!     // `resources/metadata`: the same question, and nothing is read.
//!     .describe(|resource: Resource, at: Note, _: Context| async move {
//!         match notes(&at.shelf) {
//!             Some(notes) if notes.contains(&&*at.note) => Ok(resource.title(at.note)),
//!             _ => Err(HandlerError::resource_not_found(resource.uri)),
//!         }
//!     });
//!
//! let shelf = TemplateDef::new("notes://{shelf}", "shelf")
//!     .collection()
//!     .handler(|uri: String, at: Shelf, _: Context| async move {
//!         let notes = notes(&at.shelf).ok_or_else(|| HandlerError::resource_not_found(uri))?;
//!         Ok(notes.join("\n"))
//!     })
//!     .describe(|resource: Resource, at: Shelf, _: Context| async move {
//!         match notes(&at.shelf) {
//!             Some(_) => Ok(resource.title(at.shelf)),
//!             None => Err(HandlerError::resource_not_found(resource.uri)),
//!         }
//!     })
//!     .list(|at: ListAt, _: Context| async move {
//!         Ok(match at.variables::<Shelf>()? {
//!             // `resources/list`: the shelves.
//!             None => ResourcePage::new(SHELVES.iter().map(|(shelf, _)| {
//!                 Resource::new(format!("notes://{shelf}"), *shelf)
//!                     .resource_type(ResourceType::Collection)
//!             })),
//!             // `resources/list` with the URI of a shelf: its notes.
//!             Some(Shelf { shelf }) => {
//!                 let notes = notes(&shelf).unwrap_or_default().iter();
//!                 ResourcePage::new(notes.map(|note| {
//!                     Resource::new(format!("notes://{shelf}/{note}"), *note)
//!                         .resource_type(ResourceType::Document)
//!                 }))
//!             }
//!         })
//!     });
//!
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
//! `resources/metadata` gives what the definition says, completed by `describe`, of a
//! [resource](crate::ResourceDef::describe) or of a [template](crate::TemplateDef::describe). No
//! handler that reads runs. A template without `describe` answers for every URI that it makes, as
//! it cannot know better.
//!
//! What is read says the same: contents that leave name, title, description, icons, annotations or
//! type open get those of their resource, and each its own size in bytes. What the handler sets
//! stays. Members in what a collection holds are described in the same way, by the definitions
//! that have their URIs. `describe` therefore runs before each `resources/read`, too, and should be
//! quick; the media type that it finds is said to peers of every revision.
//!
//! # Documents and collections
//!
//! | type | given by | what is read |
//! | --- | --- | --- |
//! | document | `resource_type`, or `describe`; [`ResourceDef::text`](crate::ResourceDef::text) and [`bytes`](crate::ResourceDef::bytes) are documents | at least one element, all with the URI that was asked for: formats of one thing |
//! | collection | `collection`, or `describe`; a `ResourceDef` with a handler that lists is one | anything, members under their own URIs among it |
//! | none | nothing | anything |
//!
//! What a handler makes against this does not leave, to no peer: the request fails with -32603,
//! and the log has the URI and the rule at the level `ERROR`. New servers should give each resource
//! a type; several URIs in what is read of one without a type are deprecated.
//!
//! Several formats of a document are several elements with one URI:
//!
//! ```
//! use mcp_server::types::{
//!     AnyResourceContents, Base64Text, BlobResourceContents, ResourceType, TextResourceContents,
//! };
//! use mcp_server::{Context, ResourceDef};
//!
//! let report = ResourceDef::new("report://2026", "report")
//!     .mime_type("application/pdf") // the preferred format
//!     .resource_type(ResourceType::Document)
//!     .handler(|uri: String, _: Context| async move {
//!         let pdf = BlobResourceContents::new(&*uri, Base64Text::encode(b"%PDF-1.7"));
//!         let text = TextResourceContents::new(uri, "All is well.");
//!         Ok(vec![
//!             AnyResourceContents::from(pdf.mime_type("application/pdf")),
//!             text.mime_type("text/plain").into(),
//!         ])
//!     });
//! # drop(report);
//! ```
//!
//! # Members of a collection
//!
//! `resources/list` with the URI of a collection runs `describe`, which knows whether it is there,
//! and then the handler given by [`list`](crate::ResourceDef::list), page by page, see
//! [`ListAt`](crate::ListAt). Without a URI
//! it gives what was added to the server, then what the handlers of templates list, one template
//! after the other; a resource with a definition of its own stands in it once. Every peer gets
//! that, of every revision. A URI that nothing answers to is -32602 `resource not found`, one of a
//! document or of something that lists nothing is -32602, too, as
//! [`not_a_collection`](crate::HandlerError::not_a_collection); both have the URI as data.
//!
//! # Annotations of embedded resources
//!
//! The proposal takes annotations from the block and leaves those in the contents. A program sets
//! them wherever it likes:
//!
//! | set | both sides announced it | other peers of the newest revision | older revisions |
//! | --- | --- | --- | --- |
//! | on the block | in the contents | on both | on the block |
//! | in the contents | in the contents | on both | on the block |
//! | on both, differently | those in the contents, as a whole | each where it was set | those of the block |
