//! [`ClientMetadata`]: what a client says about itself (RFC 7591, section 2).

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::clients::redirect_uri;

/// The maximum number of redirect URIs of a client.
const REDIRECT_URIS: usize = 16;

/// The metadata of a client that matter here. Others are ignored, as RFC 7591 says.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct ClientMetadata {
    /// Ignored in a registration.
    pub(crate) client_id: Value,
    pub(crate) client_name: Option<String>,
    pub(crate) redirect_uris: Vec<String>,
    pub(crate) token_endpoint_auth_method: Option<String>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
}

impl ClientMetadata {
    /// Decodes metadata. `None` if they are not a JSON object with the expected members.
    pub(crate) fn decode(body: &[u8]) -> Option<Self> {
        // A struct could also be decoded from an array.
        let object: Map<String, Value> = serde_json::from_slice(body).ok()?;
        serde_json::from_value(object.into()).ok()
    }

    /// Checks the redirect URIs.
    pub(crate) fn check_redirect_uris(&self) -> Result<(), String> {
        let uris = &self.redirect_uris;
        if uris.is_empty() || uris.len() > REDIRECT_URIS {
            return Err(format!(
                "`redirect_uris`: expected 1 to {REDIRECT_URIS} URIs"
            ));
        }
        for (at, uri) in uris.iter().enumerate() {
            redirect_uri::check(uri).map_err(|error| format!("`redirect_uris[{at}]`: {error}"))?;
        }
        Ok(())
    }

    /// Checks that the client wants what this server supports.
    pub(crate) fn check_types(&self) -> Result<(), String> {
        for (member, list, name) in [
            ("grant_types", &self.grant_types, "authorization_code"),
            ("response_types", &self.response_types, "code"),
        ] {
            let mut listed = list.iter().flatten();
            if list.is_some() && !listed.any(|listed| listed == name) {
                return Err(format!("`{member}` does not contain `{name}`"));
            }
        }
        Ok(())
    }
}
