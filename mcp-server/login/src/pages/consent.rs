//! The page on which a user decides about a client.

use maud::{Markup, html};

use super::layout;
use crate::authorization_request::AuthorizationRequest;
use crate::clients::redirect_uri::destination;
use crate::endpoints;
use crate::login::LoginServer;

/// Returns the page for a request. `sealed` is the request in the form.
pub(crate) fn consent_page(
    login: &LoginServer,
    request: &AuthorizationRequest,
    sealed: &str,
    can_be_remembered: bool,
) -> Markup {
    let client = &request.client;
    let title = format!("Allow access to {}?", login.name);
    let content = html! {
        h1 { (title) }
        p {
            "The program " strong { "“" (client.shown()) "”" }
            " wants to use " strong { (login.name) } " in your name. If you allow it, you log in with "
            (login.provider.name) "."
        }
        dl {
            div {
                dt { "Who it is" }
                dd {
                    @if let Some(publisher) = &client.publisher {
                        "It is described at " strong { (publisher) } "."
                    } @else {
                        "It chose its name itself."
                    }
                }
            }
            div {
                dt { "It gets access at" }
                dd {
                    strong { (destination(&request.back.uri)) }
                    br;
                    code { (request.back.uri) }
                }
            }
            @if !login.provider.client.scopes.is_empty() {
                div {
                    dt { (login.name) " asks " (login.provider.name) " for" }
                    dd { code { (login.provider.client.scopes.join(" ")) } }
                }
            }
            div {
                dt { "Permissions" }
                dd {
                    @if request.scopes.is_empty() {
                        "Everything that you may do"
                    } @else {
                        code { (request.scopes.join(" ")) }
                    }
                }
            }
        }
        @if request.is_identified() {
            p.warn { "Allow this only if you know this program, and have just started to connect it." }
        } @else {
            p.warn {
                "Allow this only if you have just started to connect a program on this device. Any program \
                 on it could have this name."
            }
        }
        form method="post" action=(login.urls.at(endpoints::CONSENT)) {
            input type="hidden" name="request" value=(sealed);
            @if can_be_remembered {
                label {
                    input type="checkbox" name="remember" value="yes";
                    span { "Do not ask me again in this browser for this program" }
                }
            }
            div.actions {
                button type="submit" name="decision" value="deny" { "Cancel" }
                button.main type="submit" name="decision" value="allow" { "Allow" }
            }
        }
    };
    layout(&title, None, &content)
}
