//! Icons and websites of the server.

use mcp_types::Icon;

use super::handle::Client;
use crate::icons::{IconPolicy, LoadIcon, Website};
use crate::util::origin::UrlFault;

impl Client {
    /// Loads an icon: that of the server, of a tool, resource or prompt. One that is a `data:` URI
    /// is there at once; one that is an `https` URL asks for the feature `tls`, and goes by the
    /// [`FetchPolicy`](crate::ClientBuilder) of the client over a connection of its own, without
    /// authorization and cookies.
    ///
    /// Its bytes have to be of an image format that is known, and of the one that the URI, the
    /// answer and [`Icon::mime_type`] name, as far as they name any.
    pub fn icon(&self, icon: &Icon) -> LoadIcon {
        LoadIcon::new(
            icon.clone(),
            self.connection().sender.url(),
            #[cfg(feature = "tls")]
            self.fetch_policy().clone(),
        )
    }

    /// Judges the website that the server names in its description of itself; `None` where it names
    /// none.
    ///
    /// # Errors
    ///
    /// See [`IconPolicy::website`].
    #[must_use]
    pub fn website(&self, policy: &IconPolicy) -> Option<Result<Website, UrlFault>> {
        let connection = self.connection();
        let website = connection
            .negotiated()?
            .info
            .as_ref()?
            .website_url
            .clone()?;
        Some(policy.website(&website, connection.sender.url().as_deref()))
    }
}
