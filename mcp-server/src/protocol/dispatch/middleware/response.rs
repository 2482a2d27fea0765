//! [`Response`]: the result of a request on its way back through the middleware.

use std::fmt;

use mcp_types::error::DecodeError;
use mcp_types::revision::Versioned;
use mcp_types::rpc::{self, Message};
use mcp_types::{RequestId, ResultType};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::protocol::core::Context;
use crate::protocol::dispatch::respond;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::message::raw_object::object_text;

/// The result of a request, in the form of the client's revision.
pub struct Response {
    /// The whole message.
    pub(super) message: Vec<u8>,
}

impl Response {
    /// Creates the response with a result, translated for the client's revision. For middleware
    /// that answers by itself.
    ///
    /// # Errors
    ///
    /// -32603 where the result has no form in that revision.
    pub fn new<T: Versioned>(cx: &Context, result: T) -> Result<Self, HandlerError> {
        let message = respond::result(cx, result)?;
        Ok(Self { message })
    }

    /// Creates the response with a result that is in the form of the client's revision already, such
    /// as one that a cache has kept.
    ///
    /// # Errors
    ///
    /// -32603 if the result is not an object, or cannot be encoded.
    pub fn from_json(
        cx: &Context,
        result: &(impl Serialize + ?Sized),
    ) -> Result<Self, HandlerError> {
        // The response of a client to a question has no id that anything reads.
        let none = RequestId::from(0);
        let id = cx.request_id().unwrap_or(&none);
        let mut message = Vec::with_capacity(512);
        rpc::write_result(&mut message, id, &*object_text(result)?)?;
        Ok(Self { message })
    }

    /// Returns the result as JSON, in the form of the client's revision.
    ///
    /// # Errors
    ///
    /// None for a response that this crate made.
    pub fn result(&self) -> Result<&RawValue, DecodeError> {
        match rpc::parse(&self.message) {
            Ok(Message::Result { result, .. }) => Ok(result),
            _ => Err(DecodeError::data("not a response with a result")),
        }
    }

    /// Returns `true` if this is the failure of a tool: a result with `isError`.
    #[must_use]
    pub fn is_tool_error(&self) -> bool {
        self.member("isError") == Some(true)
    }

    /// Returns `true` if the result asks the client for input, so that the request is not complete:
    /// the client sends it again, with the answers.
    #[must_use]
    pub fn is_input_required(&self) -> bool {
        self.member("resultType") == Some(ResultType::InputRequired)
    }

    /// Decodes a member of the result. `None` if it is absent or not a `T`.
    fn member<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let result = ParamsView::read(Some(self.result().ok()?)).ok()?;
        result.members().optional(name).ok()?
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("is_tool_error", &self.is_tool_error())
            .finish_non_exhaustive()
    }
}
