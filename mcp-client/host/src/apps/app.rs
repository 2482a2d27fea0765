//! [`App`]: the document of an app, and what its frame may do.

use std::fmt;

use mcp_extensions::apps::UiResourceMeta;

use super::policy::{allow_attribute, content_security_policy};
use mcp_client::ConnectionId;

/// An app of a server: an HTML document, for a sandboxed frame. Created by
/// [`AppsHost::open`](super::AppsHost::open).
///
/// The document is untrusted: show it on another origin than that of the host, with the
/// [policy](Self::content_security_policy).
#[derive(Clone)]
#[non_exhaustive]
pub struct App {
    /// The URI.
    pub uri: String,
    /// The document.
    pub html: String,
    /// What the app needs. All domains are valid.
    pub meta: UiResourceMeta,
    /// The connection to the server that the app belongs to.
    pub(super) connection: ConnectionId,
}

impl App {
    /// Returns the value of the header `Content-Security-Policy` for the document. It permits inline
    /// scripts, and otherwise only what the app declared, which may include this machine and its
    /// network. A host that does not permit all domains passes the others to
    /// [`content_security_policy`].
    #[must_use]
    pub fn content_security_policy(&self) -> String {
        content_security_policy(self.meta.csp.as_ref())
    }

    /// Returns the value of the attribute `allow` of the frame, with all permissions that the app asks
    /// for. A host that does not grant all of them passes the others to [`allow_attribute`].
    #[must_use]
    pub fn allow(&self) -> String {
        allow_attribute(&self.meta.permissions.unwrap_or_default())
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("uri", &self.uri)
            .field("meta", &self.meta)
            .finish_non_exhaustive()
    }
}
