//! [`UriSet`]: a set of URIs.

use mcp_types::uri::canonical;

/// A sorted list of canonical URIs without duplicates. Such sets are bounded and are read far more
/// often than they are changed.
#[derive(Default)]
pub(crate) struct UriSet(Vec<String>);

impl UriSet {
    /// Adds a URI. Returns `false` if the set contains it already.
    pub(crate) fn insert(&mut self, uri: &str) -> bool {
        let uri = canonical(uri);
        let index = self.index(&uri);
        if let Err(index) = index {
            self.0.insert(index, uri.into_owned());
        }
        index.is_err()
    }

    /// Removes a URI. Returns `false` if the set does not contain it.
    pub(crate) fn remove(&mut self, uri: &str) -> bool {
        let index = self.index(&canonical(uri));
        if let Ok(index) = index {
            self.0.remove(index);
        }
        index.is_ok()
    }

    pub(crate) fn contains(&self, uri: &str) -> bool {
        self.index(&canonical(uri)).is_ok()
    }

    pub(crate) fn all(&self) -> &[String] {
        &self.0
    }

    #[cfg(feature = "proposals")]
    pub(crate) fn into_all(self) -> Vec<String> {
        self.0
    }

    /// Returns the total size of the URIs in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(String::len).sum()
    }

    fn index(&self, uri: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|known| known.as_str().cmp(uri))
    }
}
