//! [`FixedBody`]: contents that are part of a definition, for downloads by URL.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::features::resources::contents::FixedContents;
use crate::util::etag;

/// The bytes of a definition, shared by all downloads, and their entity tag.
pub(crate) struct FixedBody {
    /// The contents. Cloning them copies nothing.
    pub(crate) bytes: Bytes,
    pub(crate) is_text: bool,
    etag: OnceLock<String>,
}

/// The body of a definition, made on first use.
#[derive(Default)]
pub(crate) struct LazyFixedBody(OnceLock<Arc<FixedBody>>);

impl LazyFixedBody {
    /// Returns the body with the contents of the definition.
    pub(crate) fn of(&self, contents: &FixedContents) -> Arc<FixedBody> {
        let make = || Arc::new(FixedBody::new(contents.clone()));
        self.0.get_or_init(make).clone()
    }
}

impl FixedBody {
    fn new(contents: FixedContents) -> Self {
        Self {
            is_text: matches!(contents, FixedContents::Text(_)),
            bytes: Bytes::from_owner(contents),
            etag: OnceLock::new(),
        }
    }

    /// Returns the entity tag, if it was already computed.
    pub(crate) fn known_etag(&self) -> Option<&str> {
        self.etag.get().map(String::as_str)
    }

    /// Returns the entity tag. The first call hashes all contents.
    pub(crate) fn etag(&self) -> &str {
        let etag = || etag::of_contents(&self.bytes);
        self.etag.get_or_init(etag)
    }
}
