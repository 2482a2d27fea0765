//! [`Arguments`]: the typed arguments of tools and prompts.

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Map, Object, Value};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::features::definition_error::DefinitionError;
use crate::features::schema;
use crate::protocol::handler::{Input, NoArguments};
use crate::util::text_values;

/// A type for the arguments of tools and prompts: one that implements `serde::Deserialize` and
/// `schemars::JsonSchema`. `()` takes no arguments, as a handler without such a parameter does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a tool or prompt",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema`"
)]
pub trait Arguments: Input + Sized {
    /// The schema of the arguments, as an object; `None` if there are none.
    #[doc(hidden)]
    fn schema() -> Result<Option<Object>, DefinitionError>;

    /// Decodes the absence of arguments.
    #[doc(hidden)]
    fn from_nothing() -> Result<Self, DecodeError>;

    /// Decodes the members of an object.
    #[doc(hidden)]
    fn from_object(arguments: Object) -> Result<Self, DecodeError>;

    /// Decodes texts, which are parsed as the type asks for.
    #[doc(hidden)]
    fn from_texts(arguments: Map<String>) -> Result<Self, DecodeError>;
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Arguments for T {
    fn schema() -> Result<Option<Object>, DefinitionError> {
        schema::of_input::<T>()
    }

    fn from_nothing() -> Result<Self, DecodeError> {
        json::from_value(Value::Null)
    }

    fn from_object(arguments: Object) -> Result<Self, DecodeError> {
        json::from_object(arguments)
    }

    fn from_texts(arguments: Map<String>) -> Result<Self, DecodeError> {
        text_values::decode(arguments)
    }
}

impl Arguments for NoArguments {
    fn schema() -> Result<Option<Object>, DefinitionError> {
        Ok(None)
    }

    fn from_nothing() -> Result<Self, DecodeError> {
        Ok(Self)
    }

    fn from_object(_: Object) -> Result<Self, DecodeError> {
        Ok(Self)
    }

    fn from_texts(_: Map<String>) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}
