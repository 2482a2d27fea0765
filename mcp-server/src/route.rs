//! Handlers by method, with their types erased.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

use mcp_types::revision::Versioned;
use mcp_types::{Notification, Request, json};
use serde_json::value::RawValue;

use crate::context::Context;
use crate::engine::respond;
use crate::error::{HandlerError, bad_arguments, bad_params};

/// A handler at work: ends with the whole response message.
pub(crate) type Running = Pin<Box<dyn Future<Output = Result<Vec<u8>, HandlerError>> + Send>>;

/// A handler of a request.
pub(crate) trait Route: Send + Sync {
    /// Reads the params and begins.
    fn start(&self, params: Option<&RawValue>, cx: &Context) -> Result<Running, HandlerError>;
}

/// A handler of a notification.
pub(crate) trait Listener: Send + Sync {
    /// Reads the params and begins.
    fn start(
        &self,
        params: Option<&RawValue>,
        cx: &Context,
    ) -> Result<Pin<Box<dyn Future<Output = ()> + Send>>, HandlerError>;
}

/// A handler of the requests `R`.
pub(crate) struct Typed<R, H> {
    handler: H,
    request: PhantomData<fn() -> R>,
}

impl<R, H> Typed<R, H> {
    pub(crate) fn new(handler: H) -> Self {
        Self {
            handler,
            request: PhantomData,
        }
    }
}

/// What the absence of params stands for.
const NO_PARAMS: &str = "{}";

impl<R, H, F> Route for Typed<R, H>
where
    R: Request,
    R::Params: Versioned,
    R::Result: Versioned,
    H: Fn(R::Params, Context) -> F + Send + Sync,
    F: Future<Output = Result<R::Result, HandlerError>> + Send + 'static,
{
    fn start(&self, params: Option<&RawValue>, cx: &Context) -> Result<Running, HandlerError> {
        let text = params.map_or(NO_PARAMS, RawValue::get);
        let params = cx
            .revision()
            .decode::<R::Params>(text)
            .map_err(|error| bad_params(R::METHOD, &error))?;
        let result = (self.handler)(params, cx.clone());
        let cx = cx.clone();
        Ok(Box::pin(async move {
            let result = result.await?;
            respond::result(&cx, result)
        }))
    }
}

impl<N, H, F> Listener for Typed<N, H>
where
    N: Notification,
    H: Fn(N::Params, Context) -> F + Send + Sync,
    F: Future<Output = ()> + Send + 'static,
{
    fn start(
        &self,
        params: Option<&RawValue>,
        cx: &Context,
    ) -> Result<Pin<Box<dyn Future<Output = ()> + Send>>, HandlerError> {
        let text = params.map_or(NO_PARAMS, RawValue::get);
        let params = json::from_str(text)
            .map_err(|error| bad_arguments(&format!("params of `{}`", N::METHOD), &error))?;
        Ok(Box::pin((self.handler)(params, cx.clone())))
    }
}
