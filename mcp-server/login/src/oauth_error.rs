//! [`OAuthError`]: an error of the endpoints that clients call themselves (RFC 6749, section 5.2).

use std::borrow::Cow;

use http::StatusCode;
use http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use mcp_types::peer_text::Chain;
use serde_json::json;

use crate::fault::Fault;
use crate::web::params::ParamsError;
use crate::web::response::{self, Reply};

/// An error that a client reads. The description contains no secrets.
#[derive(Debug)]
pub(crate) struct OAuthError {
    status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) description: Cow<'static, str>,
}

impl OAuthError {
    /// Creates an error of the client.
    pub(crate) fn new(code: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            code,
            description: description.into(),
        }
    }

    pub(crate) fn invalid_request(description: impl Into<Cow<'static, str>>) -> Self {
        Self::new("invalid_request", description)
    }

    /// Creates the error for a client that is unknown, or has not proved who it is.
    pub(crate) fn invalid_client(description: &'static str) -> Self {
        Self {
            status: StatusCode::UNAUTHORIZED,
            ..Self::new("invalid_client", description)
        }
    }

    /// Creates the error for a code or a refresh token that is not valid.
    pub(crate) fn invalid_grant(description: &'static str) -> Self {
        Self::new("invalid_grant", description)
    }

    pub(crate) fn response(self) -> Reply {
        let body = json!({ "error": self.code, "error_description": self.description });
        let mut response = response::json(self.status, &body);
        let (name, value) = match self.status {
            StatusCode::UNAUTHORIZED => (WWW_AUTHENTICATE, "Basic realm=\"mcp\""),
            StatusCode::SERVICE_UNAVAILABLE => (RETRY_AFTER, "1"),
            _ => return response,
        };
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
        response
    }
}

/// What fails on the side of this server is logged.
impl From<Fault> for OAuthError {
    fn from(fault: Fault) -> Self {
        tracing::error!(error = %Chain(&fault), "a request of a client failed");
        let text = "the server has a problem: retry later";
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            ..Self::new("temporarily_unavailable", text)
        }
    }
}

impl From<ParamsError> for OAuthError {
    fn from(error: ParamsError) -> Self {
        Self::invalid_request(error.to_string())
    }
}
