//! An HTTPS host that is controlled by a test, with one request per connection, and timeouts.

use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_fetch::FetchPolicy;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::certificate::certified;
use crate::soon;

/// How a connection ends after a response.
enum End {
    /// With a TLS closure alert.
    Close,
    /// Without one, as if the network had failed.
    Cut,
    /// Not until the test ends.
    Hold,
}

/// A response, and how its connection ends.
#[must_use]
pub struct Reply {
    bytes: Vec<u8>,
    end: End,
}

impl Reply {
    /// A response with these headers, which must include the length, and this body.
    pub fn new(status: &str, headers: &[&str], body: &[u8]) -> Self {
        let mut bytes = format!("HTTP/1.1 {status}\r\n").into_bytes();
        for header in headers {
            bytes.extend_from_slice(header.as_bytes());
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body);
        let end = End::Close;
        Self { bytes, end }
    }

    /// No response at all.
    pub fn nothing() -> Self {
        let bytes = Vec::new();
        let end = End::Close;
        Self { bytes, end }
    }

    /// A valid response.
    pub fn ok(media_type: &str, body: &[u8]) -> Self {
        let length = format!("Content-Length: {}", body.len());
        let kind = format!("Content-Type: {media_type}");
        Self::new("200 OK", &[&kind, &length], body)
    }

    /// A response without a body.
    pub fn status(status: &str) -> Self {
        Self::new(status, &["Content-Length: 0"], b"")
    }

    /// A redirect.
    pub fn redirect(status: &str, to: &str) -> Self {
        let location = format!("Location: {to}");
        Self::new(status, &[&location, "Content-Length: 0"], b"")
    }

    /// Cuts the connection after the response.
    pub fn cut(mut self) -> Self {
        self.end = End::Cut;
        self
    }

    /// Keeps the connection open until the test ends.
    pub fn hold(mut self) -> Self {
        self.end = End::Hold;
        self
    }
}

/// The host.
pub struct Web {
    address: SocketAddr,
    certificate: String,
    replies: mpsc::UnboundedSender<Reply>,
    heads: mpsc::UnboundedReceiver<String>,
    connections: Arc<AtomicUsize>,
}

impl Web {
    /// Serves as every host that the [policy](Self::policy) of a test allows.
    pub async fn start() -> Self {
        let (config, certificate) =
            certified(&["files.example", "other.example", "127.0.0.1"], |_| {});
        let acceptor = TlsAcceptor::from(config);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let address = listener.local_addr().expect("an address");
        let (replies, script) = mpsc::unbounded_channel();
        let (asked, heads) = mpsc::unbounded_channel();
        let connections = Arc::new(AtomicUsize::new(0));
        tokio::spawn(serve(
            listener,
            acceptor,
            script,
            asked,
            Arc::clone(&connections),
        ));
        Self {
            address,
            certificate,
            replies,
            heads,
            connections,
        }
    }

    /// Sets the response to the next request that has none yet.
    pub fn answer(&self, reply: Reply) {
        self.replies.send(reply).expect("the host runs");
    }

    /// Returns the next request, head and body.
    pub async fn head(&mut self) -> String {
        soon(self.heads.recv()).await.expect("a request")
    }

    /// Returns the number of connections so far.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Returns its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns its certificate, in PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Returns a policy that resolves every name to this host and trusts its certificate.
    pub fn strict(&self) -> FetchPolicy {
        let address = self.address;
        FetchPolicy::new()
            .tls_roots(self.certificate.clone())
            .resolver(move |_, _| ready(Ok(vec![address])))
    }

    /// The same, and allows the address of this machine.
    pub fn policy(&self) -> FetchPolicy {
        self.strict().allow_private(true)
    }
}

async fn serve(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    mut script: mpsc::UnboundedReceiver<Reply>,
    asked: mpsc::UnboundedSender<String>,
    connections: Arc<AtomicUsize>,
) {
    let mut held = Vec::new();
    while let Ok((socket, _)) = listener.accept().await {
        connections.fetch_add(1, Ordering::SeqCst);
        // A client that does not trust the certificate closes the connection here.
        let Ok(mut stream) = acceptor.accept(socket).await else {
            continue;
        };
        let Some(request) = request(&mut stream).await else {
            continue;
        };
        // The receiver is dropped when the test ends.
        if asked.send(request).is_err() {
            return;
        }
        let Some(reply) = script.recv().await else {
            return;
        };
        // The client may have closed the connection.
        if stream.write_all(&reply.bytes).await.is_err() || stream.flush().await.is_err() {
            continue;
        }
        match reply.end {
            End::Close => drop(stream.shutdown().await),
            End::Cut => drop(stream),
            End::Hold => held.push(stream),
        }
    }
}

async fn request(stream: &mut TlsStream<TcpStream>) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let mut text = String::from_utf8(head).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(": "));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.map_or(Ok(0), |(_, length)| length.parse()).ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    text.push_str(std::str::from_utf8(&body).ok()?);
    Some(text)
}
