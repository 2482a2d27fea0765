//! [`Unchanged`]: a version that must still hold when the last bytes of a resource are sent.

use std::io;
use std::time::Duration;

use mcp_types::Resource;
use tokio::time::timeout;

use crate::features::resources::resolved::AuthorizedResource;
use crate::protocol::core::Context;
use crate::protocol::dispatch::request_task::caught;
use crate::util::etag;

/// The version of a resource that a response states.
pub(crate) struct Unchanged {
    pub(crate) found: AuthorizedResource,
    pub(crate) cx: Context,
    pub(crate) etag: String,
}

impl Unchanged {
    /// Describes the resource again, for at most `limit`.
    ///
    /// # Errors
    ///
    /// If the resource has another version, or cannot be described any more.
    pub(crate) async fn check(self, limit: Duration) -> io::Result<()> {
        let described = caught(self.found.describe(&self.cx));
        let Ok(described) = timeout(limit, described).await else {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        };
        match described {
            Some(Ok(resource)) if tag(&resource) == Some(self.etag) => Ok(()),
            Some(Ok(_)) => Err(io::Error::other("the resource changed while it was read")),
            Some(Err(_)) | None => Err(io::Error::other(
                "the resource cannot be described any more",
            )),
        }
    }
}

/// Returns the entity tag of a resource whose version is known.
pub(crate) fn tag(resource: &Resource) -> Option<String> {
    resource.version.as_deref().map(etag::of_version)
}
