//! Resources with kinds, versions and metadata, lists that clients filter, and notifications that
//! contain the changed resource, by the proposal `versioned-resources`.
//!
//! # Opting in
//!
//! The feature `versioned-resources` compiles the proposal,
//! [`proposals`](crate::ServerBuilder::proposals) enables it. Every client of the newest revision
//! can then use its members, methods and filters. Clients that declared the proposal as well get
//! notifications of changes in its form. Clients of older revisions get nothing of it.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::{Arc, RwLock};
//!
//! use mcp_server::types::{Proposal, Resource, json::Object};
//! use mcp_server::{HandlerError, ResourceUri, Server, State, TemplateDef, Variables};
//! use serde::Deserialize;
//!
//! #[derive(Clone)]
//! struct Note {
//!     text: String,
//!     edits: u64,
//! }
//!
//! #[derive(Clone, Default)]
//! struct Notes(Arc<RwLock<BTreeMap<String, Note>>>);
//!
//! impl Notes {
//!     fn find(&self, name: &str, uri: &str) -> Result<Note, HandlerError> {
//!         let notes = self.0.read().map_err(|_| HandlerError::internal("a writer panicked"))?;
//!         let note = notes.get(name).cloned();
//!         note.ok_or_else(|| HandlerError::resource_not_found(uri))
//!     }
//! }
//!
//! #[derive(Deserialize)]
//! struct Name {
//!     name: String,
//! }
//!
//! async fn read(
//!     at: Name,
//!     ResourceUri(uri): ResourceUri,
//!     State(notes): State<Notes>,
//! ) -> Result<String, HandlerError> {
//!     Ok(notes.find(&at.name, &uri)?.text)
//! }
//!
//! /// Adds the version, which is known without reading: here, the number of edits.
//! async fn describe(
//!     note: Resource,
//!     Variables(at): Variables<Name>,
//!     State(notes): State<Notes>,
//! ) -> Result<Resource, HandlerError> {
//!     let edits = notes.find(&at.name, &note.uri)?.edits;
//!     Ok(note.version(edits.to_string()))
//! }
//!
//! let notes = Notes::default();
//! let template = TemplateDef::new("note://{name}", "note")
//!     .kind("note")
//!     .metadata(Object::from([("team", "docs")]))
//!     .handler(read)
//!     .describe(describe);
//! let server = Server::builder("notes", "1.0.0")
//!     .proposals([Proposal::VersionedResources])
//!     .state(notes.clone())
//!     .add_resource_template(template)
//!     .build()?;
//!
//! // Change the resource first, then notify the clients.
//! if let Ok(mut notes) = notes.0.write() {
//!     notes.insert("a".into(), Note { text: "Hello".into(), edits: 1 });
//! }
//! server.resource_updated("note://a");
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! # Versions
//!
//! A version is any text that differs after each change: a counter, a time, a stored hash. It is
//! set by [`version`](crate::ResourceDef::version) or by
//! [`describe`](crate::ResourceDef::describe). Without either, the server derives it from the
//! contents. Contents that are part of a definition ([`text`](crate::ResourceDef::text),
//! [`bytes`](crate::ResourceDef::bytes)) are hashed once. Other resources would have to be read for
//! it, so they have a derived version only where they are read anyway: in `resources/get` and in
//! notifications of a change, not in lists.
//!
//! `resources/get` returns the resource and the preferred one of its contents. A client that sends
//! the version that it has gets the error [`NOT_MODIFIED`](mcp_types::NOT_MODIFIED) if that is the
//! current one; with a version from the definition or from `describe`, the handler that reads does
//! not run. `describe` runs before the handler, so contents are never older than their version. A
//! handler cannot [ask the client](super::peers) in `resources/get`, only in `resources/read`.
//!
//! # Filters
//!
//! The member `filter` of `resources/list` narrows down the definitions and the resources that
//! handlers list:
//!
//! | criterion | value | matches |
//! | --- | --- | --- |
//! | `kind` | a string or an array of strings | resources of this kind, or of one of these kinds |
//! | `uriPrefix` | a string | resources whose URI begins with it |
//! | `metadata` | an object | resources whose metadata has all these members, with equal values |
//!
//! A resource has to match all criteria. Unknown criteria are rejected by name. A page examines as
//! many resources as fit on it and omits those that do not match, so it may be short or empty
//! although another page follows.
//!
//! # Changes
//!
//! [`resource_updated`](crate::Server::resource_updated) notifies the clients that subscribed: by
//! `resources/subscribe` on a connection such as standard input and output, or by a stream of
//! `subscriptions/listen`, as over HTTP. Clients that declared the proposal get
//! `notifications/resources/content_changed` with the resource as it is when the notification is
//! sent. `describe` runs for it. Without a version of its own, the resource is read as well: for
//! the principal of the client, but outside of any request, so the handler cannot ask the client.
//! [`Context::method`](crate::Context::method) is then the method of the notification.
//!
//! [`replace`](crate::ListHandle::replace) announces that the list changed, and that the resource
//! changed if its version or its static contents differ. Contents that handlers make are not
//! compared.
//!
//! Notifications that a client has not received yet are stored once for each resource: however many
//! changes there are and however slowly the client reads, it gets the last one. Resources are
//! described one after the other for each client, so `describe` should be quick. If it takes longer
//! than [`Limits::request_time`](crate::Limits), fails, or finds that the resource is gone, the
//! client gets `notifications/resources/updated` instead, which has only the URI.
