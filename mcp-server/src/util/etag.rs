//! Entity tags (RFC 9110, 8.8.3). All of them are strong: they change if any byte changes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Returns the tag of contents. Hashes all bytes: call it for large contents on a thread that may
/// block.
pub(crate) fn of_contents(bytes: &[u8]) -> String {
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)))
}

/// Returns the tag of contents whose version is known. It differs from every tag of
/// [`of_contents`].
pub(crate) fn of_version(version: &str) -> String {
    // A version may be any text, also one that is not valid in a header.
    format!("\"v-{}\"", URL_SAFE_NO_PAD.encode(Sha256::digest(version)))
}
