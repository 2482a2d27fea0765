//! URLs of resources: the service that answers them, revocation and keys.

use std::sync::Arc;

use crate::proposals::https_url::keys::UrlKeys;
use crate::proposals::https_url::serving::service::UrlService;
use crate::protocol::changes::BusMessage;
use crate::server::handle::Server;

impl Server {
    /// Returns a service for the URLs that are issued; `None` without [`HttpUrls`] or if the
    /// program did not opt into the proposal. [`serve_http`](Self::serve_http) already serves them,
    /// below the path of their base URL.
    ///
    /// ```
    /// # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// use axum::Router;
    /// use mcp_server::HttpConfig;
    ///
    /// let mut app: Router = Router::new();
    /// if let Some(urls) = server.resource_urls() {
    ///     app = app.route_service("/r/{token}", urls);
    /// }
    /// let app = app.route_service("/mcp", server.into_service(HttpConfig::new()));
    /// # drop(app);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`HttpUrls`]: crate::HttpUrls
    #[must_use]
    pub fn resource_urls(&self) -> Option<UrlService> {
        let urls = self.catalogs.urls.clone()?;
        let definitions = Arc::clone(&self.catalogs.resources.definitions);
        Some(UrlService::new(Arc::clone(&self.core), definitions, urls))
    }

    /// Revokes all URLs that were issued for a resource so far, in all processes on the
    /// [`Bus`](crate::Bus). URLs that are issued later are valid.
    ///
    /// The revocation is stored in memory until the last of the URLs expires: a process that starts
    /// in the meantime does not know of it. New [keys](Self::rotate_url_keys) revoke permanently.
    pub fn revoke_url(&self, uri: &str) {
        let Some(urls) = &self.catalogs.urls else {
            return;
        };
        let until = urls.revocation(uri);
        // Revokes in this process at once, however long the bus takes.
        urls.revoke(uri, until);
        if let Some(bus) = &self.core.bus {
            bus.publish(BusMessage::UrlsRevoked {
                uri: uri.to_owned(),
                until,
            });
        }
    }

    /// Replaces the keys that URLs of resources are signed with, see [`UrlKeys`].
    pub fn rotate_url_keys(&self, keys: UrlKeys) {
        if let Some(urls) = &self.catalogs.urls {
            urls.set_keys(keys);
        }
    }
}
