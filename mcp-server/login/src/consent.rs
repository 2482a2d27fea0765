//! Consent: the user decides about each client, before anything else happens.
//!
//! The provider knows only one client, this server, and may let a user who is logged in pass without a
//! question. So without consent here, anybody could register a client, send a user a link, and get a
//! code of this user (the confused deputy of the page "Security best practices").
//!
//! The page comes before the user is sent to the provider, and the cookie with the login is set only
//! after it. An attacker who opens a link of an own login in the browser of a user therefore has nothing
//! that the callback accepts, and one who starts a login and lets the user finish it (login CSRF) fails,
//! because the cookie is in another browser. That the page comes first has a price: it does not know the
//! user. A remembered approval is therefore compared with the user after the login, and the page is shown
//! again if somebody else has logged in.

use http::StatusCode;

use crate::approvals;
use crate::authorization_request::AuthorizationRequest;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::pages::consent::consent_page;
use crate::pending::{self, LOGIN_TIME, LoginPurpose};
use crate::web::cookies::BROWSER;
use crate::web::response::{self, Reply};

/// The length of the value that identifies a browser, in bytes.
const BROWSER_BYTES: usize = 43;

/// Returns the purpose for which the request in the form of the page is sealed. It is accepted only from the
/// browser that got the page.
fn purpose(browser: &str) -> String {
    format!("consent:{}", mcp_oauth::sha256(browser.as_bytes()))
}

/// Returns the value that identifies the browser, and the cookie to set if it is new.
fn browser(exchange: &Exchange<'_>) -> Result<(String, Option<String>), Fault> {
    let known = exchange.cookie(BROWSER);
    if let Some(known) = known.filter(|known| known.len() == BROWSER_BYTES) {
        return Ok((known.to_owned(), None));
    }
    let new = mcp_oauth::random()?;
    let cookie = exchange.login.cookies.set(BROWSER, &new, None);
    Ok((new, Some(cookie)))
}

/// Shows the page for a request.
pub(crate) fn show(
    exchange: &Exchange<'_>,
    request: &AuthorizationRequest,
) -> Result<Reply, Interruption> {
    let (browser, cookie) = browser(exchange)?;
    let vault = &exchange.vault;
    let sealed = vault.seal_for(LOGIN_TIME, &purpose(&browser), request)?;
    let can_be_remembered = approvals::can_be_remembered(exchange.login, request);
    let page = consent_page(exchange.login, request, &sealed, can_be_remembered);
    let reply = response::page(StatusCode::OK, page);
    Ok(response::with_cookie(reply, cookie))
}

/// Responds to the form of the page.
pub(crate) async fn respond(exchange: &Exchange<'_>) -> Result<Reply, Interruption> {
    let params = exchange.form()?;
    let form = params.get("request")?;
    let form = form.filter(|_| exchange.is_from_own_page());
    let browser = purpose(exchange.cookie(BROWSER).unwrap_or_default());
    let request = form.and_then(|form| exchange.vault.unseal_in_time(&browser, form));
    let request: AuthorizationRequest = request.ok_or_else(Interruption::unknown_login)?;
    if params.get("decision")? != Some("allow") {
        let text = "the user does not allow it";
        return Err(Interruption::client(&request.back, "access_denied", text));
    }
    let remember =
        params.get("remember")?.is_some() && approvals::can_be_remembered(exchange.login, &request);
    let purpose = LoginPurpose::Client {
        request: Box::new(request),
        remember,
        approved_by: None,
    };
    pending::begin(exchange, purpose).await
}
