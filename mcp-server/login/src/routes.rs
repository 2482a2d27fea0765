//! Which function responds to which request.

use http::Method;

use crate::account;
use crate::authorize;
use crate::callback;
use crate::clients::registration;
use crate::consent;
use crate::endpoints::{
    self, AUTHORIZE, CALLBACK, CONSENT, LOCAL, REGISTER, REVOKE, SESSIONS, TOKEN,
};
use crate::exchange::Exchange;
use crate::grants;
use crate::oauth_error::OAuthError;
use crate::web::response::{self, Reply};

/// Responds to a request for one of the pages or endpoints.
///
/// Pages of all origins may call the endpoints for clients, which look at no cookies.
pub(crate) async fn respond(exchange: &Exchange<'_>) -> Reply {
    let parts = exchange.parts;
    let path = parts.uri.path();
    let mut all = endpoints::ALL.into_iter();
    let found = all.find(|(endpoint, ..)| exchange.login.urls.path(endpoint) == path);
    let (endpoint, _, allowed) = found.unwrap_or_default();
    let client = |reply: Result<Reply, OAuthError>| Ok(reply.unwrap_or_else(OAuthError::response));
    let reply = match (endpoint, &parts.method) {
        (AUTHORIZE, &Method::GET) => authorize::respond(exchange).await,
        (CONSENT, &Method::POST) => consent::respond(exchange).await,
        (CALLBACK, &Method::GET) => callback::respond(exchange).await,
        (LOCAL, &Method::GET) => callback::show_local(exchange),
        (LOCAL, &Method::POST) => callback::choose_local(exchange).await,
        (SESSIONS, &Method::GET) => account::show(exchange).await,
        (SESSIONS, &Method::POST) => account::change(exchange).await,
        (TOKEN, &Method::POST) => client(grants::respond(exchange).await),
        (REVOKE, &Method::POST) => client(grants::revoke::respond(exchange).await),
        (REGISTER, &Method::POST) => client(registration::respond(&exchange.vault, &exchange.body)),
        (TOKEN | REVOKE | REGISTER, &Method::OPTIONS) => Ok(response::preflight()),
        _ => Ok(response::method_not_allowed(allowed)),
    };
    reply.unwrap_or_else(|interruption| interruption.reply(exchange))
}
