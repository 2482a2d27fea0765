//! [`Interruption`]: why a login ends early, and whether the client or the user gets the error.

use std::borrow::Cow;

use http::StatusCode;
use mcp_types::peer_text::Chain;

use crate::clients::redirect_uri::{RedirectKind, check};
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::pages;
use crate::web::params::{ParamsError, with_query};
use crate::web::response::{self, Reply};

/// Why a login does not go on.
pub(crate) enum Interruption {
    /// An error page for the user, because no redirect URI was validated.
    Page {
        status: StatusCode,
        title: &'static str,
        text: Cow<'static, str>,
    },
    /// A redirect to the client, with the error.
    Client(Box<ClientError>),
    /// Something failed on the side of this server.
    Fault(Fault),
}

/// An error for a client (RFC 6749, section 4.1.2.1). The redirect URI was validated.
pub(crate) struct ClientError {
    pub(crate) redirect_uri: String,
    pub(crate) state: Option<String>,
    pub(crate) code: &'static str,
    pub(crate) description: Cow<'static, str>,
    /// Whether the user has seen where the redirect leads.
    pub(crate) is_known: bool,
}

impl Interruption {
    pub(crate) fn page(
        status: StatusCode,
        title: &'static str,
        text: impl Into<Cow<'static, str>>,
    ) -> Self {
        let text = text.into();
        Self::Page {
            status,
            title,
            text,
        }
    }

    /// The login was not started in this browser, or too long ago, or has ended already.
    pub(crate) fn unknown_login() -> Self {
        let text = "It was not started in this browser, took too long, or is over already. Go back to \
                    the program that sent you here, and start again.";
        Self::page(
            StatusCode::BAD_REQUEST,
            "This login cannot be continued",
            text,
        )
    }

    /// Creates the response.
    pub(crate) fn reply(self, exchange: &Exchange<'_>) -> Reply {
        match self {
            Self::Page {
                status,
                title,
                text,
            } => response::page(status, pages::message(title, &text)),
            Self::Client(error) => {
                let state = error.state.as_deref().map(|state| ("state", state));
                let params = [
                    ("error", error.code),
                    ("error_description", &*error.description),
                ];
                let issuer = ("iss", exchange.login.urls.issuer());
                let params = params.into_iter().chain(state).chain([issuer]);
                let url = with_query(&error.redirect_uri, params);
                let kind = check(&error.redirect_uri);
                let is_loopback =
                    matches!(kind, Ok(RedirectKind::Loopback | RedirectKind::Localhost));
                if error.is_known || is_loopback {
                    return exchange.leave(&url);
                }
                // Anybody can register a website or a link into a program. Nobody is sent there without
                // a question, or links to this server could lead to anywhere (RFC 9700, section 4.11.2).
                let page = pages::way_back(&error.description, &error.redirect_uri, &url);
                response::page(StatusCode::BAD_REQUEST, page)
            }
            Self::Fault(fault) => {
                tracing::error!(error = %Chain(&fault), "a login failed");
                let text = "The server has a problem. Try again later.";
                let page = pages::message("This did not work", text);
                response::page(StatusCode::SERVICE_UNAVAILABLE, page)
            }
        }
    }
}

impl From<Fault> for Interruption {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<ParamsError> for Interruption {
    fn from(error: ParamsError) -> Self {
        let text = format!("The request is malformed: {error}.");
        Self::page(StatusCode::BAD_REQUEST, "This did not work", text)
    }
}
