//! The page with the sessions of a user.

use maud::{Markup, html};

use super::{date, layout};
use crate::endpoints;
use crate::login::LoginServer;
use crate::session::Session;

/// Returns the page.
pub(crate) fn sessions_page(
    login: &LoginServer,
    user: &str,
    form: &str,
    sessions: &[Session],
) -> Markup {
    let action = login.urls.at(endpoints::SESSIONS);
    let content = html! {
        h1 { "Programs with access to " (login.name) }
        p { "You are " strong { (user) } "." }
        @if sessions.is_empty() {
            p { "No program has access in your name." }
        } @else {
            form method="post" action=(action) {
                input type="hidden" name="form" value=(form);
                ul {
                    @for session in sessions {
                        li {
                            p {
                                strong { (session.client.shown()) }
                                br;
                                span.quiet {
                                    (session.destination) ", since " (date(session.began))
                                    ", last refreshed " (date(session.renewed))
                                    ", until " (date(session.ends))
                                }
                            }
                            button type="submit" name="end" value=(session.id) { "End" }
                        }
                    }
                }
                div.actions {
                    button.main type="submit" name="end" value="all" { "End all" }
                }
            }
        }
        p.quiet { "Ending a session takes effect with the next request of the program. It then has to ask you \
             again." }
    };
    layout("Sessions", None, &content)
}
