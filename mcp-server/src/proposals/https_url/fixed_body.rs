//! [`FixedBody`]: contents that are part of a definition, for downloads by URL.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::features::resources::contents::FixedContents;
use crate::util::etag;

/// The bytes of a definition, shared by all downloads, and their entity tag.
#[derive(Clone)]
pub(crate) struct FixedBody(Arc<Body>);

/// The body of a definition, made on first use.
#[derive(Default)]
pub(crate) struct LazyFixedBody(OnceLock<FixedBody>);

impl LazyFixedBody {
    /// Returns the body with the contents of the definition.
    pub(crate) fn of(&self, contents: &FixedContents) -> FixedBody {
        let make = || FixedBody::new(contents.clone());
        self.0.get_or_init(make).clone()
    }
}

struct Body {
    bytes: Bytes,
    is_text: bool,
    etag: OnceLock<String>,
}

impl FixedBody {
    fn new(contents: FixedContents) -> Self {
        Self(Arc::new(Body {
            is_text: matches!(contents, FixedContents::Text(_)),
            bytes: Bytes::from_owner(contents),
            etag: OnceLock::new(),
        }))
    }

    /// Returns the contents. Cloning them copies nothing.
    pub(crate) fn contents(&self) -> &Bytes {
        &self.0.bytes
    }

    pub(crate) fn is_text(&self) -> bool {
        self.0.is_text
    }

    /// Returns the entity tag, if it was already computed.
    pub(crate) fn known_etag(&self) -> Option<&str> {
        self.0.etag.get().map(String::as_str)
    }

    /// Returns the entity tag. The first call hashes all contents.
    pub(crate) fn etag(&self) -> &str {
        let etag = || etag::of_contents(&self.0.bytes);
        self.0.etag.get_or_init(etag)
    }
}
