//! The local endpoint for the host, and the options for the server.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_client::is_loopback_url;

use super::forward::Forward;
use super::listen;
use super::login::login;
use super::pool::Pool;
use crate::args::Options;
use crate::failure::Failure;
use crate::output::print_message;
use crate::recording::RecordingError;
use crate::recording::recorder::Recorder;

/// Forwards the requests of the host to `url`, until the future is dropped.
pub(crate) async fn record(
    url: &str,
    listen: SocketAddr,
    keeps_secrets: bool,
    options: &Options,
    recorder: Recorder,
) -> Result<(), Failure> {
    let url = parse(url)?;
    let added = added(&url, options)?;
    let login = login(&added, options)?;
    let forward = Arc::new(Forward {
        pool: Pool::new(&url, options)?,
        added,
        login,
        recorder,
        keeps_secrets,
        limit: options.max_message,
        exchanges: 0.into(),
        sessions: std::sync::Mutex::default(),
        url: url.clone(),
    });
    let path = url.path().to_owned();
    let handler = move |request| {
        let forward = Arc::clone(&forward);
        async move { forward.answer(request).await }
    };
    let (listener, address) = listen::bind(listen).await?;
    print_message(&format!("recording at http://{address}{path}"));
    listen::serve(listener, None, handler).await
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
    if let Some(name) = &options.common.account.token_env {
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
