//! [`Request`], [`Response`] and [`Notification`]: messages as a middleware sees them.

use std::borrow::Cow;
use std::fmt;

use mcp_types::Revision;
use mcp_types::error::DecodeError;
use mcp_types::json::{self, Map};
use mcp_types::peer_text::PeerText;
use mcp_types::revision::Versioned;
use mcp_types::rpc::ErrorObject;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::protocol::error::{CallError, InputError};

/// Params without members.
const NO_PARAMS: &str = "{}";

/// What a request is answered with. A refusal is a [`CallError::Client`], which an [`ErrorObject`]
/// converts into.
pub type Outcome = Result<Response, CallError>;

/// The direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
}

/// A request, as a middleware sees it.
pub struct Request {
    direction: Direction,
    method: Cow<'static, str>,
    revision: Revision,
    pub(super) params: Box<RawValue>,
}

impl Request {
    pub(crate) fn new(
        direction: Direction,
        method: Cow<'static, str>,
        revision: Revision,
        params: Box<RawValue>,
    ) -> Self {
        Self {
            direction,
            method,
            revision,
            params,
        }
    }

    /// Returns whether this client or the server sends the request.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Returns the revision in whose form the params and the result are.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the params as JSON. For a request without params, returns `{}`.
    #[must_use]
    pub fn params(&self) -> &RawValue {
        &self.params
    }

    /// Decodes one member of the params, such as the name of the tool in `tools/call`. `None` if
    /// there is no such member.
    ///
    /// # Errors
    ///
    /// If the member is not a `T`. A server whose request is refused with this error receives
    /// -32602.
    pub fn param<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, CallError> {
        let member = self.members().and_then(|members| {
            let member = members
                .get(name)
                .map(|text| json::from_str(text.get()))
                .transpose();
            member.map_err(|error| error.inside_member(name.to_owned()))
        });
        member.map_err(|error| self.invalid(&error))
    }

    /// Sets one member of the params.
    ///
    /// # Errors
    ///
    /// If the value cannot be encoded.
    pub fn with_param(
        self,
        name: &str,
        value: &(impl Serialize + ?Sized),
    ) -> Result<Self, CallError> {
        let params = self.members().and_then(|mut members| {
            members.insert(name, json::to_raw(value)?);
            Ok(json::to_raw(&members)?)
        });
        let params = params.map_err(|error| self.invalid(&error))?;
        Ok(self.with_params(params))
    }

    fn members(&self) -> Result<Map<Box<RawValue>>, DecodeError> {
        json::from_str(self.params.get())
    }

    fn invalid(&self, error: &DecodeError) -> CallError {
        let text = format!("invalid params of `{}`: {error}", PeerText(self.method()));
        ErrorObject::invalid_params(text).into()
    }

    /// Replaces the params. They must be an object in the form of the [revision](Self::revision).
    #[must_use]
    pub fn with_params(self, params: Box<RawValue>) -> Self {
        Self { params, ..self }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("direction", &self.direction)
            .field("method", &PeerText(self.method()))
            .finish_non_exhaustive()
    }
}

/// The result of a request, in the form of its revision.
#[derive(Clone)]
pub struct Response {
    result: Box<RawValue>,
}

impl Response {
    /// Creates the response with a result, for middleware that answers by itself. `revision` is
    /// [that of the request](Request::revision).
    ///
    /// # Errors
    ///
    /// If the result has no form in that revision.
    pub fn new<T: Versioned>(revision: Revision, result: T) -> Result<Self, CallError> {
        let result = revision
            .encode(result)
            .map_err(|source| CallError::Client {
                source: source.into(),
            })?;
        Ok(Self::raw(result))
    }

    pub(crate) fn raw(result: Box<RawValue>) -> Self {
        Self { result }
    }

    pub(crate) fn into_raw(self) -> Box<RawValue> {
        self.result
    }

    /// Returns the result as JSON.
    #[must_use]
    pub fn result(&self) -> &RawValue {
        &self.result
    }

    /// Replaces the result. It must be in the form of the revision of the request.
    #[must_use]
    pub fn with_result(self, result: Box<RawValue>) -> Self {
        Self { result }
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").finish_non_exhaustive()
    }
}

/// A notification, as a middleware sees it.
pub struct Notification {
    direction: Direction,
    method: Cow<'static, str>,
    params: Box<RawValue>,
    /// Whether the message has no params.
    is_bare: bool,
}

impl Notification {
    /// Returns `None` if the params cannot be copied, which does not happen.
    pub(super) fn new(
        direction: Direction,
        method: &str,
        params: Option<&RawValue>,
    ) -> Option<Self> {
        let copied = match params {
            Some(params) => params.to_owned(),
            None => RawValue::from_string(NO_PARAMS.to_owned()).ok()?,
        };
        Some(Self {
            direction,
            method: method.to_owned().into(),
            params: copied,
            is_bare: params.is_none(),
        })
    }

    /// Returns whether this client or the server sends the notification.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Returns the params as JSON. For a notification without params, returns `{}`.
    #[must_use]
    pub fn params(&self) -> &RawValue {
        &self.params
    }

    /// Replaces the params.
    #[must_use]
    pub fn with_params(self, params: Box<RawValue>) -> Self {
        Self {
            params,
            is_bare: false,
            ..self
        }
    }

    /// Returns the params as they are sent and handled.
    pub(crate) fn sent_params(&self) -> Option<&RawValue> {
        (!self.is_bare).then_some(&*self.params)
    }
}

impl fmt::Debug for Notification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notification")
            .field("direction", &self.direction)
            .field("method", &PeerText(self.method()))
            .finish_non_exhaustive()
    }
}

/// The refusal of a request. A server receives the error as it is.
impl From<ErrorObject> for CallError {
    fn from(error: ErrorObject) -> Self {
        Self::Client {
            source: InputError::from(error),
        }
    }
}
