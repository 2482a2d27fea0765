//! Serves health, readiness and metrics to operators of the server.

use std::sync::{Arc, Weak};

use http::header::{ALLOW, ORIGIN, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};

use crate::protocol::core::metrics::snapshot;
use crate::protocol::metrics::Metrics;
use crate::protocol::metrics::counters::Gauges;
#[cfg(feature = "axum")]
use crate::transport::http::authenticate::authenticator::Authenticator;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::response::answer;
use crate::transport::http::response::body::HttpBody;

impl HttpConfig {
    /// Answers GET and HEAD at exactly this path, such as `/healthz`, with 200 as long as the
    /// process serves requests at all. Off by default. The path is the one that the service sees,
    /// as for [`http_sse`](Self::http_sse). A missing leading slash is added.
    ///
    /// The header `Host` is not checked for this path and that of
    /// [`readiness_path`](Self::readiness_path), because orchestrators probe a server by its
    /// address, and the response contains no data. Requests of pages (with a header `Origin`) are
    /// checked as everywhere.
    ///
    /// ```
    /// use mcp_server::HttpConfig;
    ///
    /// let config = HttpConfig::new()
    ///     .health_path("/healthz")
    ///     .readiness_path("/readyz")
    ///     .metrics_path("/metrics");
    /// # drop(config);
    /// ```
    #[must_use]
    pub fn health_path(mut self, path: impl Into<String>) -> Self {
        self.paths.health = Some(absolute(path.into()));
        self
    }

    /// Answers GET and HEAD at exactly this path with 200 as long as new requests would be served,
    /// and with 503 while the server is shutting down or [all request
    /// permits](field@crate::Limits::concurrent_requests) are in use. Off by default. See
    /// [`health_path`](Self::health_path).
    #[must_use]
    pub fn readiness_path(mut self, path: impl Into<String>) -> Self {
        self.paths.readiness = Some(absolute(path.into()));
        self
    }

    /// Answers GET and HEAD at exactly this path with the server's [`Metrics`] in the text format
    /// of OpenMetrics. Off by default.
    ///
    /// The metrics contain no data of clients, but they tell how busy the server is, and they name
    /// the tools that were called, also those that are hidden from some callers. `Host` and
    /// `Origin` are checked as for requests of the protocol, and nothing else: if the endpoint is
    /// public, let the proxy reject this path, or leave it off and serve
    /// [`Server::metrics`](crate::Server::metrics) at an address of its own.
    #[must_use]
    pub fn metrics_path(mut self, path: impl Into<String>) -> Self {
        self.paths.metrics = Some(absolute(path.into()));
        self
    }

    /// Returns the paths that the endpoint serves beside that of the protocol.
    #[cfg(feature = "axum")]
    pub(crate) fn other_paths(&self) -> Vec<String> {
        let paths = [
            &self.paths.health,
            &self.paths.readiness,
            &self.paths.metrics,
        ];
        let paths = paths.into_iter().chain([&self.http_sse]).flatten().cloned();
        let public = self.authenticator.iter().flat_map(Authenticator::own_paths);
        paths.chain(public).collect()
    }

    /// Returns what clients look for at a fixed path, so that the router of the endpoint cannot be
    /// nested below another path. `None` if there is nothing like that.
    #[cfg(feature = "axum")]
    pub(crate) fn fixed_paths(&self) -> Option<&'static str> {
        let mut authenticator = self.authenticator.iter();
        if authenticator.any(|it| it.own_paths().next().is_some()) {
            return Some("the metadata for authorization");
        }
        self.http_sse.as_ref().map(|_| "HTTP+SSE")
    }
}

fn absolute(path: String) -> String {
    if path.starts_with('/') {
        return path;
    }
    format!("/{path}")
}

impl Endpoint {
    /// Responds to a health or readiness probe whose `Host` is not allowed. Returns `None` for any
    /// other request.
    pub(crate) fn probe(&self, parts: &Parts) -> Option<Response<HttpBody>> {
        let path = Some(parts.uri.path());
        let paths = &self.config.paths;
        let probes = path == paths.health.as_deref() || path == paths.readiness.as_deref();
        if !probes || parts.headers.contains_key(ORIGIN) {
            return None;
        }
        self.operation(parts)
    }

    /// Responds to a request for one of the paths. Returns `None` for any other request.
    pub(crate) fn operation(&self, parts: &Parts) -> Option<Response<HttpBody>> {
        let path = Some(parts.uri.path());
        let paths = &self.config.paths;
        let (status, media, text) = if path == paths.health.as_deref() {
            (StatusCode::OK, PLAIN, "ok\n".to_owned())
        } else if path == paths.readiness.as_deref() {
            let (status, text) = self.readiness();
            (status, PLAIN, text.to_owned())
        } else if path == paths.metrics.as_deref() {
            let text = snapshot(&self.server).to_open_metrics();
            (StatusCode::OK, Metrics::OPEN_METRICS, text)
        } else {
            return None;
        };
        let mut response = match parts.method {
            Method::GET => answer::text(status, media, text),
            Method::HEAD => answer::text(status, media, String::new()),
            _ => {
                let allowed = "GET, HEAD";
                let refusal = Refusal::Method {
                    found: parts.method.clone(),
                    allowed,
                };
                let status = refusal.status();
                let mut response = answer::text(status, PLAIN, format!("{refusal}\n"));
                let allowed = HeaderValue::from_static(allowed);
                response.headers_mut().insert(ALLOW, allowed);
                response
            }
        };
        if response.status() == StatusCode::SERVICE_UNAVAILABLE {
            let soon = HeaderValue::from_static("1");
            response.headers_mut().insert(RETRY_AFTER, soon);
        }
        Some(response)
    }

    /// Adds a refusal to the metrics.
    pub(crate) fn count(&self, refusal: &Refusal) {
        if let Some(cause) = refusal.cause() {
            self.server.counters.refused(cause);
        }
    }

    /// Counts a refusal and creates its response.
    pub(crate) fn refuse(&self, refusal: &Refusal) -> Response<HttpBody> {
        self.count(refusal);
        answer::refusal(refusal)
    }

    fn readiness(&self) -> (StatusCode, &'static str) {
        if self.server.stopping.is_set() {
            return (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n");
        }
        let in_flight = self.server.peers.all().requests.get();
        if in_flight >= self.server.limits.concurrent_requests {
            return (StatusCode::SERVICE_UNAVAILABLE, "too many requests\n");
        }
        (StatusCode::OK, "ready\n")
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";

impl Gauges for Endpoint {
    fn add_to(&self, metrics: &mut Metrics) {
        metrics.sessions += self.sessions.len();
        let (channels, queued) = self.channels.gauges();
        metrics.http_sse_channels += channels;
        metrics.queued_bytes += queued;
    }
}

impl Endpoint {
    /// Adds the gauges of this endpoint to the server's metrics.
    pub(crate) fn watch(self: &Arc<Self>) {
        let gauges: Weak<dyn Gauges> = Arc::<Self>::downgrade(self);
        self.server.counters.watch(gauges);
    }
}
