//! [`ProtectedResource`]: the metadata of a protected resource (RFC 9728, section 2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The beginning of the path of the metadata.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The metadata of a server that requires tokens. Absent members are `None`; unknown members are
/// kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProtectedResource {
    /// The identifier of the resource. It is sent to authorization servers exactly as it is.
    pub resource: String,
    /// The issuers of tokens that the resource accepts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authorization_servers: Vec<String>,
    /// The URL of the keys of the resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// The scopes that basic use of the resource needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes_supported: Option<Vec<String>>,
    /// How a token is presented: `header`, `body` or `query`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer_methods_supported: Option<Vec<String>>,
    /// A name for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// The URL of documentation for developers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_documentation: Option<String>,
    /// The algorithms of proofs of possession that the resource accepts (RFC 9449).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dpop_signing_alg_values_supported: Option<Vec<String>>,
    /// Whether each request needs a proof of possession.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dpop_bound_access_tokens_required: Option<bool>,
    /// All other members.
    #[serde(flatten)]
    pub extra: BTreeMap<String, Value>,
}

impl ProtectedResource {
    /// Creates the metadata of a resource.
    #[must_use]
    pub fn new(resource: impl Into<String>, issuers: impl IntoIterator<Item = String>) -> Self {
        Self {
            resource: resource.into(),
            authorization_servers: issuers.into_iter().collect(),
            ..Self::default()
        }
    }
}
