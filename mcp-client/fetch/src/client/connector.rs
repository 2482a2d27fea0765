//! [`ProxyConnector`]: connects to a server directly, or through a proxy.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use super::error::deepest;

/// Connects to a server directly, or through a [`Proxy`](super::Proxy): a connector for the clients
/// of `hyper-util`. It is only for URLs of the origin for which it was created. TLS is a matter of what
/// wraps it.
#[derive(Clone)]
pub struct ProxyConnector {
    connector: HttpConnector,
    proxy: Option<ProxyHop>,
}

impl ProxyConnector {
    pub(super) fn new(connector: HttpConnector, proxy: Option<ProxyHop>) -> Self {
        Self { connector, proxy }
    }

    /// Returns `true` if connections lead to a proxy. For a URL with `http`, the proxy then reads
    /// the requests, which must contain the whole URL.
    #[must_use]
    pub fn is_proxied(&self) -> bool {
        self.proxy.is_some()
    }

    /// Returns the header `Proxy-Authorization` for requests that the proxy reads.
    #[must_use]
    pub fn proxy_authorization(&self) -> Option<&HeaderValue> {
        self.proxy.as_ref()?.auth.as_ref()
    }
}

impl Service<Uri> for ProxyConnector {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<TcpStream>>> + Send>>;

    fn poll_ready(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connector.poll_ready(task).map_err(io::Error::other)
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        if let Some(proxy) = &self.proxy {
            return Box::pin(proxy.clone().connect(self.connector.clone(), url));
        }
        let connecting = self.connector.call(url);
        Box::pin(async { connecting.await.map_err(io::Error::other) })
    }
}

/// A proxy that is used.
#[derive(Clone)]
pub(super) struct ProxyHop {
    pub(super) url: Uri,
    /// The header `Proxy-Authorization`.
    pub(super) auth: Option<HeaderValue>,
}

impl ProxyHop {
    /// Connects to the host of an `https` URL through the proxy, or to the proxy itself for other
    /// URLs.
    pub(super) async fn connect(
        self,
        mut connector: HttpConnector,
        to: Uri,
    ) -> io::Result<TokioIo<TcpStream>> {
        let connected = if to.scheme_str() == Some("https") {
            let mut tunnel = Tunnel::new(self.url.clone(), connector);
            if let Some(auth) = self.auth {
                tunnel = tunnel.with_auth(auth);
            }
            tunnel
                .call(to)
                .await
                .map_err(|error| deepest(&error).to_string())
        } else {
            let connecting = connector.call(self.url.clone());
            connecting
                .await
                .map_err(|error| deepest(&error).to_string())
        };
        connected.map_err(|fault| {
            let host = self.url.host().unwrap_or_default();
            let port = self.url.port_u16().map(|port| format!(":{port}"));
            let proxy = format!("{host}{}", port.unwrap_or_default());
            io::Error::other(format!("the proxy {proxy} failed: {fault}"))
        })
    }
}
