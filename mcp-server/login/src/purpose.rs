//! [`LoginPurpose`]: what a login is for, which decides whether the client or the user gets an error.

use http::StatusCode;
use mcp_types::peer_text::Chain;
use serde::{Deserialize, Serialize};

use crate::authorization_request::AuthorizationRequest;
use crate::interruption::Interruption;
use crate::provider::error::ProviderError;

/// What a login is for.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum LoginPurpose {
    /// A client gets access.
    Client {
        request: Box<AuthorizationRequest>,
        /// Whether the user wants the approval to be remembered.
        remember: bool,
        /// The digest of the user who approved the client before, if nobody was asked now.
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
                Interruption::page(StatusCode::BAD_GATEWAY, "This did not work", text)
            }
        }
    }
}
