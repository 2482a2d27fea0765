//! Creates the pool of connections, plain or with TLS.

use std::time::Duration;

use bytes::Bytes;
#[cfg(feature = "tls")]
use http::header::PROXY_AUTHORIZATION;
use http::{HeaderMap, Uri};
use http_body_util::Full;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
#[cfg(feature = "tls")]
use mcp_fetch::{Origin, Proxy, ProxyConnector, Trust, url::shown};

use super::liveness::Monitored;
#[cfg(feature = "tls")]
use super::url::origin;
use crate::protocol::error::HttpError;
use crate::protocol::limits::Limits;

/// How long a connection is silent before the system sends the first TCP keep-alive probe, and how
/// long it waits for a response before the next one. This detects a server that has vanished, also
/// for streams without a timeout.
const KEEPALIVE: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// How long an idle connection is kept. Less than the 5 seconds after which Node.js closes it: a
/// request that is sent at that moment would be lost.
const IDLE: Duration = Duration::from_secs(4);

/// The maximum number of idle connections.
const IDLE_CONNECTIONS: usize = 64;

#[cfg(feature = "tls")]
pub(in crate::transport::http) type Connector = hyper_rustls::HttpsConnector<ProxyConnector>;
#[cfg(not(feature = "tls"))]
pub(in crate::transport::http) type Connector = HttpConnector;

pub(in crate::transport::http) type PoolClient = legacy::Client<Monitored<Connector>, Full<Bytes>>;

/// How to connect.
#[derive(Default)]
pub(in crate::transport::http) struct Dialing {
    #[cfg(feature = "tls")]
    pub(in crate::transport::http) trust: Trust,
    #[cfg(feature = "tls")]
    pub(in crate::transport::http) proxy: Proxy,
}

/// Creates a pool of connections to a server. A response can have at most 100 headers, of 400 KB in
/// total. Adds the header that authorizes the client at a proxy, if the requests contain it.
pub(in crate::transport::http) fn client(
    url: &Uri,
    limits: &Limits,
    dialing: &Dialing,
    headers: &mut HeaderMap,
) -> Result<PoolClient, HttpError> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_keepalive(Some(KEEPALIVE));
    connector.set_keepalive_interval(Some(KEEPALIVE_INTERVAL));
    connector.set_connect_timeout(Some(limits.connect_time));
    let connector = secure(connector, url, dialing, headers)?;
    Ok(legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .build(connector))
}

#[cfg(not(feature = "tls"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "with the feature `tls` it can fail"
)]
fn secure(
    connector: HttpConnector,
    _: &Uri,
    _: &Dialing,
    _: &mut HeaderMap,
) -> Result<Monitored<Connector>, HttpError> {
    Ok(Monitored::new(connector, false))
}

#[cfg(feature = "tls")]
fn secure(
    mut connector: HttpConnector,
    url: &Uri,
    dialing: &Dialing,
    headers: &mut HeaderMap,
) -> Result<Monitored<Connector>, HttpError> {
    let origin = Origin::parse(&origin(url)).map_err(|_| HttpError::Url {
        url: shown(&url.to_string()),
        reason: "invalid host",
    })?;
    connector.enforce_http(false);
    let connector = dialing
        .proxy
        .connector(&origin, connector)
        .map_err(HttpError::Proxy)?;
    // Without TLS, the proxy reads the requests and sends them on.
    let is_forwarded = connector.is_proxied() && !origin.secure;
    if let (true, Some(auth)) = (is_forwarded, connector.proxy_authorization()) {
        headers.insert(PROXY_AUTHORIZATION, auth.clone());
    }
    // Reading the certificates of the system takes a while, and plain HTTP does not need them.
    let config = if origin.secure {
        dialing.trust.client_config()
    } else {
        Trust::none().client_config()
    };
    let connector = hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(config.map_err(HttpError::Certificate)?)
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector);
    Ok(Monitored::new(connector, is_forwarded))
}
