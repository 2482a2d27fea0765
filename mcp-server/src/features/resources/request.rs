//! The resource that a request names, and the extractors [`ResourceUri`] and [`Variables`].

use mcp_types::json::Map;
use serde::de::DeserializeOwned;

use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::short;
use crate::protocol::handler::extract::FromContext;
use crate::protocol::handler::requirements::Requirements;
use crate::protocol::handler::{Input, NoArguments};
use crate::util::text_values;

/// The resource of a request, attached to the context of its handler.
pub(crate) struct ResourceRequest {
    pub(crate) uri: String,
    pub(crate) variables: Map<String>,
}

/// Extracts the URI of the requested resource, in handlers and guards of resources and of resource
/// templates. Elsewhere, building the server fails with
/// [`BuildError::NotAResource`](crate::BuildError::NotAResource), and in handlers that list with
/// [`BuildError::NoResource`](crate::BuildError::NoResource).
///
/// The URI is the [canonical](mcp_types::uri::canonical) one, also if the client sent another one
/// that is equivalent. The values of a template's variables may contain `../`.
///
/// ```
/// use mcp_server::{ResourceUri, Server};
///
/// let server = Server::builder("demo", "1.0.0")
///     .resource("time://now", "now", |ResourceUri(uri): ResourceUri| async move {
///         format!("{uri} is noon")
///     })
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceUri(pub String);

impl FromContext for ResourceUri {
    fn requirements(requirements: &mut Requirements) {
        requirements.resource::<Self>();
    }

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        let request = cx.value::<ResourceRequest>();
        let request = request.ok_or_else(no_resource)?;
        Ok(Self(request.uri.clone()))
    }
}

/// Extracts the variables of a resource template from the URI, decoded into a type. For guards of
/// the template, and for handlers of [`TemplateDef::describe`](crate::TemplateDef::describe), whose
/// argument is the resource; handlers that read have the variables as their argument.
///
/// Elsewhere, building the server fails, for resources with
/// [`BuildError::NotATemplate`](crate::BuildError::NotATemplate).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variables<P>(pub P);

impl<P: DeserializeOwned + Send> FromContext for Variables<P> {
    fn requirements(requirements: &mut Requirements) {
        requirements.template::<Self>();
    }

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        let request = cx.value::<ResourceRequest>();
        let request = request.ok_or_else(no_resource)?;
        typed(&request.uri, request.variables.clone()).map(Self)
    }
}

fn no_resource() -> HandlerError {
    HandlerError::internal("the request names no resource")
}

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
