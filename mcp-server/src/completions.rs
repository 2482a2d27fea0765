//! Completion of prompts' arguments and of the variables of resource templates.

use std::future::Future;
use std::pin::Pin;

use mcp_types::error::DecodeError;
use mcp_types::json::{Map, Object};
use mcp_types::{
    CompleteRequest, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, Request,
};

use crate::builder::ServerBuilder;
use crate::context::Context;
use crate::engine::{FromMembers, Members};
use crate::error::{BuildError, HandlerError, short};
use crate::lists::Definition;
use crate::prompts::PromptDef;
use crate::resources::TemplateDef;

/// As many values may leave in one answer.
const MOST: usize = 100;

/// An argument that is being typed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Completing {
    /// What was typed so far.
    pub value: String,
    /// The arguments that are settled already, by name. Peers before 2025-06-18 do not tell.
    pub arguments: Map<String>,
}

/// What a handler of completions may answer with: values, best first, or a [`Completion`] that
/// also says how many there are in all.
///
/// At most 100 values leave; `total` and `hasMore` tell of the rest.
pub trait IntoCompletion {
    /// Makes the completion.
    fn into_completion(self) -> Completion;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Completion {
        self
    }
}

impl<S: Into<String>> IntoCompletion for Vec<S> {
    fn into_completion(self) -> Completion {
        let total = i64::try_from(self.len()).unwrap_or(i64::MAX);
        let values: Vec<String> = self.into_iter().map(Into::into).collect();
        Completion::new(values).total(total).has_more(false)
    }
}

type Handler = Box<
    dyn Fn(
            Completing,
            Context,
        ) -> Pin<Box<dyn Future<Output = Result<Completion, HandlerError>> + Send>>
        + Send
        + Sync,
>;

/// Completes one argument of one prompt or template.
struct Completer {
    of: String,
    argument: String,
    handler: Handler,
}

