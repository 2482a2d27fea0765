//! [`UriSet`]: a set of URIs.

/// URIs in order, each once. Such sets are bounded, and are looked into far more often than they
/// are changed: a sorted list does.
#[derive(Default)]
pub(crate) struct UriSet(Vec<String>);

impl UriSet {
    /// Adds a URI; `false` if it is there already.
    pub(crate) fn insert(&mut self, uri: String) -> bool {
        let place = self.place(&uri);
        if let Err(place) = place {
            self.0.insert(place, uri);
        }
        place.is_err()
    }

    /// Removes a URI; `false` if it is not there.
    pub(crate) fn remove(&mut self, uri: &str) -> bool {
        let place = self.place(uri);
        if let Ok(place) = place {
            self.0.remove(place);
        }
        place.is_ok()
    }

    pub(crate) fn contains(&self, uri: &str) -> bool {
        self.place(uri).is_ok()
    }

    pub(crate) fn all(&self) -> &[String] {
        &self.0
    }

    #[cfg(feature = "versioned-resources")]
    pub(crate) fn into_all(self) -> Vec<String> {
        self.0
    }

    /// The bytes of all of them.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(String::len).sum()
    }

    fn place(&self, uri: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|known| known.as_str().cmp(uri))
    }
}
