//! The HTTP client that calls the API.

use std::error::Error as StdError;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};

use super::error::OpenApiError;

/// The response declares a larger body than may be read.
#[derive(Debug, thiserror::Error)]
#[error("the response is too long")]
pub(super) struct TooLong;

/// An error of a client.
pub(super) type ClientError = Box<dyn StdError + Send + Sync>;

type Sent = Pin<Box<dyn Future<Output = Result<Response<Bytes>, ClientError>> + Send>>;

/// Sends a request and reads the whole response.
pub(super) type Sender = Arc<dyn Fn(Request<Bytes>) -> Sent + Send + Sync>;

/// Erases the type of a program's own client.
pub(super) fn boxed<F, Fut>(send: F) -> Sender
where
    F: Fn(Request<Bytes>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Response<Bytes>, ClientError>> + Send + 'static,
{
    Arc::new(move |request| Box::pin(send(request)))
}

/// Returns a client that reads at most `limit` bytes of a response. It follows no redirects. The
/// certificates of the system are read if requests may need TLS.
pub(super) fn hyper(has_tls: bool, limit: usize) -> Result<Sender, OpenApiError> {
    let mut roots = RootCertStore::empty();
    if has_tls {
        let native = rustls_native_certs::load_native_certs();
        for error in native.errors {
            tracing::warn!(%error, "a certificate of the system cannot be read");
        }
        roots.add_parsable_certificates(native.certs);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| OpenApiError::Tls(error.into()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.enforce_http(false);
    let connector = hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector);
    let client: legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>> =
        legacy::Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(std::time::Duration::from_secs(4))
            .build(connector);
    Ok(boxed(move |request: Request<Bytes>| {
        let sent = client.request(request.map(Full::new));
        async move {
            let (parts, body) = sent.await?.into_parts();
            if body.size_hint().lower() > limit as u64 {
                return Err(TooLong.into());
            }
            let body = Limited::new(body, limit).collect().await?;
            Ok(Response::from_parts(parts, body.to_bytes()))
        }
    }))
}
