//! [`ResourceProposals`]: what proposals add to resources.

use mcp_types::revision::VersionError;
use mcp_types::{RequestId, Revision};

use super::cache::ClientCache;
use super::cache::Revalidation;
use super::inboxes::SubscriptionEvent;
use super::inspect::KnownResult;
use crate::protocol::connection::Connection;

/// An event and the subscription to which it belongs.
pub(crate) type SubscribedEvent = (Option<RequestId>, SubscriptionEvent);

/// What a proposal adds to resources. Implemented in `proposals/`.
pub(crate) trait ResourceProposals: Send + Sync {
    /// Adapts a final result, if the client announced the proposal.
    fn adapt_result(&self, _result: KnownResult<'_>, _connection: &Connection) {}

    /// Returns how the cache revalidates stale results.
    fn revalidation(&self) -> Option<&'static dyn Revalidation> {
        None
    }

    /// Drops the cached results that a notification of the proposal outdates.
    fn invalidate_by(&self, _notification: &str, _params: &str, _cache: &ClientCache) {}

    /// Decodes a notification of the proposal; `None` for other notifications.
    fn event(
        &self,
        _notification: &str,
        _params: &str,
        _revision: Revision,
    ) -> Option<Result<SubscribedEvent, VersionError>> {
        None
    }
}
