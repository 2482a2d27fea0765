//! Handlers by method, with their types erased.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

use mcp_types::revision::Versioned;
use mcp_types::{Notification, json};
use serde_json::value::RawValue;

use crate::protocol::context::Context;
use crate::protocol::error::{BuildError, HandlerError, bad_params};
use crate::protocol::params_view::Head;
use crate::protocol::raw_object::FromMembers;
use crate::protocol::respond;
use crate::util::and_then::then;

/// A handler at work: ends with the whole response message.
pub(crate) type Running = Pin<Box<dyn Future<Output = Result<Vec<u8>, HandlerError>> + Send>>;

/// A handler of a request.
pub(crate) trait Route: Send + Sync {
    /// Reads the params and begins.
    fn start(&self, head: &Head<'_>, cx: &Context) -> Result<Running, HandlerError>;
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

/// Handlers by method, which are few.
pub(crate) struct Methods<T>(Vec<(&'static str, T)>);

impl<T> Default for Methods<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Methods<T> {
    pub(crate) fn get(&self, method: &str) -> Option<&T> {
        let known = self.0.iter().find(|(known, _)| *known == method)?;
        Some(&known.1)
    }

    /// Adds a handler; the first one for a method stays.
    pub(crate) fn add(&mut self, method: &'static str, handler: T) -> Result<(), BuildError> {
        if self.get(method).is_some() {
            return Err(BuildError::DuplicateMethod(method.to_owned()));
        }
        self.0.push((method, handler));
        Ok(())
    }
}

/// A handler of requests with the params `P` and the result `T`.
pub(crate) struct Typed<P, T, H> {
    read: fn(&Head<'_>, &Context) -> Result<P, HandlerError>,
    handler: H,
    result: PhantomData<fn() -> T>,
}

impl<P, T, H> Typed<P, T, H> {
    /// Of params that are read in a way of their own.
    pub(crate) fn new(
        read: fn(&Head<'_>, &Context) -> Result<P, HandlerError>,
        handler: H,
    ) -> Self {
        Self {
            read,
            handler,
            result: PhantomData,
        }
    }
}

/// Reads params as the peer's revision has them.
pub(crate) fn versioned<P: Versioned>(head: &Head<'_>, cx: &Context) -> Result<P, HandlerError> {
    let params = cx.revision().decode(head.text());
    params.map_err(|error| bad_params(cx.method(), &error))
}

/// Reads params that are the same in all revisions.
pub(crate) fn common<P: FromMembers>(head: &Head<'_>, cx: &Context) -> Result<P, HandlerError> {
    let checked = head.check_meta();
    let params = checked.and_then(|()| P::from_members(head.params()));
    params.map_err(|error| bad_params(cx.method(), &error.into()))
}

impl<P, T, H, F> Route for Typed<P, T, H>
where
    T: Versioned,
    H: Fn(P, Context) -> F + Send + Sync,
    F: Future<Output = Result<T, HandlerError>> + Send + 'static,
{
    fn start(&self, head: &Head<'_>, cx: &Context) -> Result<Running, HandlerError> {
        let params = (self.read)(head, cx)?;
        let result = (self.handler)(params, cx.clone());
        let cx = cx.clone();
        Ok(Box::pin(then(result, move |result| {
            respond::result(&cx, result)
        })))
    }
}

/// A handler of the notifications `N`.
pub(crate) struct Told<N, H> {
    handler: H,
    notification: PhantomData<fn() -> N>,
}

impl<N, H> Told<N, H> {
    pub(crate) fn new(handler: H) -> Self {
        Self {
            handler,
            notification: PhantomData,
        }
    }
}

/// What the absence of params stands for.
const NO_PARAMS: &str = "{}";

impl<N, H, F> Listener for Told<N, H>
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
        let params = json::from_str(text).map_err(|error| bad_params(N::METHOD, &error.into()))?;
        Ok(Box::pin((self.handler)(params, cx.clone())))
    }
}
