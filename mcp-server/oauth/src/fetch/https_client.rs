//! [`HttpsClient`]: the client for authorization servers, with the certificates of the system.

use std::error::Error;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::fetch::HttpFetch;

/// How long an idle connection is kept.
const IDLE_TIME: Duration = Duration::from_secs(30);
/// How many idle connections are kept for each host.
const IDLE: usize = 4;

/// A client of HTTP/1.1. It follows no redirects and sends no cookies.
pub(crate) struct HttpsClient(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl HttpsClient {
    /// Creates a client that trusts the certificates of the system.
    pub(crate) fn new() -> Result<Self, rustls::Error> {
        let mut roots = rustls::RootCertStore::empty();
        let native = rustls_native_certs::load_native_certs();
        for error in native.errors {
            tracing::warn!(%error, "a certificate of the system cannot be read");
        }
        roots.add_parsable_certificates(native.certs);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(config)
            // Plain text is used for loopback addresses only, see `SecureUrl`.
            .https_or_http()
            .enable_http1()
            .build();
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIME)
            .pool_max_idle_per_host(IDLE)
            .build(connector);
        Ok(Self(client))
    }
}

impl HttpFetch for HttpsClient {
    async fn fetch(
        &self,
        request: Request<Bytes>,
        limit: usize,
    ) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
        let (parts, body) = self.0.request(request.map(Full::new)).await?.into_parts();
        let body = read(body, limit).await?;
        Ok(Response::from_parts(parts, body))
    }
}

/// Reads a body of at most `limit` bytes.
async fn read<B>(body: B, limit: usize) -> Result<Bytes, Box<dyn Error + Send + Sync>>
where
    B: Body<Data = Bytes>,
    B::Error: Error + Send + Sync + 'static,
{
    let too_large = || format!("the body is larger than {limit} bytes");
    if body.size_hint().lower() > u64::try_from(limit).unwrap_or(u64::MAX) {
        return Err(too_large().into());
    }
    let mut body = pin!(body);
    let mut read = BytesMut::new();
    while let Some(frame) = poll_fn(|task| body.as_mut().poll_frame(task)).await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        if read.len() + data.len() > limit {
            return Err(too_large().into());
        }
        read.extend_from_slice(&data);
    }
    Ok(read.freeze())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use http_body::{Frame, SizeHint};

    use super::*;

    /// A body of chunks of 100 bytes.
    struct Chunks {
        left: usize,
        announced: u64,
    }

    impl Body for Chunks {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let Some(left) = self.left.checked_sub(1) else {
                return Poll::Ready(None);
            };
            self.left = left;
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 100])))))
        }

        fn size_hint(&self) -> SizeHint {
            let mut hint = SizeHint::new();
            hint.set_lower(self.announced);
            hint
        }
    }

    /// Reads ten chunks, and returns the result and the number of chunks that were left.
    async fn read_ten(announced: u64, limit: usize) -> (Result<usize, String>, usize) {
        let mut body = Chunks {
            left: 10,
            announced,
        };
        let result = read(Pin::new(&mut body), limit).await;
        let result = result.map(|read| read.len());
        (result.map_err(|error| error.to_string()), body.left)
    }

    #[tokio::test]
    async fn body_is_read_up_to_the_limit_only() {
        assert_eq!(read_ten(0, 1_000).await, (Ok(1_000), 0));
        let too_large = |limit| Err(format!("the body is larger than {limit} bytes"));
        assert_eq!(read_ten(0, 250).await, (too_large(250), 7));
        // Nothing is read of a body that announces to be too large.
        assert_eq!(read_ten(1_000, 999).await, (too_large(999), 10));
        assert_eq!(read_ten(1_000, 1_000).await, (Ok(1_000), 0));
    }
}
