//! [`Reference`]: what is known of a resource before it is fetched.

use std::time::SystemTime;

use mcp_types::{Resource, ResourceLink};

use super::expiry::moment;
use crate::protocol::fetch::FetchError;
use crate::protocol::fetch::FetchPolicy;

/// What is known of a resource before it is fetched. Made of a [`Resource`] or a [`ResourceLink`],
/// or of a URI alone.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reference {
    /// The URI, for `resources/read`.
    pub uri: String,
    /// The URL that gives the same over HTTPS. It may be a secret.
    pub http_url: Option<String>,
    /// When that URL expires, as RFC 3339 writes times.
    pub http_url_expires_at: Option<String>,
    /// The media type of the content.
    pub mime_type: Option<String>,
    /// Bytes of the content.
    pub size: Option<i64>,
    /// Whether the server said all of this, so that what is missing is not there.
    pub(super) described: bool,
}

impl Reference {
    /// A resource of which no more is known than its URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            http_url: None,
            http_url_expires_at: None,
            mime_type: None,
            size: None,
            described: false,
        }
    }

    /// The URL, where it can be used now.
    pub(super) fn url(&self, policy: &FetchPolicy) -> Result<&str, FetchError> {
        let url = self.http_url.as_deref().ok_or(FetchError::NoUrl)?;
        if let Some(at) = &self.http_url_expires_at {
            let shown = || at.chars().take(SHOWN).collect();
            let end = moment(at).ok_or_else(|| FetchError::Expiry { text: shown() })?;
            let needed = SystemTime::now().checked_add(policy.margin);
            if needed.is_none_or(|needed| needed >= end) {
                return Err(FetchError::Expired { at: shown() });
            }
        }
        Ok(url)
    }

    /// As many bytes as there should be. A server that says less than none says nothing.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.size.and_then(|size| u64::try_from(size).ok())
    }
}

/// As many characters of a time are shown in an error.
const SHOWN: usize = 40;

impl From<&Resource> for Reference {
    fn from(resource: &Resource) -> Self {
        Self {
            uri: resource.uri.clone(),
            http_url: resource.http_url.clone(),
            http_url_expires_at: resource.http_url_expires_at.clone(),
            mime_type: resource.mime_type.clone(),
            size: resource.size,
            described: true,
        }
    }
}

impl From<&ResourceLink> for Reference {
    fn from(link: &ResourceLink) -> Self {
        Self {
            uri: link.uri.clone(),
            http_url: link.http_url.clone(),
            http_url_expires_at: link.http_url_expires_at.clone(),
            mime_type: link.mime_type.clone(),
            size: link.size,
            described: true,
        }
    }
}

impl From<Resource> for Reference {
    fn from(resource: Resource) -> Self {
        Self::from(&resource)
    }
}

impl From<ResourceLink> for Reference {
    fn from(link: ResourceLink) -> Self {
        Self::from(&link)
    }
}

impl From<&Reference> for Reference {
    fn from(reference: &Reference) -> Self {
        reference.clone()
    }
}

impl From<&str> for Reference {
    fn from(uri: &str) -> Self {
        Self::new(uri)
    }
}

impl From<String> for Reference {
    fn from(uri: String) -> Self {
        Self::new(uri)
    }
}

/// The URL is not shown: it may be a secret.
impl std::fmt::Debug for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reference")
            .field("uri", &self.uri)
            .field("has_http_url", &self.http_url.is_some())
            .field("http_url_expires_at", &self.http_url_expires_at)
            .field("mime_type", &self.mime_type)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
