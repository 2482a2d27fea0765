//! Subscriptions to changes: `subscriptions/listen` in the newest revision, `resources/subscribe`
//! and `resources/unsubscribe` in older revisions and in the proposal `versioned-resources`.

pub(crate) mod capability;
#[cfg(feature = "versioned-resources")]
pub(crate) mod change_notifier;
#[cfg(feature = "versioned-resources")]
pub(crate) mod connection;
pub(crate) mod listen;
pub(crate) mod session;

#[cfg(feature = "versioned-resources")]
use std::sync::Arc;

use mcp_types::v2025_11_25::{SubscribeRequest, UnsubscribeRequest};
use mcp_types::{Request, SubscriptionsListenRequest};

#[cfg(feature = "versioned-resources")]
use crate::features::resources::catalog::ResourceCatalog;
use crate::protocol::lifecycle::SessionRequest;
use crate::protocol::registry::Registry;

/// Registers the methods of subscriptions.
pub(crate) fn register(
    registry: &mut Registry,
    #[cfg(feature = "versioned-resources")] resources: &Arc<ResourceCatalog>,
) {
    #[cfg(feature = "versioned-resources")]
    let described = Arc::clone(resources);
    registry.serve(SubscriptionsListenRequest::METHOD, move |params, cx| {
        listen::listen(
            params,
            cx,
            #[cfg(feature = "versioned-resources")]
            Arc::clone(&described),
        )
    });
    let subscribe = SessionRequest::new(session::subscribe);
    let unsubscribe = SessionRequest::new(session::unsubscribe);
    // The proposal defines these methods for the newest revision.
    #[cfg(feature = "versioned-resources")]
    let (subscribe, unsubscribe) = {
        let described = Arc::clone(resources);
        (
            SessionRequest {
                modern: Box::new(move |cx, params| connection::subscribe(cx, params, &described)),
                ..subscribe
            },
            SessionRequest {
                modern: Box::new(connection::unsubscribe),
                ..unsubscribe
            },
        )
    };
    registry.route(SubscribeRequest::METHOD, Box::new(subscribe));
    registry.route(UnsubscribeRequest::METHOD, Box::new(unsubscribe));
}
