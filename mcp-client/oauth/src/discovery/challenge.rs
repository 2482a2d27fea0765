//! [`ChallengeInfo`]: what a server says when it rejects a request.

use http::HeaderMap;
use mcp_oauth::scopes::Scopes;
use mcp_wire::challenge::{AuthChallenge, challenges};

/// The challenges of the schemes `Bearer` and `DPoP` of a response.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChallengeInfo {
    /// The URL of the metadata of the server.
    pub(crate) metadata: Option<String>,
    /// The scopes that the request needs.
    pub(crate) scopes: Option<Scopes>,
    pub(crate) error: Option<String>,
    /// Whether the server accepts proofs of possession.
    pub(crate) dpop: bool,
}

impl ChallengeInfo {
    pub(crate) fn parse(headers: &HeaderMap) -> Self {
        let all = challenges(headers);
        if let Some(fault) = &all.fault {
            tracing::warn!(%fault, "a challenge of the server is ignored");
        }
        let is_known = |challenge: &&AuthChallenge| challenge.is("Bearer") || challenge.is("DPoP");
        let known: Vec<&AuthChallenge> = all.found.iter().filter(is_known).collect();
        let first = |name: &str| known.iter().find_map(|challenge| challenge.param(name));
        let scopes = first("scope").and_then(|text| match Scopes::parse(text) {
            Ok(scopes) => Some(scopes),
            Err(fault) => {
                tracing::warn!(%fault, "the scopes of a challenge are ignored");
                None
            }
        });
        Self {
            metadata: first("resource_metadata").map(str::to_owned),
            scopes: scopes.filter(|scopes| !scopes.is_empty()),
            error: first("error").map(str::to_owned),
            dpop: known.iter().any(|challenge| challenge.is("DPoP")),
        }
    }

    /// Returns `true` if the server demands further scopes.
    pub(crate) fn demands_scopes(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
            || self.error.is_none() && self.scopes.is_some()
    }

    /// Returns `true` if the server demands a proof with a nonce.
    pub(crate) fn demands_nonce(&self) -> bool {
        self.error.as_deref() == Some("use_dpop_nonce")
    }
}
