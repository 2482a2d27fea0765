//! The metadata of an authorization server: where its keys and its endpoint for introspection are.

use mcp_oauth::well_known;
use mcp_types::json::{Object, Value};

use crate::fetch::secure_url::SecureUrl;
use crate::fetch::{FetchError, Fetcher};

/// The maximum size of a metadata document, in bytes.
const METADATA_BYTES: usize = 256 << 10;

/// Loads the metadata of an issuer (RFC 8414, OpenID Connect Discovery 1.0).
pub(crate) async fn load(fetcher: &Fetcher, issuer: &SecureUrl) -> Result<Object, FetchError> {
    let mut absent = None;
    for url in well_known::of_issuer(issuer.as_str()) {
        let Ok(url) = SecureUrl::parse(&url) else {
            continue;
        };
        let metadata = match fetcher.get(&url, METADATA_BYTES).await {
            Ok(metadata) => metadata,
            Err(error) if error.is_absent() => {
                absent.get_or_insert(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let named = metadata.get("issuer").and_then(Value::as_str);
        if named != Some(issuer.as_str()) {
            return Err(FetchError::Contents {
                url: url.as_str().to_owned(),
                reason: format!("the metadata is not that of the issuer {issuer}"),
            });
        }
        return Ok(metadata);
    }
    Err(absent.unwrap_or_else(|| FetchError::Contents {
        url: issuer.as_str().to_owned(),
        reason: "the issuer has no URL for metadata".to_owned(),
    }))
}

/// Returns the URL in a member of the metadata.
pub(crate) fn url(
    metadata: &Object,
    member: &str,
    issuer: &SecureUrl,
) -> Result<SecureUrl, FetchError> {
    let wrong = |reason: String| FetchError::Contents {
        url: issuer.as_str().to_owned(),
        reason,
    };
    let url = metadata.get(member).and_then(Value::as_str);
    let url = url.ok_or_else(|| wrong(format!("the metadata has no `{member}`")))?;
    SecureUrl::parse(url).map_err(|error| wrong(format!("`{member}` of the metadata: {error}")))
}
