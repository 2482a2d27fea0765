//! Connections: plain or over TLS, pooled.

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

/// Less than the 5 seconds after which a widespread server closes a connection: what is sent at
/// that moment would be lost.
const IDLE: Duration = Duration::from_secs(4);

/// Connections that wait to be used again.
const IDLE_CONNECTIONS: usize = 64;

#[cfg(feature = "tls")]
pub(super) type Connector = hyper_rustls::HttpsConnector<HttpConnector>;
#[cfg(not(feature = "tls"))]
pub(super) type Connector = HttpConnector;

pub(super) type PoolClient = legacy::Client<Monitored<Connector>, Full>;

/// Certificates to be trusted, in PEM.
#[derive(Default)]
pub(super) struct Roots {
    #[cfg(feature = "tls")]
    pub(super) pem: Vec<Vec<u8>>,
}

/// A pool of connections to a server. A response has at most 100 headers, of 400 KB in all.
pub(super) fn client(url: &Uri, limits: &Limits, roots: &Roots) -> Result<PoolClient, HttpError> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    // A server that vanished without a word is noticed, also by streams that nothing else times.
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
    // To read all that the system trusts takes a while, and plain text does without.
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
