//! The resources of the tests: notes with URIs of the form `n:NAME`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_server::types::Resource;
use mcp_server::{HandlerError, ResourceUri, Server, TemplateDef};

#[derive(Clone, Default)]
pub(super) struct Notes {
    texts: Arc<Mutex<BTreeMap<String, String>>>,
    reads: Arc<AtomicUsize>,
    descriptions: Arc<AtomicUsize>,
}

impl Notes {
    /// Returns a server with the proposal that offers the notes with versions.
    pub(super) fn server(&self) -> Server {
        let notes = super::opted().add_resource_template(self.versioned());
        notes.build().unwrap()
    }

    pub(super) fn put(&self, name: &str, text: impl Display) {
        let mut texts = self.texts.lock().unwrap();
        texts.insert(name.to_owned(), text.to_string());
    }

    /// Changes a note and notifies the server.
    pub(super) fn change(&self, server: &Server, name: &str, text: impl Display) {
        self.put(name, text);
        server.resource_updated(format!("n:{name}"));
    }

    pub(super) fn remove(&self, name: &str) {
        self.texts.lock().unwrap().remove(name);
    }

    /// Returns the text of a note.
    pub(super) fn text(&self, uri: &str) -> Result<String, HandlerError> {
        let name = uri.strip_prefix("n:").unwrap_or_default();
        let text = self.texts.lock().unwrap().get(name).cloned();
        text.ok_or_else(|| HandlerError::resource_not_found(uri))
    }

    /// Returns how often notes were read, and described.
    pub(super) fn counts(&self) -> (usize, usize) {
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        (count(&self.reads), count(&self.descriptions))
    }

    /// A template for the notes, without versions.
    pub(super) fn plain(&self) -> TemplateDef {
        let notes = self.clone();
        TemplateDef::new("n:{name}", "note").kind("note").handler(
            move |ResourceUri(uri): ResourceUri| {
                let notes = notes.clone();
                async move {
                    notes.reads.fetch_add(1, Ordering::Relaxed);
                    notes.text(&uri)
                }
            },
        )
    }

    /// A template for the notes, whose version is their text.
    pub(super) fn versioned(&self) -> TemplateDef {
        let notes = self.clone();
        self.plain().describe(move |resource: Resource| {
            let notes = notes.clone();
            async move {
                notes.descriptions.fetch_add(1, Ordering::Relaxed);
                let version = notes.text(&resource.uri)?;
                Ok::<_, HandlerError>(resource.version(version))
            }
        })
    }
}
