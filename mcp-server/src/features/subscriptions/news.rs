//! [`News`]: what a peer of the newest revision is told of a change. Where both sides speak
//! `versioned-resources`, a resource that changed is sent as it is now.

use std::sync::Arc;

use mcp_types::peer_text::PeerText;
use mcp_types::{
    Notification, NotificationMetaObject, Proposal, Resource, ResourceContentChangedNotification,
    ResourceContentChangedNotificationParams, Revision,
};
use tokio::time::timeout;

use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::versions::current;
use crate::protocol::announcements::announcement;
use crate::protocol::changes::{Change, Subscriber};
use crate::protocol::core::Context;
use crate::protocol::error_report::logged;
use crate::protocol::handler_error::HandlerError;
use crate::protocol::notification::notification;
use crate::protocol::request_task::caught;

/// Makes messages for a peer, and is its context while handlers describe what changed.
pub(crate) struct News {
    cx: Context,
    resources: Arc<ResourceCatalog>,
    speaks: bool,
}

impl News {
    /// For the peer of a request.
    pub(crate) fn new(cx: &Context, resources: &Arc<ResourceCatalog>) -> Arc<Self> {
        Arc::new(Self {
            cx: cx.without_request(ResourceContentChangedNotification::METHOD),
            resources: Arc::clone(resources),
            speaks: cx.negotiated(Proposal::VersionedResources),
        })
    }

    /// The next message of a subscription.
    ///
    /// A resource is described when there is room for the message, and after the change was taken
    /// off: what changes meanwhile is told of once more, and however slowly the peer reads, the
    /// last thing that it is told is the present state.
    ///
    /// Safe to drop where nothing is to be said any more.
    pub(crate) async fn next(
        &self,
        subscriber: &Subscriber,
        meta: &NotificationMetaObject,
    ) -> Result<Vec<u8>, HandlerError> {
        loop {
            subscriber.ready().await;
            if self.speaks {
                self.cx.state.sink.ready().await;
            }
            if let Some(change) = subscriber.take() {
                return self.message(change, Some(meta.clone())).await;
            }
        }
    }

    /// The message for a change.
    pub(crate) async fn message(
        &self,
        change: Change,
        meta: Option<NotificationMetaObject>,
    ) -> Result<Vec<u8>, HandlerError> {
        if self.speaks
            && let Change::Resource(uri) = &change
        {
            match self.resource(uri).await {
                Ok(resource) => {
                    let mut params = ResourceContentChangedNotificationParams::new(resource);
                    params.meta = meta;
                    let method = ResourceContentChangedNotification::METHOD;
                    return notification(Revision::LATEST, method, params);
                }
                // It changed all the same: the peer hears of it in the other form.
                Err(error) if error.is_not_found() => {
                    tracing::debug!(uri = %PeerText(uri), "a resource that changed is gone");
                }
                Err(error) => {
                    let error = logged(&error);
                    tracing::warn!(uri = %PeerText(uri), %error, "a resource that changed is not described");
                }
            }
        }
        announcement(Revision::LATEST, change, meta)
    }

    /// The resource as it is now. Nothing that its handler does ends the subscription.
    async fn resource(&self, uri: &str) -> Result<Resource, HandlerError> {
        let described = caught(current(uri, &self.cx, &self.resources));
        match timeout(self.cx.core().limits().request_time, described).await {
            Ok(Some(resource)) => resource,
            Ok(None) => Err(HandlerError::internal("the handler panicked")),
            Err(_) => Err(HandlerError::internal("it takes too long")),
        }
    }
}

impl Drop for News {
    fn drop(&mut self) {
        self.cx.state.ended.set();
    }
}
