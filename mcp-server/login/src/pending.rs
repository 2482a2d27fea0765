//! [`PendingLogin`]: a login that waits for the user, at the provider.
//!
//! It is in a sealed cookie of the browser and not in the store, so that nothing grows before somebody
//! has logged in. The cookie is removed when the provider redirects the browser back.

use std::time::Duration;

use http::StatusCode;
use mcp_oauth::Secret;
use mcp_types::peer_text::Chain;
use serde::{Deserialize, Serialize};

use crate::authorization_request::AuthorizationRequest;
use crate::clock::now;
use crate::endpoints;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::provider::LoginAttempt;
use crate::provider::error::ProviderError;
use crate::secret::same;
use crate::web::cookies::LOGINS;
use crate::web::params::{Params, with_query};
use crate::web::response::{self, Reply};

/// The time that a user has for each step of a login.
pub(crate) const LOGIN_TIME: Duration = Duration::from_secs(10 * 60);

/// What a login is for.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum LoginPurpose {
    /// A client gets access.
    Client {
        request: Box<AuthorizationRequest>,
        /// Whether the user wants the approval to be remembered.
        remember: bool,
        /// The digest of the user who approved the client before. `None` if the page with the question was
        /// shown now.
        approved_by: Option<String>,
    },
    /// The user looks at the list of sessions.
    Sessions,
}

impl LoginPurpose {
    /// Ends a login because of the provider. The log has the reason.
    pub(crate) fn failed(&self, error: &ProviderError) -> Interruption {
        tracing::warn!(error = %Chain(error), "a login failed at the provider");
        self.ended("server_error", "the login at the provider failed")
    }

    /// Ends a login with an error for the client, or for the user if no client is involved.
    pub(crate) fn ended(&self, code: &'static str, description: &'static str) -> Interruption {
        match self {
            Self::Client { request, .. } => Interruption::client(&request.back, code, description),
            Self::Sessions => {
                let text = format!("You could not be logged in: {description}.");
                Interruption::Page(StatusCode::BAD_GATEWAY, "This did not work", text.into())
            }
        }
    }
}

/// A login that waits for the user.
#[derive(Serialize, Deserialize)]
pub(crate) struct PendingLogin {
    pub(crate) purpose: LoginPurpose,
    /// The provider to which the browser was sent. The login cannot go on at another one.
    provider: String,
    pub(crate) attempt: LoginAttempt,
    began: u64,
}

/// Sends the browser to the provider, and sets the cookie with the login.
pub(crate) async fn begin(
    exchange: &Exchange<'_>,
    purpose: LoginPurpose,
) -> Result<Reply, Interruption> {
    let login = exchange.login;
    // The slot without a login, or else the one with the older login.
    let began = |slot: &&str| open(exchange, slot).map_or(0, |pending| pending.began);
    let slot = LOGINS.into_iter().min_by_key(began).unwrap_or_default();
    let random = || mcp_oauth::random().map_err(Fault::from);
    let attempt = LoginAttempt {
        state: format!("{slot}.{}", random()?),
        nonce: Secret::new(random()?),
        verifier: Secret::new(random()?),
    };
    let url = if let Some(net) = &login.net {
        let url = login.provider.authorization_url(net, &attempt);
        let url = net.in_time(url).await;
        url.map_err(|error| purpose.failed(&error))?
    } else {
        with_query(
            &login.urls.at(endpoints::LOCAL),
            [("state", &*attempt.state)],
        )
    };
    let pending = PendingLogin {
        purpose,
        provider: login.provider.key.clone(),
        attempt,
        began: now(),
    };
    let cookie = exchange.seal(slot, &pending, LOGIN_TIME)?;
    Ok(response::with_cookie(exchange.leave(&url), Some(cookie)))
}

/// Returns the login in a slot.
fn open(exchange: &Exchange<'_>, slot: &str) -> Option<PendingLogin> {
    let pending: PendingLogin = exchange.open(slot)?;
    (pending.provider == exchange.login.provider.key).then_some(pending)
}

/// Returns the login of this browser to which the parameter `state` belongs, and its slot. Fails if
/// this browser has not started it.
pub(crate) fn find(
    exchange: &Exchange<'_>,
    params: &Params,
) -> Result<(PendingLogin, &'static str), Interruption> {
    let state = params.get("state")?.unwrap_or_default();
    let name = state.split('.').next();
    let slot = LOGINS.into_iter().find(|slot| name == Some(slot));
    let found = slot.and_then(|slot| Some((open(exchange, slot)?, slot)));
    let found = found.filter(|(pending, _)| same(&pending.attempt.state, state));
    found.ok_or_else(Interruption::unknown_login)
}
