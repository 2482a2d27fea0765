//! [`Route`]: connects to a server directly, or through a proxy.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use crate::util::proxy::ProxyHop;

#[derive(Clone)]
pub(in crate::transport::http) struct Route {
    pub(in crate::transport::http) connector: HttpConnector,
    pub(in crate::transport::http) proxy: Option<ProxyHop>,
}

impl Service<Uri> for Route {
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
