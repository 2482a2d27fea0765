//! [`AuthorizationRequest`]: what a client asks a user for.

use mcp_oauth::scopes::Scopes;
use serde::{Deserialize, Serialize};

use crate::clients::ClientSummary;
use crate::clients::redirect_uri::{RedirectKind, check};
use crate::web::params::with_query;

/// The maximum length of `scope`, in bytes.
const SCOPE_BYTES: usize = 1_024;
/// The maximum number of scopes.
const SCOPES: usize = 50;

/// A request of a client for access, which was validated.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct AuthorizationRequest {
    pub(crate) client: ClientSummary,
    pub(crate) back: ReturnPath,
    /// The challenge of PKCE, with S256.
    pub(crate) challenge: String,
    pub(crate) scopes: Vec<String>,
    /// The thumbprint of the key to which the code is bound (RFC 9449, section 10).
    pub(crate) key_thumbprint: Option<String>,
}

/// The way back to a client. The redirect URI was validated.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ReturnPath {
    pub(crate) uri: String,
    pub(crate) state: Option<String>,
}

impl ReturnPath {
    /// Returns the URL with a response. The issuer protects clients with several servers (RFC 9207).
    pub(crate) fn url(&self, issuer: &str, params: &[(&str, &str)]) -> String {
        let state = self.state.as_deref().map(|state| ("state", state));
        let params = params.iter().copied().chain(state);
        with_query(&self.uri, params.chain([("iss", issuer)]))
    }
}

impl AuthorizationRequest {
    /// Returns `true` if the redirect proves which client it is: other programs do not get what is sent
    /// to an `https` URL, but any program of the device to a loopback address or to a scheme of its own
    /// (RFC 8252, section 8.6).
    pub(crate) fn is_identified(&self) -> bool {
        check(&self.back.uri) == Ok(RedirectKind::Https)
    }
}

/// Parses the scopes of a request. `None` if they are malformed or too many.
pub(crate) fn requested_scopes(text: &str) -> Option<Vec<String>> {
    if text.len() > SCOPE_BYTES {
        return None;
    }
    let scopes = Scopes::parse(text).ok()?;
    (scopes.len() <= SCOPES).then(|| scopes.iter().map(str::to_owned).collect())
}
