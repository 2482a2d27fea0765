//! [`RefusalKind`]: what a program can do about a refusal.

use std::time::Duration;

use mcp_types::json::Value;
use mcp_types::rpc::{ErrorObject, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND};
use mcp_types::{MISSING_REQUIRED_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION};
#[cfg(feature = "http")]
use mcp_wire::challenge::challenges;

#[cfg(feature = "http")]
use super::http::HttpError;

/// The code of servers up to 2025-11-25 for a resource that does not exist.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// The error of a token without the scopes of a request (RFC 6750, section 3.1).
const INSUFFICIENT_SCOPE: &str = "insufficient_scope";

/// Why a server refused a request, as far as the error tells. See
/// [`CallError::kind`](crate::CallError::kind).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalKind {
    /// The server requires a login: HTTP status 401.
    LoginRequired,
    /// The access token lacks scopes: the error `insufficient_scope` of RFC 6750. Contains the
    /// scopes that the request needs, if the server names them.
    MissingScopes(Vec<String>),
    /// The caller may not do this: another HTTP status 403.
    Forbidden,
    /// The server has too much to do, or the caller has used up its share: HTTP status 429 or 503,
    /// or an error whose data has a [time to retry
    /// after](crate::types::rpc::ErrorObject::retry_after), on any transport. Contains the time after
    /// which the server can be asked again, if it names one.
    Busy(Option<Duration>),
    /// The server does not have the method: -32601.
    UnknownMethod,
    /// The params are invalid: -32602. This is also the code for a tool, a prompt or, in revision
    /// 2026-07-28, a resource that does not exist.
    InvalidParams,
    /// The resource does not exist: -32002, up to revision 2025-11-25.
    UnknownResource,
    /// The client does not have a capability that the request requires: -32021.
    MissingCapability,
    /// The server does not support the revision of the request: -32022.
    UnsupportedRevision,
    /// The server failed: -32603.
    Internal,
    /// Another error.
    Other,
}

/// Returns the kind of an error with this code.
pub(super) fn of_code(code: i64) -> RefusalKind {
    match code {
        METHOD_NOT_FOUND => RefusalKind::UnknownMethod,
        INVALID_PARAMS => RefusalKind::InvalidParams,
        RESOURCE_NOT_FOUND => RefusalKind::UnknownResource,
        MISSING_REQUIRED_CLIENT_CAPABILITY => RefusalKind::MissingCapability,
        UNSUPPORTED_PROTOCOL_VERSION => RefusalKind::UnsupportedRevision,
        INTERNAL_ERROR => RefusalKind::Internal,
        _ => RefusalKind::Other,
    }
}

/// Returns the scopes that `mcp-server` names in the data of an error: over other transports than
/// HTTP there is no header for them.
pub(super) fn scopes(error: &ErrorObject) -> Option<RefusalKind> {
    let data = error.data.as_ref()?.as_object()?;
    let member = |name: &str| data.get(name).and_then(Value::as_str);
    let is_scope = member("error") == Some(INSUFFICIENT_SCOPE);
    let scopes = member("scope").unwrap_or_default();
    is_scope.then(|| RefusalKind::MissingScopes(words(scopes)))
}

fn words(scopes: &str) -> Vec<String> {
    scopes.split_ascii_whitespace().map(str::to_owned).collect()
}

/// Returns the kind of a response, by its status and headers.
#[cfg(feature = "http")]
pub(super) fn of_http(error: &HttpError) -> Option<RefusalKind> {
    match error {
        HttpError::Unauthorized {
            status, headers, ..
        } => {
            let challenges = challenges(headers).found;
            let mut challenges = challenges.iter();
            let lacking =
                challenges.find(|challenge| challenge.param("error") == Some(INSUFFICIENT_SCOPE));
            Some(match lacking {
                Some(challenge) => {
                    RefusalKind::MissingScopes(words(challenge.param("scope").unwrap_or_default()))
                }
                None if status.as_u16() == 401 => RefusalKind::LoginRequired,
                None => RefusalKind::Forbidden,
            })
        }
        HttpError::Status {
            status,
            retry_after,
            ..
        } => match status.as_u16() {
            401 => Some(RefusalKind::LoginRequired),
            403 => Some(RefusalKind::Forbidden),
            429 | 503 => Some(RefusalKind::Busy(*retry_after)),
            _ => None,
        },
        _ => None,
    }
}
