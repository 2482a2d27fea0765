//! The values of a template's variables in a URI.

use mcp_types::json::Map;
use serde::de::DeserializeOwned;

use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::text::short;
use crate::protocol::handler::{Input, NoArguments};
use crate::util::text_values;

/// Decodes the variables of a URI into a type.
pub(crate) fn typed<P: DeserializeOwned>(
    uri: &str,
    variables: Map<String>,
) -> Result<P, HandlerError> {
    match text_values::decode(variables) {
        Ok((value, _)) => Ok(value),
        Err(error) => {
            let uri = short(uri);
            let message = format!("variables of `{uri}`: {error}");
            Err(HandlerError::invalid_params(message))
        }
    }
}

/// The variables of a resource template: a type that implements `serde::Deserialize`.
pub trait TemplateVariables: Input + Sized {
    #[doc(hidden)]
    fn from_variables(uri: &str, variables: Map<String>) -> Result<Self, HandlerError>;
}

impl<P: DeserializeOwned + Send + 'static> TemplateVariables for P {
    fn from_variables(uri: &str, variables: Map<String>) -> Result<Self, HandlerError> {
        typed(uri, variables)
    }
}

impl TemplateVariables for NoArguments {
    fn from_variables(_: &str, _: Map<String>) -> Result<Self, HandlerError> {
        Ok(Self)
    }
}
