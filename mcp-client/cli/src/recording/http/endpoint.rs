//! The local endpoint for the host.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use mcp_client::is_loopback_url;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::forward::Forward;
use super::pool::Pool;
use crate::args::Options;
use crate::failure::Failure;
use crate::output;
use crate::recording::RecordingError;
use crate::recording::recorder::Recorder;

/// The number of connections of the host.
const CONNECTIONS: usize = 256;

/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(30);

/// Forwards the requests of the host to `url`, until the future is dropped.
pub(crate) async fn record(
    url: &str,
    listen: SocketAddr,
    keeps_secrets: bool,
    options: &Options,
    recorder: Recorder,
) -> Result<(), Failure> {
    let url = parse(url)?;
    let forward = Arc::new(Forward {
        pool: Pool::new(&url, options)?,
        added: added(&url, options)?,
        recorder,
        keeps_secrets,
        limit: options.max_message,
        exchanges: 0.into(),
        sessions: std::sync::Mutex::default(),
        url: url.clone(),
    });
    if !listen.ip().is_loopback() {
        let message = "`--listen` expects a loopback address, such as 127.0.0.1:8000: the endpoint \
                       has the rights of the headers that it adds";
        return Err(Failure::Usage(message.to_owned()));
    }
    let failed = |source| RecordingError::Listen {
        address: listen,
        source,
    };
    let listener = TcpListener::bind(listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    output::print_message(&format!("recording at http://{address}{}", url.path()));
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
        let forward = Arc::clone(&forward);
        while connections.try_join_next().is_some() {}
        connections.spawn(async move {
            let service = service_fn(|request| forward.answer(request));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .serve_connection(TokioIo::new(stream), service);
            // The host has gone, which needs no report.
            let _ = connection.await;
            drop(place);
        });
    }
}

/// Parses the URL of a server.
pub(crate) fn parse(url: &str) -> Result<Uri, RecordingError> {
    let url: Uri = url
        .parse()
        .map_err(|_| RecordingError::Url("it cannot be parsed"))?;
    if !matches!(url.scheme_str(), Some("http" | "https")) {
        return Err(RecordingError::Url("expected `http://` or `https://`"));
    }
    let authority = url.authority().map_or("", |authority| authority.as_str());
    if authority.is_empty() || authority.contains('@') {
        let reason = "expected a host, without a user name and password: use `--header`";
        return Err(RecordingError::Url(reason));
    }
    Ok(url)
}

/// Returns the headers of `--header` and `--token-env`.
pub(crate) fn added(url: &Uri, options: &Options) -> Result<HeaderMap, Failure> {
    let mut added = HeaderMap::new();
    let mut headers = options.header.clone();
    if let Some(name) = &options.account.token_env {
        if url.scheme_str() == Some("http") && !is_loopback_url(&url.to_string()) {
            let message =
                "the token of `--token-env` is not sent over plain `http` to another machine";
            return Err(Failure::Usage(message.to_owned()));
        }
        let token = crate::authorization::variable(name)?;
        headers.push((
            "authorization".to_owned(),
            format!("Bearer {}", token.expose()),
        ));
    }
    for (name, value) in headers {
        let invalid = || Failure::Usage(format!("the header `{name}` is invalid"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        let mut value = HeaderValue::from_str(&value).map_err(|_| invalid())?;
        value.set_sensitive(true);
        added.insert(key, value);
    }
    Ok(added)
}
