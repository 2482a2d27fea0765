//! [`PromptDef`]: the definition of a prompt.

use std::fmt;

#[cfg(not(feature = "json-schema"))]
use mcp_types::error::DecodeError;
use mcp_types::json::{Map, Object, Value};
use mcp_types::{
    Completion, ContentBlock, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role, TextContent,
};

use crate::features::access::{Access, access_getters, access_setters, listing_setters};
use crate::features::arguments::{Arguments, derived_schema};
use crate::features::catalog::{Definition, list_item};
use crate::features::completing::{Completing, IntoCompletion, OwnCompletions};
use crate::features::definition_error::{DefinitionError, check_icons, check_name};
#[cfg(feature = "json-schema")]
use crate::features::schema;
use crate::protocol::changes::Change;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::short;
use crate::protocol::handler::{Handler, HandlerFuture, boxed};

type PromptFuture = HandlerFuture<GetPromptResult>;

type PromptHandler =
    Box<dyn Fn(&str, Map<String>, Context) -> Result<PromptFuture, HandlerError> + Send + Sync>;

/// The definition of a prompt with all its properties.
///
/// ```
/// use mcp_server::types::json::Map;
/// use mcp_server::types::{PromptArgument, Role};
/// use mcp_server::{PromptDef, Server};
///
/// let prompt = PromptDef::new("haiku")
///     .title("Haiku")
///     .description("Asks for a haiku")
///     .argument(PromptArgument::new("about").description("Its subject").required(true))
///     .map_handler(|args: Map<String>| async move {
///         let about = args.get("about").cloned().unwrap_or_default();
///         vec![
///             (Role::User, format!("A haiku about {about}, please.")),
///             (Role::Assistant, "Here it is:".to_owned()),
///         ]
///     });
/// let server = Server::builder("poet", "1.0.0").add_prompt(prompt).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[must_use = "a definition does nothing until it is added"]
pub struct PromptDef {
    pub(crate) prompt: Prompt,
    handler: Option<PromptHandler>,
    completions: OwnCompletions,
    access: Access,
    error: Option<DefinitionError>,
}

