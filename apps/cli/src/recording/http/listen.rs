//! A server for HTTP on this machine.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body::Body;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::failure::Failure;
use crate::output;

/// The number of connections.
const CONNECTIONS: usize = 256;

/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(30);

/// Binds a socket of this machine, and returns its address.
pub(crate) async fn bind(listen: SocketAddr) -> Result<(TcpListener, SocketAddr), Failure> {
    if !listen.ip().is_loopback() {
        let message = "`--listen` expects an address of this machine only, such as 127.0.0.1:8000";
        return Err(Failure::Usage(message.to_owned()));
    }
    let failed = |source| Failure::Listen {
        address: listen,
        source,
    };
    let listener = TcpListener::bind(listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// Answers requests until the future is dropped, over TLS if there is an acceptor.
pub(crate) async fn serve<H, F, B>(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    handler: H,
) -> Result<(), Failure>
where
    H: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Result<Response<B>, Infallible>> + Send,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        // Never closed.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return Ok(());
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Such as too many open files. It may be over later.
                output::print_error(&format!("a connection was not accepted: {error}"));
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        // Without it, small messages would wait for each other.
        let _ = stream.set_nodelay(true);
        while connections.try_join_next().is_some() {}
        let (handler, tls) = (handler.clone(), tls.clone());
        connections.spawn(async move {
            match tls {
                None => answer(stream, handler).await,
                // A client that does not trust the certificate closes the connection here.
                Some(tls) => {
                    if let Ok(Ok(stream)) = timeout(HEAD, tls.accept(stream)).await {
                        answer(stream, handler).await;
                    }
                }
            }
            drop(place);
        });
    }
}

/// Answers the requests of a connection.
async fn answer<S, H, F, B>(stream: S, handler: H)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: Fn(Request<Incoming>) -> F + Send + 'static,
    F: Future<Output = Result<Response<B>, Infallible>> + Send,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), service_fn(handler));
    // The client has gone, which needs no report.
    let _ = connection.await;
}
