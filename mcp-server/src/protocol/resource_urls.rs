//! [`ResourceUrls`]: issues URLs for resources.

use std::time::SystemTime;

use crate::protocol::extensions::Principal;

/// Issues URLs by which resources can be downloaded. Implemented by the proposal `https-url`.
pub(crate) trait ResourceUrls: Send + Sync {
    /// Returns a URL for a resource and the time when it expires, as text; `None` if the URL would
    /// be too long.
    fn issue(&self, uri: &str, principal: Option<&Principal>) -> Option<(String, String)>;

    /// Returns the current time.
    fn now(&self) -> SystemTime;
}
