//! `resources/subscribe` and `resources/unsubscribe` of sessions.

use std::sync::Arc;

use super::admission;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::request::ResourceParams;
use crate::protocol::core::Context;
use crate::protocol::dispatch::route::common;
use crate::protocol::dispatch::sizes::check_uri;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::limits::SUBSCRIBED_BYTES;
use crate::protocol::message::params_view::ParamsView;

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
        let limit = cx.core().limits().subscribed_resources;
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
    let ResourceParams(uri) = common(params, cx)?;
    check_uri(cx.core(), "$.uri", &uri)?;
    Ok(uri)
}
