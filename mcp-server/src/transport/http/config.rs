//! [`HttpConfig`], and the checks of a request's head.

pub(crate) mod network;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http::HeaderName;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HOST};
use http::request::Parts;
use mcp_types::peer_text::PeerText;
use mcp_wire::http_headers::{essence, is_json};

use crate::protocol::caller::Principal;
use crate::transport::http::authenticate::Authenticate;
use crate::transport::http::authenticate::authenticator::Authenticator;
use crate::transport::http::config::network::IpNetwork;
use crate::transport::http::refusal::{Refusal, header_value};
use crate::util::lock::lock;
use crate::util::partial_debug::partial_debug;

/// Configures an HTTP endpoint.
///
/// The default is for servers on the user's own machine: requests must address `localhost`,
/// `127.0.0.1` or `[::1]`, at any port. A page in a browser cannot reach such a server by a DNS
/// name that resolves to this machine (DNS rebinding), because `Host` and `Origin` are checked.
#[derive(Clone, Default)]
pub struct HttpConfig {
    hosts: Hosts,
    origins: Vec<String>,
    pub(crate) http_sse: Option<String>,
    pub(crate) proxies: Vec<IpNetwork>,
    pub(crate) paths: Paths,
    pub(crate) headers: Vec<String>,
    pub(crate) refused: RefusedLog,
    pub(crate) authenticator: Option<Authenticator>,
}

partial_debug!(HttpConfig, |it| hosts: it.hosts, origins: it.origins, proxies: it.proxies);

#[derive(Clone, Debug, Default)]
enum Hosts {
    #[default]
    Local,
    Listed(Vec<String>),
    Any,
}

impl HttpConfig {
    /// Creates the default configuration.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the allowed values of the header `Host`, instead of the local names: `example.com`
    /// allows any port, `example.com:8443` only that one. Pages in browsers from these hosts may
    /// send requests, too.
    #[must_use]
    pub fn allow_hosts<T: Into<String>>(mut self, hosts: impl IntoIterator<Item = T>) -> Self {
        let hosts = hosts.into_iter().map(|host| lower(host.into())).collect();
        self.hosts = Hosts::Listed(hosts);
        self
    }

    /// Adds origins of pages in browsers that may send requests and read the responses (CORS), in
    /// addition to the server's own hosts: `https://app.example.com`, with the port if it is not
    /// the default port of the scheme. There is no wildcard.
    ///
    /// Pages may send the headers of the protocol, `Authorization` and those of
    /// [`allow_headers`](Self::allow_headers). Cookies are never allowed. If a middleware in front
    /// of the service authenticates requests, it has to pass on those with the method `OPTIONS`
    /// and a header `Access-Control-Request-Method`, which browsers send without credentials, and
    /// it has to set CORS headers on its own error responses.
    #[must_use]
    pub fn allow_origins<T: Into<String>>(mut self, origins: impl IntoIterator<Item = T>) -> Self {
        let origins = origins.into_iter().map(|origin| lower(origin.into()));
        self.origins.extend(origins);
        self
    }

    /// Accepts any `Host`. This is safe only if a proxy in front of the server checks it, or if
    /// every request is authenticated. `Origin` is still checked.
    #[must_use]
    pub fn any_host(mut self) -> Self {
        self.hosts = Hosts::Any;
        self
    }

    /// Also serves the deprecated transport HTTP+SSE of revision 2024-11-05 at `path`, for clients
    /// that support nothing newer. Off by default.
    ///
    /// Such a client is configured with a URL of this path, usually `/sse`. It sends a GET, and the
    /// first event of the response contains the URL for its messages: the same path with an
    /// unpredictable id. Responses are sent on the stream. When the stream ends, its requests are
    /// cancelled. A stream belongs to one process, so POSTs have to reach the process that received
    /// the GET.
    ///
    /// The path is the one that clients use, and the service has to see the same path: with axum,
    /// mount it by `route_service`, which does not change paths, and not by `nest_service`. The
    /// path may be that of Streamable HTTP, because their requests can be distinguished: a client
    /// that tries Streamable HTTP first, as the specification recommends, uses that. The same
    /// limits apply; the number of streams is limited by
    /// [`Limits::sessions`](field@crate::Limits::sessions).
    ///
    /// ```
    /// use mcp_server::HttpConfig;
    ///
    /// let config = HttpConfig::new().http_sse("/sse");
    /// ```
    #[must_use]
    pub fn http_sse(mut self, path: impl Into<String>) -> Self {
        self.http_sse = Some(path.into());
        self
    }

    /// Authenticates every request before its body is read, see [`Authenticate`]: with `OAuth` of the
    /// crate `mcp-server-oauth` by access tokens. [Health, readiness and metrics](Self::health_path)
    /// need no authentication.
    ///
    /// Streams of responses end when the token expires; clients resume or repeat them with a new
    /// one. Pages of allowed origins may send the header `DPoP`, and read `DPoP-Nonce`.
    #[must_use]
    pub fn authenticate(mut self, authenticate: impl Authenticate) -> Self {
        self.authenticator = Some(Authenticator::new(authenticate));
        self.allow_headers(["dpop"])
    }

    /// Authenticates requests as another configuration does, unless this one says how.
    pub(crate) fn or_authenticated_as(mut self, other: Self) -> Self {
        if self.authenticator.is_none() && other.authenticator.is_some() {
            self.authenticator = other.authenticator;
            return self.allow_headers(["dpop"]);
        }
        self
    }

