//! What happens if a provider fails: the cause is logged, and the client or the user is told.

use http::StatusCode;
use mcp_types::peer_text::Chain;

use crate::interruption::{ClientError, Interruption};
use crate::pending::LoginPurpose;
use crate::provider::error::ProviderError;

/// Ends a login because the provider failed.
pub(crate) fn provider_failed(purpose: &LoginPurpose, error: &ProviderError) -> Interruption {
    tracing::warn!(error = %Chain(error), "a login failed at the provider");
    end_login(purpose, "server_error", "the login at the provider failed")
}

/// Ends a login with an error for the client, or for the user if there is no client.
pub(crate) fn end_login(
    purpose: &LoginPurpose,
    code: &'static str,
    description: &'static str,
) -> Interruption {
    match purpose {
        LoginPurpose::Client { request, .. } => Interruption::Client(Box::new(ClientError {
            redirect_uri: request.redirect_uri.clone(),
            state: request.state.clone(),
            code,
            description: description.into(),
            is_known: true,
        })),
        LoginPurpose::Sessions => {
            let text = format!("You could not be logged in: {description}.");
            Interruption::page(StatusCode::BAD_GATEWAY, "This did not work", text)
        }
    }
}
