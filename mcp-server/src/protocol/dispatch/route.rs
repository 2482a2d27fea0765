//! Handlers by method, with their types erased.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

use mcp_types::error::DecodeError;
use mcp_types::peer_text::PeerText;
use mcp_types::revision::Versioned;
use mcp_types::{Notification, json, rpc};
use serde_json::value::RawValue;

use crate::protocol::core::{Context, Listener, ResponseFuture, Route};
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::dispatch::respond;
use crate::protocol::error::handler_error::{HandlerError, bad_params};
use crate::protocol::handler::params::{
    AnyNotification, AnyRequest, AnyResult, NotificationParams,
};
use crate::protocol::handler::{BoxedHandler, HandlerFuture};
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::message::raw_object::{FromMembers, RawObject};
use crate::util::and_then::and_then;

/// A route that decodes the params `P` with `read` and passes them to `handler`, whose result is a `T`.
pub(crate) struct Typed<P, T, R, H> {
    pub(crate) read: R,
    pub(crate) handler: H,
    types: PhantomData<fn(P) -> T>,
}

impl<P, T, R, H> Typed<P, T, R, H> {
    /// Creates a handler whose params `read` decodes.
    pub(crate) fn new(read: R, handler: H) -> Self {
        Self {
            read,
            handler,
            types: PhantomData,
        }
    }
}

/// Decodes params in the form of the client's revision.
pub(crate) fn versioned<P: Versioned>(
    params: &ParamsView<'_>,
    cx: &Context,
) -> Result<P, HandlerError> {
    let params = cx.revision().decode(params.text());
    params.map_err(|error| bad_params(cx.method(), &error))
}

/// Decodes params that are the same in all revisions.
pub(crate) fn common<P: FromMembers>(
    params: &ParamsView<'_>,
    cx: &Context,
) -> Result<P, HandlerError> {
    members(params, cx, P::from_members)
}

/// Reads members of params that are the same in all revisions.
pub(crate) fn members<T>(
    params: &ParamsView<'_>,
    cx: &Context,
    read: impl FnOnce(&RawObject<'_>) -> Result<T, DecodeError>,
) -> Result<T, HandlerError> {
    let checked = params.check_meta();
    let read = checked.and_then(|()| read(&params.members));
    read.map_err(|error| bad_params(cx.method(), &error.into()))
}

impl<P, T, R, H, F> Route for Typed<P, T, R, H>
where
    R: Fn(&ParamsView<'_>, &Context) -> Result<P, HandlerError> + Send + Sync,
    T: Versioned,
    H: Fn(P, Context) -> F + Send + Sync,
    F: Future<Output = Result<T, HandlerError>> + Send + 'static,
{
    fn start(&self, params: &ParamsView<'_>, cx: &Context) -> Result<ResponseFuture, HandlerError> {
        let params = (self.read)(params, cx)?;
        let result = (self.handler)(params, cx.clone());
        let cx = cx.clone();
        Ok(Box::pin(and_then(result, move |result| {
            respond::result(&cx, result)
        })))
    }
}

/// Returns params as they are.
pub(crate) fn any_params(params: &ParamsView<'_>) -> Result<AnyRequest, HandlerError> {
    let params = json::from_str(params.text());
    let params = params.map_err(|error| HandlerError::internal(error.to_string()))?;
    Ok(AnyRequest::new(params))
}

/// Returns the response with a result as it is.
pub(crate) fn any_result(cx: &Context, result: &AnyResult) -> Result<Vec<u8>, HandlerError> {
    let id = cx.request_id().ok_or_else(respond::unasked)?;
    let mut message = Vec::with_capacity(result.result.get().len() + 64);
    rpc::write_result(&mut message, id, &*result.result)?;
    Ok(message)
}

/// The handler of notifications without a handler of their own.
pub(crate) struct AnyNotificationHandler(pub(crate) BoxedHandler<AnyNotification, ()>);

impl Listener for AnyNotificationHandler {
    fn start(
        &self,
        params: Option<&RawValue>,
        cx: &Context,
    ) -> Result<Pin<Box<dyn Future<Output = ()> + Send>>, HandlerError> {
        Ok(logged(
            (self.0)(AnyNotification::new(params), cx.clone()),
            cx,
        ))
    }
}

/// Runs the handler of a notification, whose errors are only logged.
fn logged(running: HandlerFuture<()>, cx: &Context) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let cx = cx.clone();
    Box::pin(async move {
        if let Err(error) = running.await {
            let method = PeerText(cx.method());
            let error = for_log(&error);
            tracing::warn!(%method, %error, "the handler of a notification failed");
        }
    })
}

/// A handler of the notifications `N`.
pub(crate) struct NotificationHandler<N: Notification>(BoxedHandler<NotificationParams<N>, ()>);

impl<N: Notification> NotificationHandler<N> {
    pub(crate) fn new(handler: BoxedHandler<NotificationParams<N>, ()>) -> Self {
        Self(handler)
    }
}

/// The text for missing params.
const NO_PARAMS: &str = "{}";

impl<N: Notification + 'static> Listener for NotificationHandler<N> {
    fn start(
        &self,
        params: Option<&RawValue>,
        cx: &Context,
    ) -> Result<Pin<Box<dyn Future<Output = ()> + Send>>, HandlerError> {
        let text = params.map_or(NO_PARAMS, RawValue::get);
        let params = json::from_str(text).map_err(|error| bad_params(N::METHOD, &error.into()))?;
        let running = (self.0)(NotificationParams(params), cx.clone());
        Ok(logged(running, cx))
    }
}
