//! `resources/subscribe` and `resources/unsubscribe` of sessions.

use crate::features::resources::params::ResourceParams;
use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;
use crate::protocol::limits::SUBSCRIBED_BYTES;
use crate::protocol::params_view::ParamsView;
use crate::protocol::route::common;
use crate::protocol::uri_limit::check_uri;

pub(crate) fn subscribe(cx: &Context, head: &ParamsView<'_>) -> Result<(), HandlerError> {
    let ResourceParams(uri) = common(head, cx)?;
    check_uri(cx.core(), "$.uri", &uri)?;
    let limit = cx.core().limits().subscribed_resources;
    match cx.peer().session() {
        Some(session) if !session.subscribe(&uri, limit) => Err(HandlerError::invalid_params(
            format!("more than {limit} subscriptions, or {SUBSCRIBED_BYTES} bytes of URIs"),
        )),
        _ => Ok(()),
    }
}

pub(crate) fn unsubscribe(cx: &Context, head: &ParamsView<'_>) -> Result<(), HandlerError> {
    let ResourceParams(uri) = common(head, cx)?;
    check_uri(cx.core(), "$.uri", &uri)?;
    if let Some(session) = cx.peer().session() {
        session.unsubscribe(&uri);
    }
    Ok(())
}
