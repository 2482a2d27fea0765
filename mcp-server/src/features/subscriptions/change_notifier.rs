//! [`ChangeNotifier`]: notifications of changes for a client of the newest revision. If
//! `versioned-resources` was negotiated, they contain the changed resource.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex};

use mcp_types::peer_text::PeerText;
use mcp_types::{
    Notification, NotificationMetaObject, Proposal, Resource, ResourceContentChangedNotification,
    ResourceContentChangedNotificationParams,
};
use tokio::time::timeout;

use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::resolved::AuthorizedResource;
use crate::features::subscriptions::admission::{Admission, admit};
use crate::protocol::changes::{Announced, Change, Subscriber};
use crate::protocol::core::Context;
use crate::protocol::dispatch::announcements::announcement;
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::dispatch::request_task::caught;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::notification;
use crate::util::lock::lock;

/// Makes the notifications for a client, and provides the context for the handlers that describe
/// changed resources.
pub(crate) struct ChangeNotifier {
    pub(crate) cx: Context,
    resources: Arc<ResourceCatalog>,
    negotiated: bool,
    notified: Arc<NotifiedVersions>,
}

/// The last version of each resource that a client was notified of. URIs and versions are kept as
/// hashes, so that their lengths do not matter. Shared by all notifiers of a connection.
#[derive(Default)]
pub(crate) struct NotifiedVersions {
    hasher: RandomState,
    versions: Mutex<HashMap<u64, u64>>,
}

impl NotifiedVersions {
    /// Records the version of a resource. Returns `false` if the client knows it already.
    fn is_new(&self, resource: &Resource, limit: usize) -> bool {
        let Some(version) = &resource.version else {
            return true;
        };
        let version = self.hasher.hash_one(version);
        let uri = self.hasher.hash_one(&resource.uri);
        let mut versions = lock(&self.versions);
        // Resources that the client does not subscribe to any more may have an entry.
        if versions.len() >= limit && !versions.contains_key(&uri) {
            versions.clear();
        }
        versions.insert(uri, version) != Some(version)
    }

    /// Forgets the version of a resource, so that the next change is notified.
    pub(crate) fn forget(&self, uri: &str) {
        let uri = self.hasher.hash_one(uri);
        lock(&self.versions).remove(&uri);
    }
}

impl ChangeNotifier {
    /// Creates the notifications for the client of a request.
    pub(crate) fn new(
        cx: &Context,
        resources: &Arc<ResourceCatalog>,
        notified: Arc<NotifiedVersions>,
    ) -> Arc<Self> {
        Arc::new(Self {
            cx: cx.without_request(ResourceContentChangedNotification::METHOD),
            resources: Arc::clone(resources),
            negotiated: cx.negotiated(Proposal::VersionedResources),
            notified,
        })
    }

    /// Returns the next message of a subscription.
    ///
    /// The change is removed from the queue, then the resource is described, both only when the
    /// sink accepts a message. A change in the meantime is queued again, so however slowly the
    /// client reads, the last notification has the current state.
    ///
    /// Cancel safe while it waits for a change.
    pub(crate) async fn next(
        &self,
        subscriber: &Subscriber,
        meta: &NotificationMetaObject,
    ) -> Result<Vec<u8>, HandlerError> {
        loop {
            subscriber.ready().await;
            if self.negotiated {
                self.cx.state.sink.ready().await;
            }
            if let Some(announced) = subscriber.take()
                && let Some(message) = self.message(announced, Some(meta.clone())).await?
            {
                return Ok(message);
            }
        }
    }

    /// Returns the message for a change; `None` if the client may not read the resource, or was
    /// notified of this version already.
    pub(crate) async fn message(
        &self,
        announced: Announced,
        meta: Option<NotificationMetaObject>,
    ) -> Result<Option<Vec<u8>>, HandlerError> {
        let Change::Resource(uri) = &announced.change else {
            return announcement(self.cx.revision(), announced, meta).map(Some);
        };
        let found = match admit(uri, &self.cx, &self.resources).await {
            Admission::Admitted(found) => Some(found),
            Admission::Undefined => None,
            Admission::Refused => {
                let announced = announced.for_everybody();
                let message = announced.map(|all| announcement(self.cx.revision(), all, meta));
                return message.transpose();
            }
        };
        if self.negotiated {
            match self.resource(found, uri).await {
                Ok(resource) => {
                    let limit = self.cx.core().limits.subscribed_resources;
                    if !self.notified.is_new(&resource, limit) {
                        return Ok(None);
                    }
                    let mut params = ResourceContentChangedNotificationParams::new(resource);
                    params.meta = meta;
                    let method = ResourceContentChangedNotification::METHOD;
                    return notification(self.cx.revision(), method, params).map(Some);
                }
                // The resource did change, so the client is notified in the other form.
                Err(error) if error.is_not_found() => {
                    self.notified.forget(uri);
                    tracing::debug!(uri = %PeerText(uri), "a resource that changed is gone");
                }
                Err(error) => {
                    self.notified.forget(uri);
                    let error = for_log(&error);
                    tracing::warn!(uri = %PeerText(uri), %error, "a resource that changed is not described");
                }
            }
        }
        announcement(self.cx.revision(), announced, meta).map(Some)
    }

    /// Returns the current resource. An error or panic of its handler does not end the
    /// subscription.
    async fn resource(
        &self,
        found: Option<AuthorizedResource>,
        uri: &str,
    ) -> Result<Resource, HandlerError> {
        let found = found.ok_or_else(|| HandlerError::resource_not_found(uri))?;
        let proposals = &self.resources.proposals;
        let described = caught(proposals.current_resource(&found, &self.cx));
        match timeout(self.cx.core().limits.request_time, described).await {
            Ok(Some(resource)) => resource,
            Ok(None) => Err(HandlerError::internal("the handler panicked")),
            Err(_) => Err(HandlerError::internal("the handler takes too long")),
        }
    }
}

impl Drop for ChangeNotifier {
    fn drop(&mut self) {
        self.cx.state.ended.set();
    }
}
