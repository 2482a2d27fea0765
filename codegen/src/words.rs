//! The words for types and members: `docs.json`, or what a schema brings itself.

use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Documentation texts by key.
///
/// A key is `Type`, `Type.member` or `Type=value`; `*.member` serves every type, and a key with
/// `<revision>/` in front wins in that revision.
#[derive(Debug, Default)]
pub struct Words {
    texts: Map<String, Value>,
    missing: RefCell<BTreeSet<String>>,
    used: RefCell<BTreeSet<String>>,
}

impl Words {
    /// Texts from the content of `docs.json`.
    #[must_use]
    pub fn new(texts: Map<String, Value>) -> Self {
        Self {
            texts,
            ..Self::default()
        }
    }

    /// Looks a text up, and remembers what was asked for in vain.
    pub(crate) fn find(&self, revision: &str, owner: &str, part: &str) -> Option<String> {
        let key = format!("{owner}{part}");
        let mut keys = vec![format!("{revision}/{key}"), key.clone()];
        if part.starts_with('.') {
            keys.push(format!("*{part}"));
        }
        for candidate in keys {
            if let Some(Value::String(text)) = self.texts.get(&candidate) {
                self.used.borrow_mut().insert(candidate);
                return Some(text.clone());
            }
        }
        self.missing.borrow_mut().insert(key);
        None
    }

    /// Keys that were asked for and are not there.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        self.missing.borrow().iter().cloned().collect()
    }

    /// Keys that nobody asked for.
    #[must_use]
    pub fn unused(&self) -> Vec<String> {
        let used = self.used.borrow();
        self.texts
            .keys()
            .filter(|key| !used.contains(*key))
            .cloned()
            .collect()
    }
}
