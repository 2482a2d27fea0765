//! Resources with kinds, versions and further facts, lists that peers narrow down, and changes that
//! bring the resource along, by the proposal `versioned-resources`.
//!
//! # Opting in
//!
//! The feature `versioned-resources` compiles it, [`proposals`](crate::ServerBuilder::proposals)
//! switches it on. Members, methods and filters are there for every peer of the newest revision
//! then. Those that announce the proposal, too, are told of changes in its form. Peers of older
//! revisions see nothing of it.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::{Arc, RwLock};
//!
//! use mcp_server::types::{Proposal, Resource, json::Object};
//! use mcp_server::{Context, HandlerError, Server, TemplateDef};
//! use serde::Deserialize;
//!
//! #[derive(Clone)]
//! struct Note {
//!     text: String,
//!     edits: u64,
//! }
//!
//! type Notes = Arc<RwLock<BTreeMap<String, Note>>>;
//!
//! #[derive(Deserialize)]
//! struct Name {
//!     name: String,
//! }
//!
//! fn find(notes: &Notes, name: &str, uri: &str) -> Result<Note, HandlerError> {
//!     let notes = notes.read().map_err(|_| HandlerError::internal("a writer failed"))?;
//!     let note = notes.get(name).cloned();
//!     note.ok_or_else(|| HandlerError::resource_not_found(uri))
//! }
//!
//! let notes = Notes::default();
//! let (reading, describing) = (Arc::clone(&notes), Arc::clone(&notes));
//! let template = TemplateDef::new("note://{name}", "note")
//!     .kind("note")
//!     .metadata(Object::from([("team", "docs")]))
//!     .handler(move |uri: String, at: Name, _: Context| {
//!         let note = find(&reading, &at.name, &uri);
//!         async move { Ok(note?.text) }
//!     })
//!     // What is known without reading: here, how often it was edited.
//!     .describe(move |resource: Resource, at: Name, _: Context| {
//!         let note = find(&describing, &at.name, &resource.uri);
//!         async move { Ok(resource.version(note?.edits.to_string())) }
//!     });
//! let server = Server::builder("notes", "1.0.0")
//!     .proposals([Proposal::VersionedResources])
//!     .add_resource_template(template)
//!     .build()?;
//!
//! // First the change, then the news of it.
//! let note = Note { text: "Hello".into(), edits: 1 };
//! if let Ok(mut notes) = notes.write() {
//!     notes.insert("a".into(), note);
//! }
//! server.resource_updated("note://a");
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! # Versions
//!
//! A version is any text that is another one after each change. It comes from
//! [`version`](crate::ResourceDef::version) or [`describe`](crate::ResourceDef::describe): a count, a
//! time, a hash that is stored already. Where neither gives one it is derived from what is read. For
//! contents that are part of a definition ([`text`](crate::ResourceDef::text),
//! [`bytes`](crate::ResourceDef::bytes)) that happens once; other resources have to be read for it,
//! and have a derived version where they are read anyway: in `resources/get` and in the news of a
//! change, not in lists.
//!
//! `resources/get` gives the resource and the first of its contents. A peer that names the version it
//! has gets the error [`NOT_MODIFIED`](mcp_types::NOT_MODIFIED) while that is the present one; with a
//! version from the definition or from `describe`, no handler that reads runs. `describe` runs first,
//! so that contents are never older than their version says. A handler cannot
//! [ask the client](super::peers) in `resources/get`, only in `resources/read`.
//!
//! # Filters
//!
//! `filter` of `resources/list` narrows down what it lists, and what handlers list:
//!
//! | criterion | value | holds where |
//! | --- | --- | --- |
//! | `kind` | a text or a list of texts | the resource has that kind, or one of those |
//! | `uriPrefix` | a text | its URI begins with it |
//! | `metadata` | an object | its metadata has all these members, with equal values |
//!
//! All criteria must hold; another one is refused by name. A page looks at as many resources as fit on
//! it and leaves out those that a filter does not let through: it may be short, or empty, with more to
//! come.
//!
//! # Changes
//!
//! [`resource_updated`](crate::Server::resource_updated) tells peers that subscribed: by
//! `resources/subscribe` on a connection such as standard input and output, or on a stream of
//! `subscriptions/listen`, which is the way over HTTP. Peers that announced the proposal get
//! `notifications/resources/content_changed` with the resource as it is when the notification
//! leaves. `describe` runs for it, and without a version of its own the resource is read: in the
//! name of the peer, but outside of any request, so that it cannot be asked anything.
//! [`Context::method`](crate::Context::method) is the notification's.
//!
//! [`replace`](crate::ListHandle::replace) tells that the list changed. Where what the resource holds
//! changed with its definition, call `resource_updated`, too.
//!
//! Changes that a peer was not told of yet are kept once for each resource. However many there are
//! and however slowly it reads, it is told of the last one. For one peer, resources are described one
//! after the other, so `describe` should be quick: one that takes longer than
//! [`Limits::request_time`](crate::Limits), fails or finds that the resource is gone does not keep
//! the news back, but the peer is told by `notifications/resources/updated`, which has the URI alone.
