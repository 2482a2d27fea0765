//! Icons and websites of the server.

use mcp_types::Icon;

use super::handle::Client;
use crate::icons::{IconPolicy, LoadIcon, Website};
use crate::util::origin::UrlFault;

impl Client {
    /// Loads an icon of the server, a tool, a resource or a prompt. A `data:` URI is decoded; an
    /// `https` URL requires the Cargo feature `tls` and is loaded over a separate connection,
    /// without authorization and cookies, if the [`FetchPolicy`](crate::ClientBuilder) allows it.
    ///
    /// The bytes must be an image of a known format, which must be the one that the URI, the HTTP
    /// response and [`Icon::mime_type`] declare, if they declare one.
    pub fn icon(&self, icon: &Icon) -> LoadIcon {
        LoadIcon::new(
            icon.clone(),
            self.connection().sender.url(),
            #[cfg(feature = "tls")]
            self.fetch_policy().clone(),
        )
    }

    /// Checks the website in the description of the server; `None` if it has none.
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
