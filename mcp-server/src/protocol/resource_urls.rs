//! [`ResourceUrls`]: issues URLs for resources.

use std::time::SystemTime;

use crate::protocol::extensions::Principal;

/// Issues URLs by which resources can be downloaded. Implemented by the proposal `https-url`.
pub(crate) trait ResourceUrls: Send + Sync {
    /// Returns a URL for a resource and the time when it expires, as text; `None` if the URL would
    /// be too long.
    fn issue(&self, uri: &str, principal: Option<&Principal>) -> Option<(String, String)>;

    /// Returns `true` for a URL of this server.
    fn has_issued(&self, url: &str) -> bool;

    /// Returns the current time.
    fn now(&self) -> SystemTime;

    /// How long a URL is valid, in milliseconds.
    fn lifetime_ms(&self) -> u64;
}
