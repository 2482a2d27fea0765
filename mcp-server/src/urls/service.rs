//! [`UrlService`]: URLs of resources as a service of tower.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use tower_service::Service;
use tracing::field::Empty;

use super::answer;
use super::issue::{Denied, Urls};
use super::read::{self, Failed};
use crate::engine::catch;
use crate::error::short;
use crate::http::{HttpBody, HttpFuture};
use crate::resources;
use crate::server::Server;

/// Serves the URLs that a server has handed out, for any stack that takes services of tower: GET
/// and HEAD, with ranges and conditions. Cheap to clone.
///
/// The last segment of the path is what counts, wherever the service is mounted. Who has a URL
/// needs nothing else, so nothing that authenticates may stand before it; and whatever logs paths
/// there, such as a proxy, logs what is as good as a key until it expires. `Host` and `Origin` are
/// not looked at: a page in a browser that does not have the URL gets nothing by a name of its own,
/// and one that has it cannot read what comes, but from the same origin.
///
/// The body is what `resources/read` gives to whom the URL was handed out; of several contents, the
/// first. Its media type is the one that the contents name. What fails has a status and a line of
/// text: 403 for what was never handed out or was [taken back](crate::Server::revoke_url), 410
/// for what has expired, 404 where there is no such resource any more. As many requests are served
/// at once as the [`Limits`](crate::Limits) say for those of the protocol, and for as long.
#[derive(Clone)]
pub struct UrlService {
    server: Server,
    urls: Arc<Urls>,
}

impl Server {
    /// What serves the URLs that are handed out: `None` where there are no [`HttpUrls`] or the
    /// program did not opt into the proposal. [`serve_http`](Self::serve_http) serves them
    /// already, below the path of their base URL.
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
        let urls = self.inner.urls.clone()?;
        Some(UrlService {
            server: self.clone(),
            urls,
        })
    }
}

impl UrlService {
    /// Whether a path is one below the base URL.
    pub(crate) fn takes(&self, path: &str) -> bool {
        self.urls.takes(path)
    }

    /// Answers a request. Its body is not read.
    pub(crate) fn respond<B>(&self, request: Request<B>) -> HttpFuture {
        let service = self.clone();
        let (parts, _) = request.into_parts();
        HttpFuture::new(parts.version, async move { service.answer(&parts).await })
    }

    async fn answer(&self, parts: &Parts) -> Response<HttpBody> {
        let method = &parts.method;
        let refuse = |status, why| answer::refuse(method, status, why);
        if !matches!(*method, Method::GET | Method::HEAD) {
            return refuse(
                StatusCode::METHOD_NOT_ALLOWED,
                "only GET and HEAD are served\n",
            );
        }
        if self.server.inner.stopping.is_set() {
            return refuse(
                StatusCode::SERVICE_UNAVAILABLE,
                "the server is shutting down\n",
            );
        }
        let token = parts.uri.path().rsplit('/').next().unwrap_or_default();
        let (token, left) = match self.urls.open(token) {
            Ok(opened) => opened,
            Err(Denied::Expired) => {
                return refuse(StatusCode::GONE, "the URL has expired\n");
            }
            Err(Denied::Forged | Denied::Revoked) => {
                return refuse(StatusCode::FORBIDDEN, "the URL is not valid\n");
            }
        };
        let Ok(place) = Arc::clone(&self.urls.places).try_acquire_owned() else {
            return refuse(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many requests at once\n",
            );
        };
        let not_found = "there is no such resource\n";
        let found = resources::locate(&self.server, &token.uri).filter(resources::Found::has_url);
        let Some(found) = found else {
            return refuse(StatusCode::NOT_FOUND, not_found);
        };
        let span = tracing::info_span!(
            "mcp.resource.url",
            otel.kind = "server",
            http.request.method = method.as_str(),
            http.response.status_code = Empty,
            mcp.resource.uri = short(&token.uri),
        );
        let ttl = u64::try_from(found.hints().ttl_ms).unwrap_or_default() / 1_000;
        // The program's code, too.
        let extensions = span.in_scope(|| catch(|| self.urls.extensions(token.principal)));
        let read = match extensions {
            Ok(extensions) => read::read(&self.server, found, extensions, span.clone()).await,
            Err(_) => Err(Failed::Inside),
        };
        let response = match read {
            Ok(representation) => {
                let keep = ttl.min(left);
                answer::represent(method, &parts.headers, representation, keep, place)
            }
            Err(Failed::NotFound) => refuse(StatusCode::NOT_FOUND, not_found),
            Err(Failed::Inside) => refuse(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the resource cannot be read\n",
            ),
        };
        span.record("http.response.status_code", response.status().as_u16());
        response
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
        self.respond(request)
    }
}

impl std::fmt::Debug for UrlService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UrlService")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
