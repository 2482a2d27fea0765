//! The page with the local users.

use maud::{Markup, html};

use super::layout;
use crate::endpoints;
use crate::login::LoginServer;

/// Returns the page for a login.
pub(crate) fn local_page(login: &LoginServer, state: &str) -> Markup {
    let content = html! {
        h1 { "Log in to " (login.name) }
        p.warn { "These users have no passwords. They are for development." }
        form method="post" action=(login.urls.at(endpoints::LOCAL)) {
            input type="hidden" name="state" value=(state);
            div.actions {
                @for user in login.provider.local_users() {
                    button type="submit" name="user" value=(user.id) { (user.shown()) }
                }
            }
        }
    };
    layout("Log in", None, &content)
}