impl Completer {
    fn new<F, C>(
        of: String,
        argument: String,
        handler: impl Fn(Completing, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoCompletion,
    {
        let handler: Handler = Box::new(move |typing, cx| {
            let answer = handler(typing, cx);
            Box::pin(async move { Ok(answer.await?.into_completion()) })
        });
        Self {
            of,
            argument,
            handler,
        }
    }
}

/// What completes the prompts, or the templates.
#[derive(Default)]
struct Completers(Vec<Completer>);

impl Completers {
    fn get(&self, of: &str, argument: &str) -> Option<&Handler> {
        let mut all = self.0.iter();
        let known = all.find(|known| known.of == of && known.argument == argument)?;
        Some(&known.handler)
    }

    fn has(&self, of: &str) -> bool {
        self.0.iter().any(|known| known.of == of)
    }

    /// Adds one; the first one for an argument stays.
    fn add(&mut self, added: Completer) -> Result<(), BuildError> {
        if self.get(&added.of, &added.argument).is_some() {
            return Err(BuildError::DuplicateName {
                kind: "completion",
                name: added.argument,
            });
        }
        self.0.push(added);
        Ok(())
    }
}

/// All handlers.
#[derive(Default)]
pub(crate) struct Completions {
    prompts: Completers,
    templates: Completers,
}

impl Completions {
    fn is_empty(&self) -> bool {
        self.prompts.0.is_empty() && self.templates.0.is_empty()
    }
}

impl ServerBuilder {
    /// Completes an argument of a prompt.
    ///
    /// ```
    /// use mcp_server::{Completing, Context, Server};
    ///
    /// let server = Server::builder("demo", "1.0.0")
    ///     .prompt("greet", "Greets", |(), _: Context| async { Ok("Hello!") })
    ///     .complete_prompt("greet", "language", |typing: Completing, _| async move {
    ///         let mut all = vec!["french", "german", "greek"];
    ///         all.retain(|language| language.starts_with(&typing.value));
    ///         Ok(all)
    ///     })
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildError>(())
    /// ```
    pub fn complete_prompt<F, C>(
        mut self,
        prompt: impl Into<String>,
        argument: impl Into<String>,
        handler: impl Fn(Completing, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoCompletion,
    {
        let completer = Completer::new(prompt.into(), argument.into(), handler);
        let added = self.features.completions.prompts.add(completer);
        self.completed(added)
    }

    /// Completes a variable of a resource template.
    pub fn complete_resource<F, C>(
        mut self,
        template: impl Into<String>,
        variable: impl Into<String>,
        handler: impl Fn(Completing, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoCompletion,
    {
        let completer = Completer::new(template.into(), variable.into(), handler);
        let added = self.features.completions.templates.add(completer);
        self.completed(added)
    }

    fn completed(mut self, added: Result<(), BuildError>) -> Self {
        if let Err(fault) = added {
            self.fault(fault);
        }
        self
    }
}

pub(crate) fn routes(builder: &mut ServerBuilder) {
    if builder.features.completions.is_empty() {
        return;
    }
    let capability = &mut builder.capabilities_mut().completions;
    capability.get_or_insert_with(Object::new);
    builder.serve(CompleteRequest::METHOD, complete);
}

/// What is asked for in `completion/complete`.
struct Complete {
    of: CompletionReference,
    argument: CompletionArgument,
    /// Came with 2025-06-18.
    context: Option<CompletionContext>,
}

impl FromMembers for Complete {
    fn from_members(members: &Members<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            of: members.required("ref")?,
            argument: members.required("argument")?,
            context: members.optional("context")?,
        })
    }
}

async fn complete(params: Complete, cx: Context) -> Result<CompleteResult, HandlerError> {
    let typing = Completing {
        value: params.argument.value,
        arguments: params
            .context
            .and_then(|context| context.arguments)
            .unwrap_or_default(),
    };
    let server = cx.server().clone();
    let features = &server.inner.features;
    let argument = params.argument.name.as_str();
    let asked = match &params.of {
        CompletionReference::Prompt(prompt) => {
            let defined = features.prompts.get(&prompt.name);
            Asked {
                at: "$.ref.name",
                kind: PromptDef::KIND,
                name: &prompt.name,
                takes: defined.map(|prompt| prompt.has_argument(argument)),
                completers: &features.completions.prompts,
            }
        }
        CompletionReference::ResourceTemplate(template) => {
            let defined = features.templates.get(&template.uri);
            Asked {
                at: "$.ref.uri",
                kind: TemplateDef::KIND,
                name: &template.uri,
                takes: defined.map(|template| template.has_variable(argument)),
                completers: &features.completions.templates,
            }
        }
        _ => {
            return Err(HandlerError::invalid_params(
                "$.ref: neither prompt nor template",
            ));
        }
    };
    let completion = match asked.handler(argument)? {
        Some(handler) => handler(typing, cx).await?,
        None => Completion::new([]).total(0).has_more(false),
    };
    Ok(CompleteResult::new(bounded(completion)))
}

/// The prompt or template whose argument is to be completed.
struct Asked<'a> {
    /// Where the request names it.
    at: &'static str,
    kind: &'static str,
    name: &'a str,
    /// Whether it takes the argument, where it is defined.
    takes: Option<bool>,
    completers: &'a Completers,
}

impl<'a> Asked<'a> {
    /// The handler for an argument; none where the argument is known but not completed.
    fn handler(&self, argument: &str) -> Result<Option<&'a Handler>, HandlerError> {
        if let Some(handler) = self.completers.get(self.name, argument) {
            return Ok(Some(handler));
        }
        if self.takes.is_none() && !self.completers.has(self.name) {
            let (at, kind, name) = (self.at, self.kind, short(self.name));
            return Err(HandlerError::invalid_params(format!(
                "{at}: no {kind} `{name}`"
            )));
        }
        if self.takes == Some(true) {
            return Ok(None);
        }
        let argument = short(argument);
        Err(HandlerError::invalid_params(format!(
            "$.argument.name: no argument `{argument}`"
        )))
    }
}

/// Keeps what may leave.
fn bounded(mut completion: Completion) -> Completion {
    if completion.values.len() > MOST {
        let all = i64::try_from(completion.values.len()).unwrap_or(i64::MAX);
        completion.total = completion.total.or(Some(all));
        completion.has_more = Some(true);
        completion.values.truncate(MOST);
    }
    completion
}
