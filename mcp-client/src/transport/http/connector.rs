//! Creates the pool of connections, plain or with TLS.

use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::liveness::Monitored;
use crate::protocol::error::HttpError;
use crate::protocol::limits::Limits;
use crate::util::http_body::Full;
use crate::util::keepalive::{KEEPALIVE, KEEPALIVE_INTERVAL};
#[cfg(feature = "tls")]
use crate::util::tls;

/// How long an idle connection is kept. Less than the 5 seconds after which Node.js closes it: a
/// request that is sent at that moment would be lost.
const IDLE: Duration = Duration::from_secs(4);

/// The maximum number of idle connections.
const IDLE_CONNECTIONS: usize = 64;

#[cfg(feature = "tls")]
pub(super) type Connector = hyper_rustls::HttpsConnector<HttpConnector>;
#[cfg(not(feature = "tls"))]
pub(super) type Connector = HttpConnector;

pub(super) type PoolClient = legacy::Client<Monitored<Connector>, Full>;

/// Additional trusted certificates, in PEM.
#[derive(Default)]
pub(super) struct Roots {
    #[cfg(feature = "tls")]
    pub(super) pem: Vec<Vec<u8>>,
}

/// Creates a pool of connections to a server. A response can have at most 100 headers, of 400 KB in
/// total.
pub(super) fn client(url: &Uri, limits: &Limits, roots: &Roots) -> Result<PoolClient, HttpError> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    // Detects a server that has vanished, also for streams without a timeout.
    connector.set_keepalive(Some(KEEPALIVE));
    connector.set_keepalive_interval(Some(KEEPALIVE_INTERVAL));
    connector.set_connect_timeout(Some(limits.connect_time));
    let connector = secure(connector, url, roots)?;
    Ok(legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .build(Monitored::new(connector)))
}

#[cfg(not(feature = "tls"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "with the feature `tls` it can fail"
)]
fn secure(connector: HttpConnector, _: &Uri, _: &Roots) -> Result<Connector, HttpError> {
    Ok(connector)
}

#[cfg(feature = "tls")]
fn secure(mut connector: HttpConnector, url: &Uri, roots: &Roots) -> Result<Connector, HttpError> {
    // Reading the certificates of the system takes a while, and plain HTTP does not need them.
    let store = if url.scheme() == Some(&http::uri::Scheme::HTTPS) {
        tls::trusted(&roots.pem).map_err(HttpError::Certificate)?
    } else {
        rustls::RootCertStore::empty()
    };
    connector.enforce_http(false);
    Ok(hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(tls::config(store).map_err(HttpError::Certificate)?)
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector))
}
