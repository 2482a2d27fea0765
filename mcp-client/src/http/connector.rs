//! Connections: plain or over TLS, pooled.

use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::body::Full;
use super::error::HttpError;
use crate::limits::Limits;

/// Less than the 5 seconds after which a widespread server closes a connection: what is sent at
/// that moment would be lost.
const IDLE: Duration = Duration::from_secs(4);

/// Connections that wait to be used again.
const IDLE_CONNECTIONS: usize = 64;

/// Headers of a response.
const HEADERS: usize = 128;

#[cfg(feature = "tls")]
pub(super) type Connector = hyper_rustls::HttpsConnector<HttpConnector>;
#[cfg(not(feature = "tls"))]
pub(super) type Connector = HttpConnector;

pub(super) type PoolClient = legacy::Client<Connector, Full>;

/// Certificates to be trusted, in PEM.
#[derive(Default)]
pub(super) struct Roots {
    #[cfg(feature = "tls")]
    pub(super) pem: Vec<Vec<u8>>,
}

/// A pool of connections to a server.
pub(super) fn client(url: &Uri, limits: &Limits, roots: &Roots) -> Result<PoolClient, HttpError> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(limits.connect_time));
    let connector = secure(connector, url, roots)?;
    Ok(legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .http1_max_headers(HEADERS)
        .build(connector))
}

#[cfg(not(feature = "tls"))]
fn secure(connector: HttpConnector, _: &Uri, _: &Roots) -> Result<Connector, HttpError> {
    Ok(connector)
}

#[cfg(feature = "tls")]
fn secure(mut connector: HttpConnector, url: &Uri, roots: &Roots) -> Result<Connector, HttpError> {
    use std::sync::Arc;

    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    use rustls::{ClientConfig, RootCertStore};

    let mut store = RootCertStore::empty();
    // To read all that the system trusts takes a while, and plain text does without.
    if url.scheme() == Some(&http::uri::Scheme::HTTPS) {
        let native = rustls_native_certs::load_native_certs();
        for error in native.errors {
            tracing::warn!(%error, "a certificate of the system cannot be read");
        }
        store.add_parsable_certificates(native.certs);
        for pem in &roots.pem {
            for certificate in CertificateDer::pem_slice_iter(pem) {
                let certificate =
                    certificate.map_err(|error| HttpError::Certificate(error.into()))?;
                store
                    .add(certificate)
                    .map_err(|error| HttpError::Certificate(error.into()))?;
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| HttpError::Certificate(error.into()))?
        .with_root_certificates(store)
        .with_no_client_auth();
    connector.enforce_http(false);
    Ok(hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector))
}
