//! Entity tags (RFC 9110, 8.8.3). All of them are strong: they change with every byte.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// The tag of contents. Reads all of them: large ones belong on a thread that may block.
pub(crate) fn of_contents(bytes: &[u8]) -> String {
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)))
}

/// The tag of contents whose version is known, which no contents have.
#[cfg(feature = "versioned-resources")]
pub(crate) fn of_version(version: &str) -> String {
    // A version may be any text, also one that cannot stand in a header.
    format!("\"v-{}\"", URL_SAFE_NO_PAD.encode(Sha256::digest(version)))
}
