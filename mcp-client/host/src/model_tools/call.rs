//! [`ModelCall`]: the call of a tool by a model.

use std::fmt::Display;

use mcp_client::CallError;
use mcp_types::CallToolResult;
use mcp_types::json::{self, Object, Value};

use super::error::ModelToolsError;
use super::result::ModelResult;

/// The call of a tool by a model. [`ModelTools::calls`](crate::ModelTools::calls) reads it from a
/// response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelCall {
    /// The id of the call: `id` of `tool_use` and `tool_calls`, `call_id` of `function_call`.
    pub id: String,
    /// The name of the tool, as the model uses it.
    pub name: String,
    /// The arguments as JSON, as the model wrote them.
    pub arguments: String,
}

impl ModelCall {
    /// Creates a call, for a response that the program has read by itself.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }

    /// Reads a call: its id is in `call`, its name and its arguments are in `function`.
    pub(super) fn read(
        call: &Value,
        id: &'static str,
        function: &Value,
        arguments: &str,
    ) -> Result<Self, ModelToolsError> {
        let text = |object: &Value, path: &'static str| {
            let text = object.get(path).and_then(Value::as_str).map(str::to_owned);
            text.ok_or(ModelToolsError::Response {
                path,
                expected: "text",
            })
        };
        let arguments = match function.get(arguments) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
        Ok(Self::new(
            text(call, id)?,
            text(function, "name")?,
            arguments,
        ))
    }

    /// Returns the arguments as an object. Some models send an empty text for a call without arguments.
    pub(super) fn object(&self) -> Result<Object, ModelToolsError> {
        let arguments = self.arguments.trim();
        if matches!(arguments, "" | "null") {
            return Ok(Object::new());
        }
        json::from_str(arguments).map_err(|source| ModelToolsError::Arguments {
            name: self.name.clone(),
            source,
        })
    }

    /// Returns what the model gets to know of the call: the content of the result, or why there is
    /// none and what can be done.
    #[must_use]
    pub fn result(&self, outcome: Result<CallToolResult, CallError>) -> ModelResult {
        match outcome {
            Ok(result) => ModelResult::of(&self.id, result),
            Err(error) => ModelResult::of_error(&self.id, &error),
        }
    }

    /// Returns the result of a call that was not made, with the reason for the model: at most 1,000
    /// characters, without control characters.
    #[must_use]
    pub fn failed(&self, reason: impl Display) -> ModelResult {
        ModelResult::failed(&self.id, reason)
    }
}
