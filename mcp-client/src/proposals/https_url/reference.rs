//! [`Reference`]: describes a resource to fetch.

use std::time::SystemTime;

use mcp_types::{Resource, ResourceLink};

use super::expiry::parse_time;
use mcp_fetch::FetchError;
use mcp_fetch::FetchPolicy;

/// Describes a resource to fetch. Created from a [`Resource`], a [`ResourceLink`] or a URI.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reference {
    /// The URI, for `resources/read`.
    pub uri: String,
    /// The URL of the same content over HTTPS. It may be a secret.
    pub http_url: Option<String>,
    /// The time at which the URL expires (ISO 8601, with an offset).
    pub http_url_expires_at: Option<String>,
    /// The media type of the content.
    pub mime_type: Option<String>,
    /// The size of the content in bytes.
    pub size: Option<i64>,
    /// Whether it is a collection, or a document, by SEP-2093.
    pub resource_type: Option<mcp_types::ResourceType>,
    /// Whether the server described the resource, so that absent members do not exist.
    pub(super) described: bool,
}

impl Reference {
    /// Creates a reference from a URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            http_url: None,
            http_url_expires_at: None,
            mime_type: None,
            size: None,
            resource_type: None,
            described: false,
        }
    }

    /// Returns the URL, if it can be used now.
    pub(super) fn url(&self, policy: &FetchPolicy) -> Result<&str, FetchError> {
        let url = self.http_url.as_deref().ok_or(FetchError::NoUrl)?;
        if let Some(at) = &self.http_url_expires_at {
            let shown = || at.chars().take(SHOWN).collect();
            let end = parse_time(at).ok_or_else(|| FetchError::Expiry { text: shown() })?;
            let needed = SystemTime::now().checked_add(policy.min_validity());
            if needed.is_none_or(|needed| needed >= end) {
                return Err(FetchError::Expired { at: shown() });
            }
        }
        Ok(url)
    }

    /// Returns `true` if the server declared the resource as a collection.
    pub(super) fn is_collection(&self) -> bool {
        self.resource_type == Some(mcp_types::ResourceType::Collection)
    }

    /// Returns the expected size. A negative size is ignored.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.size.and_then(|size| u64::try_from(size).ok())
    }
}

/// Returns `true` if two media types differ only in their parameters.
pub(super) fn is_same_type(one: &str, other: &str) -> bool {
    let essence = |media_type: &str| {
        let essence = media_type.split(';').next().unwrap_or_default();
        essence.trim().to_ascii_lowercase()
    };
    essence(one) == essence(other)
}

/// The maximum number of characters of a time in an error.
const SHOWN: usize = 40;

impl From<&Resource> for Reference {
    fn from(resource: &Resource) -> Self {
        Self {
            uri: resource.uri.clone(),
            http_url: resource.http_url.clone(),
            http_url_expires_at: resource.http_url_expires_at.clone(),
            mime_type: resource.mime_type.clone(),
            size: resource.size,
            resource_type: resource.resource_type.clone(),
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
            resource_type: link.resource_type.clone(),
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

/// Does not show the URL, which may be a secret.
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
