//! [`UrlService`]: a tower service that serves the URLs of resources.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{CONTENT_DISPOSITION, RETRY_AFTER};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use mcp_types::peer_text::{Chain, PeerText};
use mcp_types::uri::canonical;
use tower_service::Service;
use tracing::Instrument as _;
use tracing::field::Empty;

use super::answer::Caching;
use super::read::{ReadFailure, ReadOutcome, ReadResult};
use super::representation::{is_quick, is_quick_fixed, represent, represent_fixed};
use super::{answer, read};
use crate::features::resources::catalog::ResourceDefinitions;
use crate::features::resources::resolved::ResolvedResource;
use crate::proposals::https_url::issue::{Denied, Urls};
use crate::proposals::https_url::presigned::time_left;
use crate::proposals::https_url::serving::representation::offload;
use crate::protocol::core::Core;
use crate::protocol::dispatch::request_task::catch;
use crate::protocol::quota::peer_key::PeerKey;
use crate::protocol::quota::permits::DownloadPermit;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::endpoint::cors::Cors;
use crate::transport::http::listener::connection::PathService;
use crate::transport::http::proxy::peer_address;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::response::body::{HttpBody, HttpFuture};
use crate::util::partial_debug::partial_debug;

/// A tower service that serves the URLs of a server's resources: GET and HEAD, with ranges and
/// conditions. Cheap to clone.
///
/// Only the last segment of the path matters, so the service can be mounted anywhere. The URL is
/// the only credential: do not put authentication in front of the service, and consider that
/// programs that log paths, such as a proxy, log credentials that are valid until they expire.
/// `Host` and `Origin` are not checked: a page in a browser that does not have the URL gets nothing
/// by DNS rebinding, and a page that has it can read the response only from the same origin or from
/// an origin that [`allow_pages`](Self::allow_pages) permits.
///
/// The body is what `resources/read` returns to the peer that received the URL. If the resource has
/// several representations, the client chooses one with `Accept`; otherwise it is the
/// [preferred](mcp_types::AnyResourceContents::preferred) one. The media type is that of the
/// contents. Errors have a line of text and one of these statuses: 403 for a URL that was never
/// created or was [revoked](crate::Server::revoke_url), 410 for an expired one, 404 if the resource
/// does not exist any more. The limits for the number and duration of requests are those of the
/// protocol, see [`Limits`](crate::Limits); downloads are counted separately.
#[derive(Clone)]
pub struct UrlService {
    core: Arc<Core>,
    definitions: Arc<ResourceDefinitions>,
    urls: Arc<Urls>,
    /// The origins of pages that may read downloads, and the trusted proxies.
    config: Option<Arc<HttpConfig>>,
}

/// The text for a URL that opens nothing.
const VOID: &str = "the URL is not valid or was revoked\n";

impl UrlService {
    pub(crate) fn new(
        core: Arc<Core>,
        definitions: Arc<ResourceDefinitions>,
        urls: Arc<Urls>,
    ) -> Self {
        Self {
            core,
            definitions,
            urls,
            config: None,
        }
    }

    /// Lets pages in browsers read downloads (CORS) if `config` allows their origin. By default
    /// only pages of the same origin can. `serve_http` does this with the configuration of the
    /// endpoint.
    ///
    /// ```
    /// # fn mount(server: mcp_server::Server) -> Option<()> {
    /// use mcp_server::HttpConfig;
    ///
    /// let config = HttpConfig::new()
    ///     .allow_hosts(["mcp.example.com"])
    ///     .allow_origins(["https://app.example.com"]);
    /// let urls = server.resource_urls()?.allow_pages(&config);
    /// let endpoint = server.into_service(config);
    /// # let _ = (urls, endpoint);
    /// # Some(())
    /// # }
    /// # let _ = mount;
    /// ```
    #[must_use]
    pub fn allow_pages(mut self, config: &HttpConfig) -> Self {
        self.config = Some(Arc::new(config.clone()));
        self
    }

    fn future(&self, parts: Parts, remote: Option<SocketAddr>) -> HttpFuture {
        let service = self.clone();
        let address = match &service.config {
            Some(config) => peer_address(config, &parts, remote),
            None => peer_address(&HttpConfig::new(), &parts, remote),
        };
        let parts = Arc::new(parts);
        HttpFuture::new(parts.version, async move {
            let Some(config) = &service.config else {
                return service.answer(parts, address).await;
            };
            let cors = Cors::of(config, &parts);
            let mut response = match cors.preflight(&parts) {
                Some(response) => response,
                None => service.answer(parts, address).await,
            };
            // Also without `Origin`: the browser may cache the response and use it for a page.
            cors.apply(&mut response);
            response
        })
    }