impl PromptDef {
    /// Creates the definition of a prompt with this name. It needs a [handler](Self::handler).
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            prompt: Prompt::new(name),
            handler: None,
            completions: OwnCompletions::default(),
            access: Access::default(),
            error: None,
        }
    }

    listing_setters!(prompt);

    /// Sets a description of what the prompt is for.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.prompt.description = Some(description.into());
        self
    }

    /// Lists an argument. Replaces one with the same name.
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        let listed = self.prompt.arguments.get_or_insert_default();
        match listed.iter_mut().find(|known| known.name == argument.name) {
            Some(known) => *known = argument,
            None => listed.push(argument),
        }
        self
    }

    access_setters!();

    /// Sets the [handler](Handler) that makes the prompt. The fields of its arguments are listed,
    /// except for those that [`argument`](Self::argument) lists.
    ///
    /// Clients send arguments as texts. Lists, structs and enums with data are parsed as JSON, and
    /// listed as such; for an untagged enum, a text that no variant accepts is parsed as JSON. An
    /// empty text for an optional field that cannot be empty, such as a number, counts as absent.
    pub fn handler<A, M, H>(mut self, handler: H) -> Self
    where
        A: Arguments,
        H: Handler<A, M>,
        H::Output: IntoPrompt + 'static,
    {
        let derived = match derived_schema::<A>() {
            Ok(derived) => derived,
            Err(error) => {
                self.error = Some(error);
                return self;
            }
        };
        let nothing = derived.is_none();
        for argument in derived.iter().flat_map(arguments) {
            if !self.has_argument(&argument.name) {
                self = self.argument(argument);
            }
        }
        #[cfg(feature = "json-schema")]
        let validator = match derived.as_ref().map(schema::compile_input).transpose() {
            Ok(validator) => validator,
            Err(error) => {
                self.error = Some(error);
                return self;
            }
        };
        #[cfg(feature = "json-schema")]
        let check = move |parsed: &Object| match &validator {
            Some(validator) => validator.check(parsed),
            None => Ok(()),
        };
        // The schema says no more than the type.
        #[cfg(not(feature = "json-schema"))]
        let check = |_: &Object| Ok::<(), DecodeError>(());
        self.access.require(&handler);
        let handler = boxed(handler, H::Output::into_prompt);
        self.handler = Some(Box::new(move |name, arguments, cx| {
            if let Some(other) = arguments.keys().next().filter(|_| nothing) {
                let other = short(other);
                let message = format!("arguments of `{name}`: there is no `{other}`");
                return Err(HandlerError::invalid_params(message));
            }
            let invalid = |error: &dyn fmt::Display| {
                HandlerError::invalid_params(format!("arguments of `{name}`: {error}"))
            };
            if nothing {
                let arguments = A::from_nothing().map_err(|error| invalid(&error))?;
                return Ok(handler(arguments, cx));
            }
            let (arguments, parsed) = A::from_texts(arguments).map_err(|error| invalid(&error))?;
            check(&parsed).map_err(|error| invalid(&error))?;
            Ok(handler(arguments, cx))
        }));
        self
    }

    /// Sets a handler whose arguments are a map of the strings in the request. Required arguments
    /// that are [listed](Self::argument) are always present.
    pub fn map_handler<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<Map<String>, M>,
        H::Output: IntoPrompt + 'static,
    {
        self.access.require(&handler);
        let handler = boxed(handler, H::Output::into_prompt);
        self.handler = Some(Box::new(move |_, arguments, cx| Ok(handler(arguments, cx))));
        self
    }

    /// Completes an argument of the prompt, as
    /// [`ServerBuilder::complete_prompt`](crate::ServerBuilder::complete_prompt) does: also
    /// for a definition that is added while the server runs. A handler for another argument is an
    /// error in the definition.
    ///
    /// If nothing is completed when the server is built, its capability has to be declared:
    /// `.capabilities(|c| c.completions(Object::new()))`.
    pub fn complete<M, H>(mut self, argument: impl Into<String>, handler: H) -> Self
    where
        H: Handler<Completing, M>,
        H::Output: IntoCompletion + 'static,
    {
        self.access.require(&handler);
        self.completions.add(argument.into(), handler);
        self
    }

    /// Returns `true` if an argument is completed.
    pub(crate) fn completes(&self) -> bool {
        !self.completions.is_empty()
    }

    /// Starts the handler that completes an argument; `None` if the prompt has no such handler.
    pub(crate) fn complete_argument(
        &self,
        argument: &str,
        typing: &Completing,
        cx: &Context,
    ) -> Option<HandlerFuture<Completion>> {
        let handler = self.completions.get(argument)?;
        Some(handler(typing.clone(), self.access.scoped(cx)))
    }

    fn listed(&self) -> &[PromptArgument] {
        self.prompt.arguments.as_deref().unwrap_or_default()
    }

    /// Returns `true` if the prompt has an argument with this name.
    pub(crate) fn has_argument(&self, name: &str) -> bool {
        self.listed().iter().any(|known| known.name == name)
    }

    /// Checks the arguments and starts the handler.
    pub(crate) fn start(
        &self,
        arguments: Map<String>,
        cx: &Context,
    ) -> Result<PromptFuture, HandlerError> {
        let name = &self.prompt.name;
        let missing = self
            .listed()
            .iter()
            .find(|known| known.required == Some(true) && !arguments.contains_key(&known.name));
        if let Some(missing) = missing {
            let missing = &missing.name;
            let message = format!("arguments of `{name}`: `{missing}` is missing");
            return Err(HandlerError::invalid_params(message));
        }
        match &self.handler {
            Some(handler) => handler(name, arguments, self.access.scoped(cx)),
            None => Err(HandlerError::internal("the prompt has no handler")),
        }
    }
}

/// Returns the arguments for the properties of a type's schema.
fn arguments(schema: &Object) -> Vec<PromptArgument> {
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.map(Vec::as_slice).unwrap_or_default();
    let mut arguments = Vec::new();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return arguments;
    };
    for (name, property) in properties {
        let is_required = required.iter().any(|known| known.as_str() == Some(name));
        let mut argument = PromptArgument::new(name).required(is_required);
        let text = |member: &str| property.get(member).and_then(Value::as_str);
        argument.title = text("title").map(Into::into);
        argument.description = match (text("description"), json_type(property, schema, REFERENCES))
        {
            (Some(text), Some(kind)) => Some(format!("{text} (a JSON {kind})")),
            (None, Some(kind)) => Some(format!("A JSON {kind}")),
            (text, None) => text.map(Into::into),
        };
        arguments.push(argument);
    }
    arguments
}

