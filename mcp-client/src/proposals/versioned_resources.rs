//! The proposal `versioned-resources`: changes with the new state of a resource, and results of
//! conditional requests.

mod revalidation;

use mcp_types::revision::VersionError;
use mcp_types::uri::canonical;
use mcp_types::{
    GetResourceResult, ListResourcesRequest, Notification, Request,
    ResourceContentChangedNotification, ResourceContentChangedNotificationParams, Revision,
};
use serde::Deserialize;

use crate::features::cache::ClientCache;
use crate::features::cache::Revalidation;
use crate::features::inboxes::SubscriptionEvent;
use crate::features::proposals::{ResourceProposals, SubscribedEvent};
use crate::protocol::lenient;
use revalidation::GetResource;

/// The result of a request for a resource of which the program already has a version.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Current {
    /// The version is still the current one. Its contents were not sent.
    NotModified,
    /// There is another version: metadata and contents. Boxed, since it is large.
    Changed(Box<GetResourceResult>),
}

/// The versions of resources.
pub(crate) struct Versions;

impl ResourceProposals for Versions {
    fn revalidation(&self) -> Option<&'static dyn Revalidation> {
        Some(&GetResource)
    }

    fn invalidate_by(&self, notification: &str, params: &str, cache: &ClientCache) {
        if notification == ResourceContentChangedNotification::METHOD {
            // Lists contain the version of resources.
            cache.invalidate(ListResourcesRequest::METHOD);
            cache.invalidate_resource(changed(params).as_deref());
        }
    }

    fn event(
        &self,
        notification: &str,
        params: &str,
        revision: Revision,
    ) -> Option<Result<SubscribedEvent, VersionError>> {
        if notification != ResourceContentChangedNotification::METHOD {
            return None;
        }
        let params: Result<ResourceContentChangedNotificationParams, _> =
            lenient::decode(revision, params);
        Some(params.map(|params| {
            let subscription = params.meta.and_then(|meta| meta.subscription_id);
            let event = SubscriptionEvent::ResourceContentChanged(params.resource);
            (subscription, event)
        }))
    }
}

/// Returns the canonical URI of the resource in the params of the notification.
fn changed(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct ChangeParams {
        resource: ResourceUri,
    }
    #[derive(Deserialize)]
    struct ResourceUri {
        uri: String,
    }
    let changed = serde_json::from_str::<ChangeParams>(params).ok()?;
    Some(canonical(&changed.resource.uri).into_owned())
}
