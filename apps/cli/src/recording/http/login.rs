//! Sends requests with the token of a login, for a client that has none.

use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderMap};
use hyper::{Method, Response, StatusCode, Uri};
use mcp_client::{Authorize, AuthorizeRequest, AuthorizeResponse};
use mcp_client_oauth::OAuth;

use crate::args::Options;
use crate::authorization::oauth;
use crate::failure::Failure;
use crate::questions::ask::Answers;

/// How often a request is sent again after the server has rejected it.
const ATTEMPTS: u32 = 3;

/// Returns the login for a server, unless the options name a token.
pub(crate) fn login(added: &HeaderMap, options: &Options) -> Result<Option<OAuth>, Failure> {
    if added.contains_key(AUTHORIZATION) {
        return Ok(None);
    }
    oauth(options, Answers::new(options.common.timeout)).map(Some)
}

/// Sends a request, which `send` makes with further headers. Asks for a login as often as the
/// client does. If that fails, reports why and returns the answer of the server.
pub(crate) async fn send_with_token<Sent>(
    login: &OAuth,
    (url, method): (&Uri, &Method),
    send: impl Fn(HeaderMap) -> Sent,
    report: impl Fn(String),
) -> Result<Response<Incoming>, String>
where
    Sent: Future<Output = Result<Response<Incoming>, String>>,
{
    let mut attempt = AuthorizeRequest::new(url, method);
    loop {
        let headers = login.authorize(attempt).await;
        let headers = headers.map_err(|error| error.to_string())?;
        let response = send(headers.clone()).await?;
        let status = response.status();
        let answered = AuthorizeResponse::new(attempt, &headers, status, response.headers());
        login.received(answered);
        let is_rejected = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if !is_rejected || attempt.attempt == ATTEMPTS {
            return Ok(response);
        }
        match login.rejected(answered).await {
            Ok(true) => attempt.attempt += 1,
            Ok(false) => return Ok(response),
            Err(error) => {
                report(error.to_string());
                return Ok(response);
            }
        }
    }
}
