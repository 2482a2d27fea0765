//! [`Params`] and [`NotificationParams`]: the params of a method, for handlers that the program
//! adds to a server by itself.

use std::fmt;

use mcp_types::error::DecodeError;
use mcp_types::json::Map;
use mcp_types::revision::Versioned;
use mcp_types::{Notification, Request, json};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::protocol::core::Context;
use crate::protocol::error::handler_error::{HandlerError, bad_params};
use crate::protocol::handler::Input;
use crate::protocol::message::raw_object::object_text;
use crate::util::partial_debug::partial_debug;

/// The params of the request `R`, in the form of the newest revision. The first parameter of a
/// handler for [`ServerBuilder::on`](crate::ServerBuilder::on).
pub struct Params<R: Request>(pub R::Params);

impl<R: Request + 'static> Input for Params<R> {}

impl<R: Request> fmt::Debug for Params<R>
where
    R::Params: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Params").field(&self.0).finish()
    }
}

/// The params of the notification `N`. The first parameter of a handler for
/// [`ServerBuilder::on_notification`](crate::ServerBuilder::on_notification).
pub struct NotificationParams<N: Notification>(pub N::Params);

impl<N: Notification + 'static> Input for NotificationParams<N> {}

impl<N: Notification> fmt::Debug for NotificationParams<N>
where
    N::Params: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NotificationParams").field(&self.0).finish()
    }
}

/// A request of any method, the first parameter of a handler for
/// [`ServerBuilder::fallback`](crate::ServerBuilder::fallback). Its method is
/// [`Context::method`](crate::Context::method).
pub struct AnyRequest {
    params: Box<RawValue>,
}

impl Input for AnyRequest {}

impl AnyRequest {
    pub(crate) fn new(params: Box<RawValue>) -> Self {
        Self { params }
    }

    /// Returns the params as the client sent them, with `_meta`. For a request without params,
    /// returns `{}`.
    #[must_use]
    pub fn params(&self) -> &RawValue {
        &self.params
    }

    /// Returns the members of the params, in their order.
    ///
    /// # Errors
    ///
    /// If a name occurs twice.
    pub fn members(&self) -> Result<Map<Box<RawValue>>, DecodeError> {
        json::from_str(self.params.get())
    }

    /// Decodes the params, in the form of the client's revision, as a type of the newest one.
    ///
    /// # Errors
    ///
    /// -32602 with the path of what is wrong.
    pub fn decode<P: Versioned>(&self, cx: &Context) -> Result<P, HandlerError> {
        let params = cx.revision().decode(self.params.get());
        params.map_err(|error| bad_params(cx.method(), &error))
    }
}

partial_debug!(
    /// The params may be secret.
    AnyRequest, |it| bytes: it.params.get().len()
);

/// The result of a request of any method, in the form of the client's revision. It is sent as it
/// is.
pub struct AnyResult {
    pub(crate) result: Box<RawValue>,
}

impl AnyResult {
    /// Creates the result from a JSON object.
    ///
    /// # Errors
    ///
    /// -32603 if the value is not an object, or cannot be encoded.
    pub fn from_json(result: &(impl Serialize + ?Sized)) -> Result<Self, HandlerError> {
        let result = object_text(result)?;
        Ok(Self { result })
    }

    /// Creates the result from a type of the newest revision, translated for the client.
    ///
    /// # Errors
    ///
    /// -32603 where the result has no form in the client's revision.
    pub fn new<T: Versioned>(cx: &Context, result: T) -> Result<Self, HandlerError> {
        let result = cx.revision().encode(result)?;
        Ok(Self { result })
    }

    /// Returns the result as JSON.
    #[must_use]
    pub fn get(&self) -> &RawValue {
        &self.result
    }
}

partial_debug!(
    /// The result may be secret.
    AnyResult, |it| bytes: it.result.get().len()
);

/// A notification of any method, the first parameter of a handler for
/// [`ServerBuilder::fallback_notification`](crate::ServerBuilder::fallback_notification). Its method
/// is [`Context::method`](crate::Context::method).
pub struct AnyNotification {
    params: Option<Box<RawValue>>,
}

impl Input for AnyNotification {}

impl AnyNotification {
    pub(crate) fn new(params: Option<&RawValue>) -> Self {
        Self {
            params: params.map(ToOwned::to_owned),
        }
    }

    /// Returns the params as the client sent them, or `None` if it sent none.
    #[must_use]
    pub fn params(&self) -> Option<&RawValue> {
        self.params.as_deref()
    }
}

partial_debug!(
    /// The params may be secret.
    AnyNotification, |it|
    bytes: it.params.as_ref().map(|params| params.get().len())
);
