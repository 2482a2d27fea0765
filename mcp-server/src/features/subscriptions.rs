//! Subscriptions to changes: `subscriptions/listen` in the newest revision, `resources/subscribe`
//! and `resources/unsubscribe` in older revisions and in the proposal `versioned-resources`.

pub(crate) mod admission;
#[cfg(feature = "proposals")]
pub(crate) mod change_notifier;
#[cfg(feature = "proposals")]
pub(crate) mod connection;
pub(crate) mod listen;

#[cfg(feature = "proposals")]
use std::future::ready;
use std::sync::Arc;

use mcp_types::v2025_11_25::{SubscribeRequest, UnsubscribeRequest};
use mcp_types::{Request, SubscriptionsListenRequest};

use crate::features::resources::catalog::ResourceCatalog;
use crate::features::subscriptions::admission::SessionAdmission;
use crate::protocol::core::Context;
use crate::protocol::dispatch::lifecycle::SessionRequest;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::dispatch::route::members;
use crate::protocol::dispatch::sizes::check_uri;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::limits::SUBSCRIBED_BYTES;
use crate::protocol::message::params_view::ParamsView;

/// Registers the methods of subscriptions.
pub(crate) fn register(registry: &mut Registry, resources: &Arc<ResourceCatalog>) {
    registry.routes.resource_access = Some(Box::new(SessionAdmission(Arc::clone(resources))));
    let listened = Arc::clone(resources);
    registry.serve(SubscriptionsListenRequest::METHOD, move |params, cx| {
        listen::listen(params, cx, Arc::clone(&listened))
    });
    let subscribed = Arc::clone(resources);
    let subscribe = SessionRequest::of_future(move |cx, params| subscribe(cx, params, &subscribed));
    let unsubscribe = SessionRequest::new(unsubscribe);
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

/// Handles `resources/subscribe`.
pub(crate) fn subscribe(
    cx: &Context,
    params: &ParamsView<'_>,
    resources: &Arc<ResourceCatalog>,
) -> Result<impl Future<Output = Result<(), HandlerError>> + Send + use<>, HandlerError> {
    let uri = uri(cx, params)?;
    let (cx, resources) = (cx.clone(), Arc::clone(resources));
    Ok(async move {
        admission::check(&uri, &cx, &resources).await?;
        let limit = cx.core().limits.subscribed_resources;
        match cx.peer().session() {
            Some(session) if !session.subscribe(&uri, limit) => {
                return Err(HandlerError::invalid_params(format!(
                    "more than {limit} subscriptions, or {SUBSCRIBED_BYTES} bytes of URIs"
                )));
            }
            Some(session) => session.set_subscriber(cx.caller()),
            None => {}
        }
        Ok(())
    })
}

/// Handles `resources/unsubscribe`.
pub(crate) fn unsubscribe(cx: &Context, params: &ParamsView<'_>) -> Result<(), HandlerError> {
    let uri = uri(cx, params)?;
    if let Some(session) = cx.peer().session() {
        session.unsubscribe(&uri);
    }
    Ok(())
}

fn uri(cx: &Context, params: &ParamsView<'_>) -> Result<String, HandlerError> {
    let uri: String = members(params, cx, |members| members.required("uri"))?;
    check_uri(cx.core(), "$.uri", &uri)?;
    Ok(uri)
}
