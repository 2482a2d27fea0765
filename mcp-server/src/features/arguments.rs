//! [`Arguments`]: the typed arguments of tools and prompts.

use std::any::type_name;

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Map, Object, Value};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::features::definition_error::DefinitionError;
use crate::features::schema;
use crate::protocol::handler::{Input, NoArguments};
use crate::util::text_values;

/// The arguments of a tool or prompt: a type that implements `serde::Deserialize` and
/// `schemars::JsonSchema`. `()` has no arguments; a handler without arguments can also omit the
/// parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the arguments of a tool or prompt",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema`"
)]
pub trait Arguments: Input + Sized {
    /// Returns the schema of the arguments, an object; `None` if there are no arguments.
    #[doc(hidden)]
    fn schema() -> Result<Option<Object>, DefinitionError>;

    /// Decodes missing arguments.
    #[doc(hidden)]
    fn from_nothing() -> Result<Self, DecodeError>;

    /// Decodes the members of an object.
    #[doc(hidden)]
    fn from_object(arguments: Object) -> Result<Self, DecodeError>;

    /// Decodes strings, parsing them as the fields of the type require. Also returns the parsed
    /// values, for validation.
    #[doc(hidden)]
    fn from_texts(arguments: Map<String>) -> Result<(Self, Object), DecodeError>;
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

    fn from_texts(arguments: Map<String>) -> Result<(Self, Object), DecodeError> {
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

    fn from_texts(_: Map<String>) -> Result<(Self, Object), DecodeError> {
        Ok((Self, Object::new()))
    }
}

/// Derives the schema of arguments from their type. Without the feature `json-schema` nothing is
/// enforced beyond the type, so a schema that says more is an error.
pub(crate) fn derived_schema<A: Arguments>() -> Result<Option<Object>, DefinitionError> {
    let Some(mut schema) = A::schema()? else {
        return Ok(None);
    };
    let is_object = |kind: &Value| match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| kind.as_str() == Some("object")),
        kind => kind.as_str() == Some("object"),
    };
    if let Some(kind) = schema.get("type")
        && !is_object(kind)
    {
        let name = type_name::<A>();
        let kind = json::to_string(kind).unwrap_or_default();
        return Err(format!(
            "the handler takes `{name}` as its arguments, whose JSON type is {kind}: expected a struct, \
             whose fields are the arguments"
        )
        .into());
    }
    #[cfg(not(feature = "json-schema"))]
    schema::promises::kept_by_types(&schema)?;
    schema::remove_rust_formats(&mut schema);
    Ok(Some(schema))
}
