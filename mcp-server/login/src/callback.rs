//! The callback: the provider has redirected the browser back.

use http::StatusCode;
use mcp_types::peer_text::PeerText;

use crate::account;
use crate::approvals;
use crate::authorization_request::AuthorizationRequest;
use crate::clients::redirect_uri::destination;
use crate::clock::now;
use crate::code::Code;
use crate::consent;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::pages::local::local_page;
use crate::pending::{self, LoginPurpose, PendingLogin};
use crate::provider::tokens::ProviderTokens;
use crate::session::Session;
use crate::user::{USER_BYTES, User};
use crate::web::params::Params;
use crate::web::response::{self, Reply};

/// Responds to the redirect of the provider.
pub(crate) async fn respond(exchange: &Exchange<'_>) -> Result<Reply, Interruption> {
    let params = exchange.query()?;
    let (pending, slot) = pending::find(exchange, &params)?;
    let ended = finish(exchange, &params, &pending).await;
    Ok(over(exchange, ended, slot))
}

/// Removes a login from the browser, however it has ended.
fn over(exchange: &Exchange<'_>, ended: Result<Reply, Interruption>, slot: &str) -> Reply {
    let reply = ended.unwrap_or_else(|interruption| interruption.reply(exchange));
    response::with_cookie(reply, Some(exchange.login.cookies.clear(slot)))
}

async fn finish(
    exchange: &Exchange<'_>,
    params: &Params,
    pending: &PendingLogin,
) -> Result<Reply, Interruption> {
    let login = exchange.login;
    let purpose = &pending.purpose;
    if let Some(error) = params.get("error")? {
        tracing::info!(error = %PeerText(error), "the provider did not log a user in");
        return Err(match error {
            "access_denied" => purpose.ended("access_denied", "the user did not log in"),
            _ => purpose.ended("server_error", "the provider did not log the user in"),
        });
    }
    let missing = || purpose.ended("server_error", "the provider returned no code");
    let code = params.get("code")?.ok_or_else(missing)?;
    let net = login.net.as_ref().ok_or_else(Interruption::unknown_login)?;
    let (attempt, issuer) = (&pending.attempt, params.get("iss")?);
    let completed = login.provider.complete(net, attempt, code, issuer);
    let completed = net.in_time(completed).await;
    let (user, tokens) = completed.map_err(|error| purpose.failed(&error))?;
    logged_in(exchange, purpose, user, Some(tokens)).await
}

/// Refuses browsers on other machines: local users have no passwords, and a client can send any `Host`.
fn check_machine(exchange: &Exchange<'_>) -> Result<(), Interruption> {
    if exchange.address.is_none_or(|address| address.is_loopback()) {
        return Ok(());
    }
    let text = "These users are only for browsers on the machine of the server.";
    Err(Interruption::Page(
        StatusCode::FORBIDDEN,
        "You cannot log in here",
        text.into(),
    ))
}

/// Shows the page with the local users.
pub(crate) fn show_local(exchange: &Exchange<'_>) -> Result<Reply, Interruption> {
    check_machine(exchange)?;
    let (pending, _) = pending::find(exchange, &exchange.query()?)?;
    let page = local_page(exchange.login, &pending.attempt.state);
    Ok(response::page(StatusCode::OK, page))
}

/// Responds to the choice of a local user.
pub(crate) async fn choose_local(exchange: &Exchange<'_>) -> Result<Reply, Interruption> {
    check_machine(exchange)?;
    let params = exchange.form()?;
    let (pending, slot) = pending::find(exchange, &params)?;
    let id = params.get("user")?.unwrap_or_default();
    let mut users = exchange.login.provider.local_users().iter();
    let user = users.find(|user| user.id == id).cloned();
    let user = user.filter(|_| exchange.is_from_own_page());
    let mut user = user.ok_or_else(Interruption::unknown_login)?;
    user.provider.clone_from(&exchange.login.provider.key);
    let ended = logged_in(exchange, &pending.purpose, user, None).await;
    Ok(over(exchange, ended, slot))
}

/// Goes on with a user who has logged in.
async fn logged_in(
    exchange: &Exchange<'_>,
    purpose: &LoginPurpose,
    user: User,
    tokens: Option<ProviderTokens>,
) -> Result<Reply, Interruption> {
    let size = serde_json::to_string(&user).map_or(usize::MAX, |text| text.len());
    if size > USER_BYTES {
        let user = PeerText(&user.id);
        tracing::warn!(%user, size, "the provider says too much about a user");
        return Err(purpose.ended("server_error", "the account has too many attributes"));
    }
    match purpose {
        LoginPurpose::Sessions => account::enter(exchange, &user),
        LoginPurpose::Client {
            request,
            remember,
            approved_by,
        } => {
            let subject = user.subject();
            let approved = approved_by.as_ref();
            if approved.is_some_and(|by| *by != approvals::user_digest(&subject)) {
                // Somebody else has approved the client in this browser.
                return consent::show(exchange, request);
            }
            let cookie = remember
                .then(|| approvals::remember(exchange, request, &subject))
                .transpose()?;
            let reply = grant(exchange, purpose, request, user, tokens).await?;
            Ok(response::with_cookie(reply, cookie))
        }
    }
}

/// Issues a code, if the program allows the user in.
async fn grant(
    exchange: &Exchange<'_>,
    purpose: &LoginPurpose,
    request: &AuthorizationRequest,
    user: User,
    tokens: Option<ProviderTokens>,
) -> Result<Reply, Interruption> {
    let login = exchange.login;
    if !(login.allow)(&user) {
        let user = user.subject();
        tracing::info!(user = %PeerText(&user), "a user is not allowed in");
        return Err(purpose.ended("access_denied", "this account is not allowed"));
    }
    // Unknown scopes are ignored (RFC 6749, section 3.3): many clients always ask for those of OpenID.
    let mut scopes = login.user_scopes(&user);
    if !request.scopes.is_empty() {
        scopes.retain(|scope| request.scopes.contains(scope));
    }
    let began = now();
    let code = Code {
        session: Session {
            id: mcp_oauth::random().map_err(Fault::from)?,
            user,
            client: request.client.clone(),
            destination: destination(&request.back.uri),
            scopes,
            key_thumbprint: None,
            began,
            ends: began.saturating_add(login.session_time.as_secs()),
            generation: 1,
            renewed: began,
            provider: tokens,
        },
        redirect_uri: request.back.uri.clone(),
        challenge: request.challenge.clone(),
        key_thumbprint: request.key_thumbprint.clone(),
        is_used: false,
    };
    let code = code.issue(&exchange.vault).await?;
    let url = request.back.url(&login.urls.issuer, &[("code", &*code)]);
    Ok(exchange.leave(&url))
}