/// How many references of a schema are followed to the type of an argument.
const REFERENCES: usize = 4;

/// Returns the type of values that do not fit into a text, other than as JSON.
fn json_type<'a>(property: &'a Value, root: &'a Object, references: usize) -> Option<&'a str> {
    let references = references.checked_sub(1)?;
    if let Some(name) = property.get("$ref").and_then(Value::as_str) {
        let definition = root.get("$defs")?.get(name.strip_prefix("#/$defs/")?)?;
        return json_type(definition, root, references);
    }
    let of = |kind: &'a Value| kind.as_str().filter(|it| matches!(*it, "array" | "object"));
    match property.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().find_map(of),
        Some(kind) => of(kind),
        None => {
            let any = property.get("anyOf").or_else(|| property.get("oneOf"))?;
            let is_null = |it: &&Value| it.get("type").and_then(Value::as_str) == Some("null");
            let any = any.as_array()?.iter().filter(|it| !is_null(it));
            let mut kinds = any.map(|schema| json_type(schema, root, references));
            let first = kinds.next()?;
            first.filter(|_| kinds.all(|kind| kind == first))
        }
    }
}

impl Definition for PromptDef {
    const KIND: &'static str = "prompt";

    fn key(&self) -> &str {
        &self.prompt.name
    }

    fn check(&mut self) -> Result<(), DefinitionError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.handler.is_none() {
            return Err("the prompt has no handler".into());
        }
        check_icons(self.prompt.icons.as_ref())?;
        self.completions.check(|name| self.has_argument(name))
    }

    fn check_name(&self) -> Result<(), DefinitionError> {
        check_name(&self.prompt.name)
    }

    fn prefix(&mut self, prefix: &str) {
        self.prompt.name.insert_str(0, prefix);
    }

    fn change() -> Change {
        Change::Prompts
    }

    access_getters!();
}

list_item!(PromptDef, prompt: Prompt, ListPromptsResult);

/// A message of a prompt: text, which is the user's, content with the role of the speaker, or a
/// whole [`PromptMessage`].
pub trait IntoMessage {
    /// Converts the value into a message.
    fn into_message(self) -> PromptMessage;
}

impl IntoMessage for PromptMessage {
    fn into_message(self) -> PromptMessage {
        self
    }
}

impl IntoMessage for String {
    fn into_message(self) -> PromptMessage {
        (Role::User, self).into_message()
    }
}

impl IntoMessage for &str {
    fn into_message(self) -> PromptMessage {
        (Role::User, self).into_message()
    }
}

impl IntoMessage for (Role, String) {
    fn into_message(self) -> PromptMessage {
        PromptMessage::new(self.0, TextContent::new(self.1))
    }
}

impl IntoMessage for (Role, &str) {
    fn into_message(self) -> PromptMessage {
        PromptMessage::new(self.0, TextContent::new(self.1))
    }
}

impl IntoMessage for (Role, ContentBlock) {
    fn into_message(self) -> PromptMessage {
        PromptMessage::new(self.0, self.1)
    }
}

/// The result of a prompt's handler: one or several messages, see [`IntoMessage`], or a whole
/// [`GetPromptResult`]; each of them plain or in a `Result` with any error that converts into a
/// [`HandlerError`](crate::HandlerError).
pub trait IntoPrompt {
    /// Converts the value into a prompt.
    ///
    /// # Errors
    ///
    /// The error of the handler.
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError>;
}

impl<M: IntoMessage> IntoPrompt for M {
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError> {
        Ok(GetPromptResult::new([self.into_message()]))
    }
}

impl<M: IntoMessage> IntoPrompt for Vec<M> {
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError> {
        let messages: Vec<_> = self.into_iter().map(IntoMessage::into_message).collect();
        Ok(GetPromptResult::new(messages))
    }
}

impl IntoPrompt for GetPromptResult {
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError> {
        Ok(self)
    }
}

impl<P: IntoPrompt, E: Into<HandlerError>> IntoPrompt for Result<P, E> {
    fn into_prompt(self) -> Result<GetPromptResult, HandlerError> {
        self.map_err(Into::into)?.into_prompt()
    }
}