    /// Returns `true` if only local names are allowed.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.hosts, Hosts::Local)
    }

    /// Checks that the request addresses the server by one of its own names.
    pub(crate) fn check_host(&self, parts: &Parts) -> Result<(), Refusal> {
        if matches!(self.hosts, Hosts::Any) {
            return Ok(());
        }
        let headers = parts.headers.get_all(HOST);
        let mut named = headers.iter().map(|host| host.to_str().unwrap_or_default());
        let first = named.next();
        if named.next().is_some() {
            return Err(Refusal::RepeatedHost);
        }
        // Requests over HTTP/2, and those to a proxy, have the host in the URI.
        let authority = parts.uri.authority().map(http::uri::Authority::as_str);
        if first.is_none() && authority.is_none() {
            return Err(Refusal::MissingHost);
        }
        if first
            .into_iter()
            .chain(authority)
            .all(|host| self.host(host))
        {
            return Ok(());
        }
        let found = first.or(authority).unwrap_or_default();
        self.refused.host(found);
        Err(Refusal::Host {
            found: found.to_owned(),
            expected: match self.hosts {
                Hosts::Local => "`localhost`, `127.0.0.1` or `[::1]`",
                _ => "a host that the server allows",
            },
        })
    }

    fn host(&self, host: &str) -> bool {
        match &self.hosts {
            Hosts::Local => is_local(host),
            Hosts::Listed(listed) => listed.iter().any(|known| {
                host.eq_ignore_ascii_case(known) || without_port(host).eq_ignore_ascii_case(known)
            }),
            Hosts::Any => true,
        }
    }

    /// Returns `true` if pages of this origin may send requests and read the responses.
    pub(crate) fn allows_origin(&self, origin: &str) -> bool {
        let listed = || {
            let mut listed = self.origins.iter();
            listed.any(|known| known.eq_ignore_ascii_case(origin))
        };
        let own = || {
            let address = origin.split_once("://");
            address.is_some_and(|(scheme, host)| {
                let web =
                    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
                // With any host allowed, only local origins are known to be the server's own.
                let host = match self.hosts {
                    Hosts::Any => is_local(host),
                    _ => self.host(host),
                };
                web && host
            })
        };
        listed() || own()
    }
}

fn lower(text: String) -> String {
    let mut text = text;
    text.make_ascii_lowercase();
    text
}

fn is_local(host: &str) -> bool {
    let name = without_port(host);
    name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1" || name == "[::1]"
}

/// Removes the port from `name:port`. Text after a colon that is not a port is kept.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Checks that the body is JSON that is not compressed.
pub(crate) fn check_content(parts: &Parts) -> Result<(), Refusal> {
    let mut encodings = media(parts, CONTENT_ENCODING);
    if !encodings.all(|encoding| encoding.eq_ignore_ascii_case(b"identity")) {
        return Err(Refusal::ContentEncoding(header_value(
            parts,
            CONTENT_ENCODING,
        )));
    }
    let mut types = media(parts, CONTENT_TYPE);
    if !types.next().is_some_and(is_json) {
        return Err(Refusal::ContentType(header_value(parts, CONTENT_TYPE)));
    }
    Ok(())
}

/// Returns the name of the principal that a middleware attached to the request.
pub(crate) fn principal(parts: &Parts) -> Option<&str> {
    let principal = parts.extensions.get::<Principal>();
    principal.map(|principal| &*principal.0)
}

/// Iterates over the media types in a header, without their parameters.
fn media(parts: &Parts, header: HeaderName) -> impl Iterator<Item = &[u8]> {
    let values = parts.headers.get_all(header).into_iter();
    let lists = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    lists.map(essence)
}

/// The paths of health, readiness and metrics that an [`HttpConfig`] sets. None by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    pub(crate) health: Option<String>,
    pub(crate) readiness: Option<String>,
    pub(crate) metrics: Option<String>,
}

/// The minimum time between two warnings about the same setting, because a peer can send any number
/// of such requests.
const INTERVAL: Duration = Duration::from_secs(1);

/// Writes warnings that name the setting that would allow the request. Clones share the rate limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefusedLog(Arc<Rates>);

#[derive(Debug, Default)]
struct Rates {
    host: Mutex<Rate>,
    origin: Mutex<Rate>,
}

#[derive(Debug, Default)]
struct Rate {
    warned: Option<Instant>,
    /// The number of requests since then without a warning.
    suppressed: u64,
}

impl RefusedLog {
    /// Logs a `Host` that is not allowed.
    pub(crate) fn host(&self, host: &str) {
        let host = PeerText(host);
        if let Some(suppressed) = warn(&self.0.host) {
            tracing::warn!(
                %host,
                suppressed,
                "request rejected: add this `Host` to `HttpConfig::allow_hosts` to allow it"
            );
        } else {
            tracing::debug!(%host, "request rejected: this `Host` is not allowed");
        }
    }

    /// Logs an `Origin` that is not allowed.
    pub(crate) fn origin(&self, origin: &str) {
        let origin = PeerText(origin);
        if let Some(suppressed) = warn(&self.0.origin) {
            tracing::warn!(
                %origin,
                suppressed,
                "request rejected: add this `Origin` to `HttpConfig::allow_origins` to allow it"
            );
        } else {
            tracing::debug!(%origin, "request rejected: this `Origin` is not allowed");
        }
    }
}

/// If a warning is due, returns the number of requests without a warning since the last one.
fn warn(rate: &Mutex<Rate>) -> Option<u64> {
    let now = Instant::now();
    let mut rate = lock(rate);
    let recent = rate
        .warned
        .is_some_and(|warned| now.saturating_duration_since(warned) < INTERVAL);
    if recent {
        rate.suppressed = rate.suppressed.saturating_add(1);
        return None;
    }
    rate.warned = Some(now);
    Some(std::mem::take(&mut rate.suppressed))
}
