//! The documentation of types and members, from `docs.json` or from the schema itself.

use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Documentation texts by key.
///
/// A key is `Type`, `Type.member` or `Type=value`. `*.member` applies to every type. A key that
/// starts with `<revision>/` takes precedence in that revision.
#[derive(Debug, Default)]
pub struct DocTexts {
    texts: Rc<Map<String, Value>>,
    missing: RefCell<BTreeSet<String>>,
    used: RefCell<BTreeSet<String>>,
}

impl DocTexts {
    /// Creates the texts from the content of `docs.json`.
    #[must_use]
    pub fn new(texts: Map<String, Value>) -> Self {
        Self {
            texts: Rc::new(texts),
            ..Self::default()
        }
    }

    /// Returns the same texts without records.
    pub(crate) fn fresh(&self) -> Self {
        Self {
            texts: Rc::clone(&self.texts),
            ..Self::default()
        }
    }

    /// Adds the records of a copy.
    pub(crate) fn absorb(&self, copy: &Self) {
        let (missing, used) = (copy.missing.take(), copy.used.take());
        self.missing.borrow_mut().extend(missing);
        self.used.borrow_mut().extend(used);
    }

    /// Looks up a text, and records keys that do not exist.
    pub(crate) fn find(&self, revision: &str, owner: &str, part: &str) -> Option<String> {
        let found = self.known(revision, owner, part);
        if found.is_none() {
            self.missing.borrow_mut().insert(format!("{owner}{part}"));
        }
        found
    }

    /// Looks up a text.
    pub(crate) fn known(&self, revision: &str, owner: &str, part: &str) -> Option<String> {
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
        None
    }

    /// Returns the keys that were looked up and do not exist.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        self.missing.borrow().iter().cloned().collect()
    }

    /// Returns the keys that were never looked up.
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
