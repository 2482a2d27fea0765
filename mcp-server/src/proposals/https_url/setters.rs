//! The setters of definitions that `https-url` adds.

use mcp_types::Resource;

use crate::proposals::https_url::presigned::PresignedUrl;
use crate::proposals::metadata::describe::{ResourceHandler, for_definitions, of_resource};

/// The settings of a definition for the URLs of its resources.
#[derive(Default)]
pub(crate) struct UrlSettings {
    pub(crate) has_no_url: bool,
    /// `true` if shared caches may store what is served at the URL.
    pub(crate) public_http_cache: bool,
    /// `true` if the URL of this server redirects to the presigned one.
    pub(crate) presign_on_request: bool,
    /// The handler that makes presigned URLs.
    pub(crate) presigner: Option<ResourceHandler<Option<PresignedUrl>>>,
}

for_definitions! {
    /// Sets whether a URL is issued for it, if the server has [`HttpUrls`](crate::HttpUrls):
    /// `true` by default. Collections never have one.
    pub fn http_url(mut self, http_url: bool) -> Self {
        self.extras
            .change(|settings: &mut UrlSettings| settings.has_no_url = !http_url);
        self
    }

    /// Sets a handler that makes the `httpUrl`, such as a presigned URL of an object store, in
    /// place of one that this server serves: an async function of the described [`Resource`] and
    /// of extractors, which returns an `Option` of a [`PresignedUrl`]. If it
    /// returns `None`, or fails, the resource has a URL of this server, if the server has
    /// [`HttpUrls`](crate::HttpUrls).
    ///
    /// It runs whenever the resource is described to a client, after the guards of the resource
    /// have admitted the client. The store serves the URL without asking them again. It must
    /// serve the bytes that `resources/read` returns.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use mcp_server::types::Resource;
    /// use mcp_server::{HandlerError, PresignedUrl, ResourceDef};
    /// # fn sign(_: &str, _: Duration) -> String { String::new() }
    ///
    /// async fn presign(film: Resource) -> Result<Option<PresignedUrl>, HandlerError> {
    ///     let valid = Duration::from_secs(900);
    ///     let url = sign(&film.uri, valid); // by the library of the store
    ///     Ok(Some(PresignedUrl::new(url, SystemTime::now() + valid)?))
    /// }
    ///
    /// let film = ResourceDef::new("film://one", "film")
    ///     .handler(async || "the same bytes")
    ///     .presign(presign);
    /// # drop(film);
    /// ```
    pub fn presign<M, H>(mut self, handler: H) -> Self
    where
        H: crate::Handler<Resource, M>,
        H::Output: crate::IntoResult<Option<crate::PresignedUrl>> + 'static,
    {
        self.access.require(&handler);
        self.extras.change(|settings: &mut UrlSettings| {
            settings.presigner = Some(of_resource(handler));
        });
        self
    }

    /// Keeps the URL of this server in descriptions, which then redirects to the
    /// [presigned](Self::presign) one (307): the handler runs for requests of the URL and not for
    /// descriptions. Guards run for each of these requests, and the URL is as stable as that of
    /// other resources, so that caches can use it. The client has to follow redirects.
    ///
    /// Needs [`HttpUrls`](crate::HttpUrls).
    pub fn presign_on_request(mut self, on_request: bool) -> Self {
        self.extras
            .change(|settings: &mut UrlSettings| settings.presign_on_request = on_request);
        self
    }

    /// Lets caches that several clients share, such as those of a content delivery network, store
    /// what is served at the URL: `Cache-Control: public`. The time is that of
    /// [`cache`](Self::cache), and at most until the URL expires.
    ///
    /// By default, only the cache of the client that sent the request may store the response. A
    /// shared cache answers requests itself, so neither the guards nor the handlers of the
    /// resource run. While the stored bytes are fresh, everybody who has the URL gets them, even
    /// after the URL was revoked.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mcp_server::ResourceDef;
    /// use mcp_server::types::CacheScope;
    ///
    /// let logo = ResourceDef::bytes("demo://logo", "logo", *b"\x89PNG...")
    ///     .cache(Duration::from_secs(600), CacheScope::Public)
    ///     .public_http_cache(true);
    /// # drop(logo);
    /// ```
    pub fn public_http_cache(mut self, is_public: bool) -> Self {
        self.extras
            .change(|settings: &mut UrlSettings| settings.public_http_cache = is_public);
        self
    }
}
