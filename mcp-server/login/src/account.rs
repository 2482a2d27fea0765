//! The page where a user sees and ends the own sessions.

use std::time::Duration;

use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::endpoints;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::pages::sessions::sessions_page;
use crate::pending::{self, LoginPurpose};
use crate::secret::same;
use crate::session;
use crate::user::User;
use crate::web::cookies::ACCOUNT;
use crate::web::response::{self, Reply};

/// The time after a login in which the page can be used.
const TIME: Duration = Duration::from_secs(10 * 60);

/// The user who looks at the page. Sealed in a cookie.
#[derive(Serialize, Deserialize)]
struct Account {
    subject: String,
    /// The name for the page.
    name: String,
    /// What the forms of the page have to contain.
    form: String,
}

/// Shows the page, after a login if there was none.
pub(crate) async fn show(exchange: &Exchange<'_>) -> Result<Reply, Interruption> {
    let Some(account) = exchange.open::<Account>(ACCOUNT) else {
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
    };
    let cookie = exchange.seal(ACCOUNT, &account, TIME)?;
    let reply = exchange.leave(&exchange.login.urls.at(endpoints::SESSIONS));
    Ok(response::with_cookie(reply, Some(cookie)))
}

/// Ends one session or all of them.
pub(crate) async fn change(exchange: &Exchange<'_>) -> Result<Reply, Interruption> {
    let params = exchange.form()?;
    let form = params.get("form")?.unwrap_or_default();
    let account: Option<Account> = exchange.open(ACCOUNT);
    let is_own = |account: &Account| exchange.is_from_own_page() && same(form, &account.form);
    let account = account.filter(is_own);
    let account = account.ok_or_else(Interruption::unknown_login)?;
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
