//! [`Interruption`]: why a login ends early, and whether the client or the user gets the error.

use std::borrow::Cow;

use http::StatusCode;
use mcp_types::peer_text::Chain;

use crate::authorization_request::ReturnPath;
use crate::clients::redirect_uri::{RedirectKind, check};
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::oauth_error::OAuthError;
use crate::pages;
use crate::web::params::ParamsError;
use crate::web::response::{self, Reply};

/// Why a login does not go on.
pub(crate) enum Interruption {
    /// An error page for the user, with its title and text, because no redirect URI was validated.
    Page(StatusCode, &'static str, Cow<'static, str>),
    /// A redirect to the client, with the error (RFC 6749, section 4.1.2.1).
    Client {
        back: ReturnPath,
        error: OAuthError,
        /// Whether the user has seen where the redirect leads.
        is_known: bool,
    },
}

impl Interruption {
    /// Ends a login with an error for a client after the user has seen where the redirect leads.
    pub(crate) fn client(back: &ReturnPath, code: &'static str, text: &'static str) -> Self {
        Self::Client {
            back: back.clone(),
            error: OAuthError::new(code, text),
            is_known: true,
        }
    }

    /// The login was not started in this browser, or too long ago, or has ended already.
    pub(crate) fn unknown_login() -> Self {
        let title = "This login cannot be continued";
        let text = "It was not started in this browser, took too long, or is over already. Go back to \
                    the program that sent you here, and start again.";
        Self::Page(StatusCode::BAD_REQUEST, title, text.into())
    }

    /// Creates the response.
    pub(crate) fn reply(self, exchange: &Exchange<'_>) -> Reply {
        let (back, error, is_known) = match self {
            Self::Page(status, title, text) => {
                return response::page(status, pages::message(title, &text));
            }
            Self::Client {
                back,
                error,
                is_known,
            } => (back, error, is_known),
        };
        let params = [
            ("error", error.code),
            ("error_description", &*error.description),
        ];
        let url = back.url(&exchange.login.urls.issuer, &params);
        if is_known || check(&back.uri) == Ok(RedirectKind::Loopback) {
            return exchange.leave(&url);
        }
        // Anybody can register a website or a link into a program, so the user is asked before the browser
        // goes there. Otherwise links to this server could lead anywhere (RFC 9700, section 4.11.2).
        let page = pages::way_back(&error.description, &back.uri, &url);
        response::page(StatusCode::BAD_REQUEST, page)
    }
}

/// What fails on the side of this server is logged.
impl From<Fault> for Interruption {
    fn from(fault: Fault) -> Self {
        tracing::error!(error = %Chain(&fault), "a login failed");
        let text = "The server has a problem. Try again later.";
        Self::Page(
            StatusCode::SERVICE_UNAVAILABLE,
            "This did not work",
            text.into(),
        )
    }
}

impl From<ParamsError> for Interruption {
    fn from(error: ParamsError) -> Self {
        let text = format!("The request is malformed: {error}.");
        Self::Page(StatusCode::BAD_REQUEST, "This did not work", text.into())
    }
}
