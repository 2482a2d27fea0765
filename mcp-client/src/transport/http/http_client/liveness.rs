//! [`Monitored`]: connections that report when they are closed.
//!
//! `hyper` loses a request that is handed to a connection at the moment when the connection closes,
//! about once in a hundred thousand requests under load: the request stays in a channel
//! without a reader, and the call would wait until its timeout
//! ([hyperium/hyper#4122](https://github.com/hyperium/hyper/issues/4122)). So if a connection has
//! been closed for a while without a response, the request fails.

use std::future::pending;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Extensions, Uri};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{CaptureConnection, Connected, Connection};
use tokio::sync::watch;
use tokio::time::sleep;
use tower_service::Service;

/// The time in which a response may still arrive after its connection was closed.
const GRACE: Duration = Duration::from_secs(1);

/// Waits until the connection of a request has been closed for a while. The request may have moved
/// to another connection meanwhile.
pub(super) async fn closed(mut connection: CaptureConnection) {
    loop {
        let alive = {
            let connected = connection.wait_for_connection_metadata().await;
            connected.as_ref().and_then(alive_of)
        };
        let Some(mut alive) = alive else {
            // Without a connection, the request itself fails.
            return pending().await;
        };
        // No value is ever sent: this ends when the connection is closed.
        while alive.changed().await.is_ok() {}
        sleep(GRACE).await;
        let alive = connection.connection_metadata().as_ref().and_then(alive_of);
        if alive.is_some_and(|alive| alive.has_changed().is_err()) {
            return;
        }
    }
}

fn alive_of(connected: &Connected) -> Option<watch::Receiver<()>> {
    let mut extensions = Extensions::new();
    connected.get_extras(&mut extensions);
    extensions.remove::<Alive>().map(|alive| alive.0)
}

/// Closed when the connection ends.
#[derive(Clone)]
struct Alive(watch::Receiver<()>);

/// A connector, or a connection, that reports when it is closed.
#[derive(Clone, Debug)]
pub(in crate::transport::http) struct Monitored<T> {
    inner: T,
    alive: watch::Sender<()>,
    /// Whether a proxy reads the requests and sends them on, so that they name the whole URL.
    is_forwarded: bool,
}

impl<T> Monitored<T> {
    pub(in crate::transport::http) fn new(inner: T, is_forwarded: bool) -> Self {
        let alive = watch::Sender::new(());
        Self {
            inner,
            alive,
            is_forwarded,
        }
    }
}

impl<C> Service<Uri> for Monitored<C>
where
    C: Service<Uri>,
    C::Future: Send + 'static,
{
    type Response = Monitored<C::Response>;
    type Error = C::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, C::Error>> + Send>>;

    fn poll_ready(&mut self, task: &mut Context<'_>) -> Poll<Result<(), C::Error>> {
        self.inner.poll_ready(task)
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        let connecting = self.inner.call(url);
        let is_forwarded = self.is_forwarded;
        let monitored = move |inner| Monitored::new(inner, is_forwarded);
        Box::pin(async move { connecting.await.map(monitored) })
    }
}

impl<T: Connection> Connection for Monitored<T> {
    fn connected(&self) -> Connected {
        let connected = self.inner.connected().proxy(self.is_forwarded);
        connected.extra(Alive(self.alive.subscribe()))
    }
}

impl<T: Read + Unpin> Read for Monitored<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(task, buffer)
    }
}

impl<T: Write + Unpin> Write for Monitored<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(task, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(task, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(task)
    }
}
