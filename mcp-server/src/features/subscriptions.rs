//! Subscriptions to changes: `subscriptions/listen` in the newest revision, `resources/subscribe`
//! and `resources/unsubscribe` in older revisions and in the proposal `versioned-resources`.

pub(crate) mod admission;
pub(crate) mod capability;
#[cfg(feature = "proposals")]
pub(crate) mod change_notifier;
#[cfg(feature = "proposals")]
pub(crate) mod connection;
pub(crate) mod listen;
pub(crate) mod session;

#[cfg(feature = "proposals")]
use std::future::ready;
use std::sync::Arc;

use mcp_types::v2025_11_25::{SubscribeRequest, UnsubscribeRequest};
use mcp_types::{Request, SubscriptionsListenRequest};

use crate::features::resources::catalog::ResourceCatalog;
use crate::features::subscriptions::admission::SessionAdmission;
use crate::protocol::dispatch::lifecycle::SessionRequest;
use crate::protocol::dispatch::registry::Registry;

/// Registers the methods of subscriptions.
pub(crate) fn register(registry: &mut Registry, resources: &Arc<ResourceCatalog>) {
    registry.resource_access = Some(Box::new(SessionAdmission(Arc::clone(resources))));
    let listened = Arc::clone(resources);
    registry.serve(SubscriptionsListenRequest::METHOD, move |params, cx| {
        listen::listen(params, cx, Arc::clone(&listened))
    });
    let subscribed = Arc::clone(resources);
    let subscribe =
        SessionRequest::of_future(move |cx, params| session::subscribe(cx, params, &subscribed));
    let unsubscribe = SessionRequest::new(session::unsubscribe);
    // The proposal defines these methods for the newest revision.
    #[cfg(feature = "proposals")]
    let (subscribe, unsubscribe) = {
        let subscribed = Arc::clone(resources);
        (
            SessionRequest {
                modern: Box::new(move |cx, params| connection::subscribe(cx, params, &subscribed)),
                ..subscribe
            },
            SessionRequest {
                modern: Box::new(|cx, params| {
                    let message = connection::unsubscribe(cx, params)?;
                    Ok(Box::pin(ready(Ok(message))))
                }),
                ..unsubscribe
            },
        )
    };
    registry.route(SubscribeRequest::METHOD, Box::new(subscribe));
    registry.route(UnsubscribeRequest::METHOD, Box::new(unsubscribe));
}
