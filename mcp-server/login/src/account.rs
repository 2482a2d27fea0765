//! The page where a user sees and ends the own sessions.

use std::time::Duration;

use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::clock::now;
use crate::endpoints;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::pages::sessions::sessions_page;
use crate::pending;
use crate::purpose::LoginPurpose;
use crate::secret::same;
use crate::session;
use crate::user::User;
use crate::web::cookies::CookieKind;
use crate::web::response::{self, Reply};

/// The time after a login in which the page can be used.
const TIME: Duration = Duration::from_secs(10 * 60);
const PURPOSE: &str = "account";

/// The user who looks at the page. Sealed in a cookie.
#[derive(Serialize, Deserialize)]
struct Account {
    subject: String,
    /// The name for the page.
    name: String,
    /// What the forms of the page have to contain.
    form: String,
    began: u64,
}

/// Returns the user of this browser who has logged in a short time ago.
fn current(exchange: &Exchange<'_>) -> Option<Account> {
    let sealed = exchange.cookie(CookieKind::Account)?;
    let account: Account = exchange.vault.unseal(PURPOSE, sealed)?;
    let is_late = now().saturating_sub(account.began) > TIME.as_secs();
    (!is_late).then_some(account)
}

/// Shows the page, after a login if there was none.
pub(crate) async fn show(exchange: &Exchange<'_>) -> Result<Reply, Interruption> {
    let Some(account) = current(exchange) else {
        return pending::begin(exchange, LoginPurpose::Sessions).await;
    };
    let sessions = session::of_user(&exchange.vault, &account.subject).await?;
    let page = sessions_page(exchange.login, &account.name, &account.form, &sessions);
    Ok(response::page(StatusCode::OK, page))
}

/// Continues with the page after a login.
pub(crate) fn enter(exchange: &Exchange<'_>, user: &User) -> Result<Reply, Interruption> {
    let account = Account {
        subject: user.subject(),
        name: user.shown().chars().take(100).collect(),
        form: mcp_oauth::random().map_err(Fault::from)?,
        began: now(),
    };
    let sealed = exchange.vault.seal(PURPOSE, &account)?;
    let cookies = &exchange.login.cookies;
    let cookie = cookies.set(CookieKind::Account, &sealed, Some(TIME));
    let reply = exchange.leave(&exchange.login.urls.at(endpoints::SESSIONS));
    Ok(response::with_cookie(reply, Some(cookie)))
}

/// Ends one session or all of them.
pub(crate) async fn change(exchange: &Exchange<'_>) -> Result<Reply, Interruption> {
    let params = exchange.form()?;
    let account = current(exchange).filter(|_| exchange.is_from_own_page());
    let account = account.ok_or_else(Interruption::unknown_login)?;
    if !params
        .get("form")?
        .is_some_and(|form| same(form, &account.form))
    {
        return Err(Interruption::unknown_login());
    }
    let vault = &exchange.vault;
    match params.get("end")? {
        Some("all") => {
            let ended = session::end_all(vault, &account.subject).await?;
            tracing::info!(ended, "a user has ended all sessions");
        }
        Some(id) => {
            // Only sessions of this user: the id may be that of another one.
            let sessions = session::of_user(vault, &account.subject).await?;
            if let Some(session) = sessions.iter().find(|session| session.id == id) {
                session::end(vault, &session.id).await?;
            }
        }
        None => {}
    }
    Ok(response::redirect(
        &exchange.login.urls.at(endpoints::SESSIONS),
    ))
}
