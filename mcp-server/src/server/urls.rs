//! URLs of resources: the service that answers them, revocation and keys.

use std::future::Future;
use std::sync::Arc;

use crate::proposals::https_url::keys::UrlKeys;
use crate::proposals::https_url::serving::service::UrlService;
use crate::protocol::store::StoreError;
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

    /// Revokes all URLs that were issued for a resource so far, in all processes that share a
    /// [store](crate::ServerBuilder::store). URLs that are issued later are valid.
    ///
    /// In this process they are revoked when this function returns, even if the future is never
    /// awaited. The future revokes them in the other processes.
    ///
    /// The revocation is stored until the last of the URLs expires. Without a store it is in the
    /// memory of this process; new [keys](Self::rotate_url_keys) revoke permanently.
    ///
    /// # Errors
    ///
    /// The error of the store. The URLs are revoked in this process then, and the caller may try
    /// again.
    pub fn revoke_url(
        &self,
        uri: &str,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        let (uri, core) = (uri.to_owned(), Arc::clone(&self.core));
        let revoked = self.catalogs.urls.clone().map(|urls| {
            let until = urls.revoke_here(&uri);
            (urls, until)
        });
        async move {
            match revoked {
                Some((urls, until)) => urls.share_revocation(uri, until, &core.stores).await,
                None => Ok(()),
            }
        }
    }

    /// Replaces the keys that URLs of resources are signed with, see [`UrlKeys`].
    pub fn rotate_url_keys(&self, keys: UrlKeys) {
        if let Some(urls) = &self.catalogs.urls {
            urls.set_keys(keys);
        }
    }
}
