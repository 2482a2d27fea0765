//! [`HttpConnection`]: common interface of HTTP/1.1 and HTTP/2 connections.

use std::future::Future;
use std::pin::Pin;

use http_body::Body;
use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper::server::conn::{http1, http2};
use hyper::service::HttpService;

use crate::transport::http::stream_executor::StreamExecutor;

/// A connection that serves requests while it is polled.
pub(crate) trait HttpConnection: Future<Output = hyper::Result<()>> {
    /// Rejects further requests. The connection ends when all responses were sent.
    fn shut_down(self: Pin<&mut Self>);
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl<I, S, B> HttpConnection for http1::Connection<I, S>
where
    I: Read + Write + Unpin + 'static,
    S: HttpService<Incoming, ResBody = B>,
    S::Error: Into<BoxError>,
    B: Body + 'static,
    B::Error: Into<BoxError>,
{
    fn shut_down(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<I, S, B> HttpConnection for http2::Connection<I, S, StreamExecutor>
where
    I: Read + Write + Unpin + 'static,
    S: HttpService<Incoming, ResBody = B>,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    fn shut_down(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}
