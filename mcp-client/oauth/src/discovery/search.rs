//! [`search`]: a document at one of several URLs.

use serde::de::DeserializeOwned;

use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::net::Net;
use mcp_fetch::url::shown;

/// Loads the documents at some URLs, one after the other, until one of them is accepted.
///
/// A URL without a document of this type is passed over, and so is a document for which `accepts`
/// returns `false`. Returns the URLs that were passed over and why if no document is left.
///
/// # Errors
///
/// Fails if a URL cannot be reached, if its server fails, and if `accepts` does.
pub(super) async fn search<T: DeserializeOwned>(
    net: &Net,
    step: OAuthStep,
    urls: impl IntoIterator<Item = String>,
    mut accepts: impl FnMut(&T, &str) -> Result<bool, OAuthFault>,
) -> Result<Result<T, Vec<(String, String)>>, OAuthError> {
    let failed = |fault: OAuthFault, url: &str| OAuthError::new(step, fault).at(url);
    let mut passed = Vec::new();
    for url in urls {
        let response = net.get(&url).await;
        let response = response.map_err(|error| failed(error.into(), &url))?;
        let document = if response.status.is_success() {
            response.json::<T>()
        } else if response.status.is_client_error() {
            Err(OAuthFault::Status(response.status))
        } else {
            return Err(failed(OAuthFault::Status(response.status), &url));
        };
        match document {
            Ok(found) if accepts(&found, &url).map_err(|fault| failed(fault, &url))? => {
                return Ok(Ok(found));
            }
            Ok(_) => {}
            Err(fault) => passed.push((shown(&url), fault.to_string())),
        }
    }
    Ok(Err(passed))
}
