//! Which function responds to which request.

use http::Method;
use http::StatusCode;

use crate::account;
use crate::authorize;
use crate::callback;
use crate::clients::registration;
use crate::consent;
use crate::endpoints;
use crate::exchange::Exchange;
use crate::grants;
use crate::interruption::Interruption;
use crate::web::response::{self, Reply};

/// Responds to a request for one of the pages or endpoints.
pub(crate) async fn respond(exchange: &Exchange<'_>) -> Reply {
    let path = exchange.parts.uri.path();
    let is = |endpoint: &str| exchange.login.urls.path(endpoint) == path;
    let endpoints = [endpoints::TOKEN, endpoints::REVOKE, endpoints::REGISTER];
    match endpoints.into_iter().find(|endpoint| is(endpoint)) {
        Some(endpoint) => for_client(exchange, endpoint).await,
        None => match for_browser(exchange, is).await {
            Ok(reply) => reply,
            Err(interruption) => interruption.reply(exchange),
        },
    }
}

/// Responds at the endpoints that clients call themselves. Pages of all origins may call them: they look
/// at no cookies.
async fn for_client(exchange: &Exchange<'_>, endpoint: &str) -> Reply {
    match exchange.parts.method {
        Method::OPTIONS => response::preflight(),
        Method::POST if endpoint == endpoints::TOKEN => grants::respond(exchange).await,
        Method::POST if endpoint == endpoints::REVOKE => grants::revoke::respond(exchange).await,
        Method::POST => registration::respond(&exchange.vault, &exchange.body),
        _ => response::method_not_allowed("POST, OPTIONS"),
    }
}

/// Responds at the pages. `HEAD` is not among the methods: a program that looks at links would end the
/// login of a user at the callback.
async fn for_browser(
    exchange: &Exchange<'_>,
    is: impl Fn(&str) -> bool,
) -> Result<Reply, Interruption> {
    let (is_get, is_post) = match exchange.parts.method {
        Method::GET => (true, false),
        Method::POST => (false, true),
        _ => (false, false),
    };
    if is(endpoints::AUTHORIZE) {
        match is_get {
            true => authorize::respond(exchange).await,
            false => Ok(response::method_not_allowed("GET")),
        }
    } else if is(endpoints::CALLBACK) {
        match is_get {
            true => callback::respond(exchange).await,
            false => Ok(response::method_not_allowed("GET")),
        }
    } else if is(endpoints::CONSENT) {
        match is_post {
            true => consent::respond(exchange).await,
            false => Ok(response::method_not_allowed("POST")),
        }
    } else if is(endpoints::SESSIONS) {
        match (is_get, is_post) {
            (true, _) => account::show(exchange).await,
            (_, true) => account::change(exchange).await,
            _ => Ok(response::method_not_allowed("GET, POST")),
        }
    } else if is(endpoints::LOCAL) && exchange.login.net.is_none() {
        match (is_get, is_post) {
            (true, _) => callback::show_local(exchange),
            (_, true) => callback::choose_local(exchange).await,
            _ => Ok(response::method_not_allowed("GET, POST")),
        }
    } else {
        let text = "There is nothing here.";
        Err(Interruption::page(StatusCode::NOT_FOUND, "Not found", text))
    }
}
