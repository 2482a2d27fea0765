//! [`PromptDef`]: the definition of a prompt.

use std::future::Future;
use std::pin::Pin;

use mcp_types::json::{Map, Object, Value};
use mcp_types::{
    Cursor, GetPromptResult, Icon, ListPromptsResult, MetaObject, Prompt, PromptArgument, Revision,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::features::catalog::{Definition, Hints, ListItem};
use crate::features::prompts::result::IntoPrompt;
use crate::features::schema;
use crate::protocol::changes::Change;
use crate::protocol::core::Context;
use crate::protocol::error::{HandlerError, short};
use crate::util::and_then::and_then;
use crate::util::text_values;

type PromptFuture = Pin<Box<dyn Future<Output = Result<GetPromptResult, HandlerError>> + Send>>;

type PromptHandler =
    Box<dyn Fn(&str, Map<String>, Context) -> Result<PromptFuture, HandlerError> + Send + Sync>;

/// A prompt with all that can be said of it.
///
/// ```
/// use mcp_server::types::json::Map;
/// use mcp_server::types::{PromptArgument, Role};
/// use mcp_server::{Context, PromptDef, Server};
///
/// let prompt = PromptDef::new("haiku")
///     .title("Haiku")
///     .description("Asks for a haiku")
///     .argument(PromptArgument::new("about").description("Its subject").required(true))
///     .map_handler(|args: Map<String>, _: Context| async move {
///         let about = args.get("about").cloned().unwrap_or_default();
///         Ok(vec![
///             (Role::User, format!("A haiku about {about}, please.")),
///             (Role::Assistant, "Here it is:".to_owned()),
///         ])
///     });
/// let server = Server::builder("poet", "1.0.0").add_prompt(prompt).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildError>(())
/// ```
#[must_use = "a definition does nothing until it is added"]
pub struct PromptDef {
    prompt: Prompt,
    handler: Option<PromptHandler>,
    fault: Option<String>,
}

impl PromptDef {
    /// Begins the definition of a prompt with this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            prompt: Prompt::new(name),
            handler: None,
            fault: None,
        }
    }

    /// A name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.prompt.title = Some(title.into());
        self
    }

    /// What the prompt is for.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.prompt.description = Some(description.into());
        self
    }

    /// Adds an icon.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.prompt.icons.get_or_insert_default().push(icon);
        self
    }

    /// Further data on the prompt, its `_meta`.
    pub fn meta(mut self, meta: MetaObject) -> Self {
        self.prompt.meta = Some(meta);
        self
    }

    /// Lists an argument; one of that name that is listed already gives way.
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        let listed = self.prompt.arguments.get_or_insert_default();
        match listed.iter_mut().find(|known| known.name == argument.name) {
            Some(known) => *known = argument,
            None => listed.push(argument),
        }
        self
    }

    /// What makes the prompt, of typed arguments. They are listed, but for those that are already.
    pub fn handler<A, F, P>(
        mut self,
        handler: impl Fn(A, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        F: Future<Output = Result<P, HandlerError>> + Send + 'static,
        P: IntoPrompt,
    {
        let derived = schema::of_input::<A>();
        let nothing = matches!(derived, Ok(None));
        match derived {
            Ok(Some(schema)) => {
                for argument in arguments(&schema) {
                    if !self.has_argument(&argument.name) {
                        self = self.argument(argument);
                    }
                }
            }
            Ok(None) => {}
            Err(fault) => self.fault = Some(fault),
        }
        self.handler = Some(Box::new(move |name, arguments, cx| {
            if let Some(other) = arguments.keys().next().filter(|_| nothing) {
                let other = short(other);
                let message = format!("arguments of `{name}`: there is no `{other}`");
                return Err(HandlerError::invalid_params(message));
            }
            let arguments: A = text_values::decode(arguments).map_err(|error| {
                HandlerError::invalid_params(format!("arguments of `{name}`: {error}"))
            })?;
            Ok(run(handler(arguments, cx)))
        }));
        self
    }

    /// What makes the prompt, of arguments as they came: those that are
    /// [listed](Self::argument) as required are there.
    pub fn map_handler<F, P>(
        mut self,
        handler: impl Fn(Map<String>, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<P, HandlerError>> + Send + 'static,
        P: IntoPrompt,
    {
        self.handler = Some(Box::new(move |_, arguments, cx| {
            Ok(run(handler(arguments, cx)))
        }));
        self
    }

    pub(crate) fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    fn listed(&self) -> &[PromptArgument] {
        self.prompt.arguments.as_deref().unwrap_or_default()
    }

    /// Whether it has an argument of that name.
    pub(crate) fn has_argument(&self, name: &str) -> bool {
        self.listed().iter().any(|known| known.name == name)
    }

    /// Checks the arguments and begins.
    pub(crate) fn start(
        &self,
        arguments: Map<String>,
        cx: Context,
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
            Some(handler) => handler(name, arguments, cx),
            None => Err(HandlerError::internal("the prompt has no handler")),
        }
    }
}

/// The arguments that a type's schema has as properties.
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
        argument.description = text("description").map(Into::into);
        arguments.push(argument);
    }
    arguments
}

fn run<F, P>(answer: F) -> PromptFuture
where
    F: Future<Output = Result<P, HandlerError>> + Send + 'static,
    P: IntoPrompt,
{
    Box::pin(and_then(answer, |answer: P| Ok(answer.into_prompt())))
}

impl Definition for PromptDef {
    const KIND: &'static str = "prompt";

    fn key(&self) -> &str {
        &self.prompt.name
    }

    fn check(&mut self) -> Result<(), String> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if self.handler.is_none() {
            return Err("the prompt has no handler".to_owned());
        }
        Ok(())
    }

    fn change() -> Change {
        Change::Prompts
    }
}

impl ListItem for PromptDef {
    type Item = Prompt;
    type Page = ListPromptsResult;

    fn item(&self, _: Revision) -> Prompt {
        self.prompt.clone()
    }

    fn page(items: Vec<Prompt>, hints: &Hints, next: Option<Cursor>) -> ListPromptsResult {
        let mut page = ListPromptsResult::new(items, hints.ttl_ms, hints.scope);
        page.next_cursor = next;
        page
    }
}
