//! [`login_hint`]: the options that may help after a failed authorization.

use mcp_client::oauth::{OAuthError, OAuthFault};
use mcp_client::{CallError, ConnectError, FetchError, HttpError, TransportError};

use crate::failure::Failure;

/// Returns what the user can try.
pub(crate) fn login_hint(failure: &Failure) -> Option<&'static str> {
    let error = match failure {
        Failure::Authorization(error) => return of_oauth(error),
        Failure::Connect(ConnectError::Call(error)) | Failure::Call(error) => error,
        _ => return None,
    };
    let CallError::Lost { source, .. } = error else {
        return None;
    };
    match source.as_ref() {
        TransportError::Http(HttpError::Unauthorized { .. }) => {
            Some("the server may reject the value of `--header` or `--token-env`")
        }
        TransportError::Http(HttpError::Authorize(error)) => of_oauth(error.downcast_ref()?),
        _ => None,
    }
}

fn of_oauth(error: &OAuthError) -> Option<&'static str> {
    Some(match &error.fault {
        OAuthFault::NotFound(_) => {
            "if the server expects a key or a token, pass it with `--header 'NAME: VALUE'` or \
             `--token-env NAME`; if it supports OAuth without metadata, add `--legacy-oauth`"
        }
        OAuthFault::NoClient(_) | OAuthFault::ClientOfOther { .. } => {
            "name a client that is registered at this authorization server with `--client-id`"
        }
        OAuthFault::Pkce => {
            "if the authorization server supports PKCE, name it with `--assume-pkce`"
        }
        OAuthFault::Fetch(error) => match error.as_ref() {
            FetchError::Address { .. } => "if the host is trusted, add `--allow-private`",
            FetchError::Resolve { .. } => "if only the proxy resolves names, add `--allow-private`",
            _ => return None,
        },
        _ => return None,
    })
}
