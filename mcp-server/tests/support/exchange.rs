//! An HTTP client based on hyper, with a connection for each request.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::soon;

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) async fn read(response: Response<Incoming>) -> Self {
        let (parts, mut body) = response.into_parts();
        let mut bytes = Vec::new();
        while let Some(data) = next_data(&mut body).await {
            bytes.extend_from_slice(&data);
        }
        Self {
            status: parts.status,
            headers: parts.headers,
            body: bytes,
        }
    }

    /// Returns a header, or an empty text.
    pub(crate) fn get(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("ASCII"))
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }
}

/// Receives the next bytes of a body. Returns `None` at the end.
pub(crate) async fn next_data(body: &mut Incoming) -> Option<Bytes> {
    loop {
        let frame = soon(poll_fn(|task| pin!(&mut *body).poll_frame(task))).await;
        if let Ok(data) = frame?.expect("a whole body").into_data() {
            return Some(data);
        }
    }
}

/// Sends one request over a stream.
pub(crate) async fn over<S>(stream: S, request: Request<String>) -> Reply
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = soon(handshake(TokioIo::new(stream))).await.expect("HTTP");
    let connection = tokio::spawn(connection);
    let response = soon(sender.send_request(request)).await;
    let reply = Reply::read(response.expect("a response")).await;
    connection.abort();
    reply
}

/// Sends one request. Its `Host` is `files.example.com` if the headers lack one.
pub(crate) async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: String,
) -> Reply {
    let mut request = Request::builder().method(method).uri(path);
    // The host that proxies see. It is not checked for URLs: the URL itself grants access.
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request = request.header("Host", "files.example.com");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body).expect("a request");
    let stream = soon(TcpStream::connect(address)).await.expect("connected");
    over(stream, request).await
}

pub(crate) async fn get(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Reply {
    send(address, "GET", path, headers, String::new()).await
}

pub(crate) async fn head(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Reply {
    send(address, "HEAD", path, headers, String::new()).await
}