    async fn answer(&self, parts: Arc<Parts>, address: Option<IpAddr>) -> Response<HttpBody> {
        let method = &parts.method;
        let refuse = |status, text: &'static str| answer::refuse(method, status, text.into());
        let reject = |refusal: Refusal| {
            let text = format!("{refusal}\n");
            answer::refuse(method, refusal.status(), text.into())
        };
        if !matches!(*method, Method::GET | Method::HEAD) {
            return reject(Refusal::Method {
                found: method.clone(),
                allowed: answer::METHODS,
            });
        }
        if self.core.stopping.is_set() {
            return reject(Refusal::ShuttingDown);
        }
        let token = parts.uri.path().rsplit('/').next().unwrap_or_default();
        // A program may have percent-encoded characters that need not be.
        let (token, left) = match self.urls.open(&canonical(token)) {
            Ok(opened) => opened,
            Err(Denied::Expired) => {
                return refuse(StatusCode::GONE, "the URL has expired\n");
            }
            Err(Denied::Forged | Denied::Revoked) => return refuse(StatusCode::FORBIDDEN, VOID),
        };
        match self
            .urls
            .is_revoked_elsewhere(&token, &self.core.stores)
            .await
        {
            Ok(false) => {}
            Ok(true) => return refuse(StatusCode::FORBIDDEN, VOID),
            Err(error) => {
                tracing::error!(error = %Chain(&error), "cannot tell whether a URL was revoked");
                return reject(error.into());
            }
        }
        let peer = PeerKey::of_http(None, address);
        let permit = match self.core.peers.usage(peer).download() {
            Ok(permit) => permit,
            Err(exhausted) => return reject(exhausted.into()),
        };
        let not_found = "the resource does not exist\n";
        let found = self.definitions.locate(&token.uri);
        let Some(found) = found.filter(ResolvedResource::has_url) else {
            return refuse(StatusCode::NOT_FOUND, not_found);
        };
        let span = tracing::info_span!(
            "mcp.resource.url",
            otel.kind = "server",
            http.request.method = method.as_str(),
            http.response.status_code = Empty,
            mcp.resource.uri = %PeerText(&token.uri),
        );
        let ttl = u64::try_from(found.definition.hints().ttl_ms).unwrap_or_default() / 1_000;
        let caching = Caching {
            max_age: ttl.min(left),
            is_public: found.url_settings().public_http_cache,
        };
        // `catch`, because the program's function for claims may panic.
        let extensions = span.in_scope(|| catch(|| self.urls.extensions(token.principal)));
        let read = match extensions {
            Ok(extensions) => {
                let request = Arc::clone(&parts);
                let now = self.urls.now();
                read::read(&self.core, found, extensions, span.clone(), request, now).await
            }
            Err(_) => Err(ReadFailure::Internal),
        };
        let response = match read {
            Ok(read) => {
                let disposition = read.disposition.clone();
                let response = self.respond_with(read, &parts, caching, permit);
                let mut response = response.instrument(span.clone()).await;
                if let (Ok(response), Some(disposition)) = (&mut response, disposition)
                    && response.status().is_success()
                {
                    response
                        .headers_mut()
                        .insert(CONTENT_DISPOSITION, disposition);
                }
                response
            }
            Err(failed) => Err(failed),
        };
        let response = match response {
            Ok(response) => response,
            Err(ReadFailure::NotFound) => refuse(StatusCode::NOT_FOUND, not_found),
            Err(ReadFailure::Unavailable) => refuse(
                StatusCode::SERVICE_UNAVAILABLE,
                "the resource cannot be read at this time\n",
            ),
            Err(ReadFailure::Busy(time)) => {
                let mut response = refuse(
                    StatusCode::TOO_MANY_REQUESTS,
                    "this client reads too often: retry later\n",
                );
                let headers = response.headers_mut();
                headers.insert(RETRY_AFTER, time.as_secs().into());
                response
            }
            Err(ReadFailure::Internal) => refuse(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the resource cannot be read\n",
            ),
        };
        span.record("http.response.status_code", response.status().as_u16());
        response
    }

    /// Creates the response for an outcome. Large contents are decoded and hashed on another
    /// thread.
    async fn respond_with(
        &self,
        read: ReadResult,
        parts: &Parts,
        caching: Caching,
        permit: DownloadPermit,
    ) -> Result<Response<HttpBody>, ReadFailure> {
        let changed = read.last_modified;
        let (representation, permit) = match read.outcome {
            ReadOutcome::WithoutContents(unread) => {
                return Ok(answer::unread(unread, changed, caching));
            }
            ReadOutcome::Redirect(presigned) => {
                let left = time_left(&presigned.expires_at, self.urls.now()).as_secs();
                let caching = Caching {
                    max_age: caching.max_age.min(left),
                    ..caching
                };
                return answer::redirect(&presigned.url, caching).ok_or(ReadFailure::Internal);
            }
            ReadOutcome::Stream(opened) => {
                let limit = self.core.limits.request_time;
                return Ok(answer::stream(*opened, changed, caching, limit, permit));
            }
            ReadOutcome::Fixed(body, mime_type) if is_quick_fixed(&body) => {
                (Ok(represent_fixed(&body, mime_type)), permit)
            }
            ReadOutcome::Fixed(body, mime_type) => {
                let work = move || Ok(represent_fixed(&body, mime_type));
                let done = offload(&self.urls, permit, work).await;
                done.ok_or(ReadFailure::Internal)?
            }
            ReadOutcome::Read(read) if is_quick(&read.contents) => (represent(read), permit),
            ReadOutcome::Read(read) => {
                let work = move || represent(read);
                let done = offload(&self.urls, permit, work).await;
                done.ok_or(ReadFailure::Internal)?
            }
        };
        let representation = representation.map_err(|error| {
            tracing::error!(error = %Chain(&error), "cannot serve a resource by URL");
            ReadFailure::Internal
        })?;
        let (method, headers) = (&parts.method, &parts.headers);
        Ok(answer::represent(
            method,
            headers,
            representation,
            changed,
            caching,
            permit,
        ))
    }
}

impl PathService for UrlService {
    fn serves_path(&self, path: &str) -> bool {
        self.urls.serves_path(path)
    }

    fn respond(&self, parts: Parts, remote: SocketAddr) -> HttpFuture {
        self.future(parts, Some(remote))
    }
}

impl<B> Service<Request<B>> for UrlService {
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = HttpFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> HttpFuture {
        let (parts, _) = request.into_parts();
        self.future(parts, None)
    }
}

partial_debug!(UrlService);
