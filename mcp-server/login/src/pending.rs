//! [`PendingLogin`]: a login that waits for the user, at the provider.
//!
//! It is in a sealed cookie of the browser and not in the store, so that nothing grows before somebody
//! has logged in. The cookie is removed when the provider redirects the browser back.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::now;
use crate::endpoints;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::provider::LoginAttempt;
use crate::purpose::LoginPurpose;
use crate::secret::{Secret, same};
use crate::web::cookies::{CookieKind, LoginSlot, VALUE_BYTES};
use crate::web::params::with_query;
use crate::web::response::{self, Reply};

/// The time that a user has for each step of a login.
pub(crate) const LOGIN_TIME: Duration = Duration::from_secs(10 * 60);
const PURPOSE: &str = "login";

/// A login that waits for the user.
#[derive(Serialize, Deserialize)]
pub(crate) struct PendingLogin {
    pub(crate) purpose: LoginPurpose,
    /// The provider to which the browser was sent. The login cannot go on at another one.
    provider: String,
    /// The random part of `state`.
    state: String,
    pub(crate) nonce: Secret,
    pub(crate) verifier: Secret,
    began: u64,
}

/// Sends the browser to the provider, and sets the cookie with the login.
pub(crate) async fn begin(
    exchange: &Exchange<'_>,
    purpose: LoginPurpose,
) -> Result<Reply, Interruption> {
    let login = exchange.login;
    let slot = free_slot(exchange);
    let random = || mcp_oauth::random().map_err(Fault::from);
    let (state, nonce, verifier) = (random()?, Secret::new(random()?), Secret::new(random()?));
    let full_state = format!("{}.{state}", slot.name());
    let attempt = LoginAttempt {
        callback: login.urls.callback(),
        state: &full_state,
        nonce: nonce.expose(),
        verifier: verifier.expose(),
    };
    let url = match login.provider_url(&attempt).await {
        Ok(Some(url)) => url,
        Ok(None) => with_query(&login.urls.at(endpoints::LOCAL), [("state", &*full_state)]),
        Err(error) => return Err(purpose.failed(&error)),
    };
    let pending = PendingLogin {
        purpose,
        provider: login.provider.key.clone(),
        state,
        nonce,
        verifier,
        began: now(),
    };
    let sealed = exchange.vault.seal(PURPOSE, &pending)?;
    if sealed.len() > VALUE_BYTES {
        // The size of a request was checked, so that this does not happen.
        return Err(Interruption::unknown_login());
    }
    let kind = CookieKind::Login(slot);
    let cookie = login.cookies.set(kind, &sealed, Some(LOGIN_TIME));
    Ok(response::with_cookie(exchange.leave(&url), Some(cookie)))
}

/// Returns the slot without a login, or else the one with the older login.
fn free_slot(exchange: &Exchange<'_>) -> LoginSlot {
    let began = |slot: LoginSlot| open(exchange, slot).map_or(0, |pending| pending.began);
    let [first, second] = LoginSlot::ALL;
    if began(first) <= began(second) {
        first
    } else {
        second
    }
}

/// Returns the login in a slot.
fn open(exchange: &Exchange<'_>, slot: LoginSlot) -> Option<PendingLogin> {
    let sealed = exchange.cookie(CookieKind::Login(slot))?;
    let pending: PendingLogin = exchange.vault.unseal(PURPOSE, sealed)?;
    let is_late = now().saturating_sub(pending.began) > LOGIN_TIME.as_secs();
    (!is_late && pending.provider == exchange.login.provider.key).then_some(pending)
}

/// Returns the login of this browser to which `state` belongs, and its slot. `None` if another browser
/// has started it, or nobody.
pub(crate) fn find(exchange: &Exchange<'_>, state: &str) -> Option<(PendingLogin, LoginSlot)> {
    let (name, random) = state.split_once('.')?;
    let mut slots = LoginSlot::ALL.into_iter();
    let slot = slots.find(|slot| slot.name() == name)?;
    let pending = open(exchange, slot)?;
    same(&pending.state, random).then_some((pending, slot))
}
