//! Completion of prompts' arguments and of the variables of resource templates.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;

use mcp_types::json::{Map, Object};
use mcp_types::{
    CompleteRequest, CompleteRequestParams, CompleteResult, Completion, CompletionReference,
};

use crate::builder::ServerBuilder;
use crate::context::Context;
use crate::error::{BuildError, HandlerError, short};
use crate::lists::{Features, Kept};
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

/// What has arguments that can be completed.
trait Completed: Kept {
    /// The member of the request that says which one is meant.
    const AT: &'static str;

    /// The handlers by name and argument.
    fn handlers(completions: &Completions) -> &Handlers;

    /// The same, to add one.
    fn handlers_mut(completions: &mut Completions) -> &mut Handlers;

    /// Whether it has an argument of that name.
    fn takes(&self, argument: &str) -> bool;
}

impl Completed for PromptDef {
    const AT: &'static str = "$.ref.name";

    fn handlers(completions: &Completions) -> &Handlers {
        &completions.prompts
    }

    fn handlers_mut(completions: &mut Completions) -> &mut Handlers {
        &mut completions.prompts
    }

    fn takes(&self, argument: &str) -> bool {
        let mut listed = self.prompt().arguments.iter().flatten();
        listed.any(|known| known.name == argument)
    }
}

impl Completed for TemplateDef {
    const AT: &'static str = "$.ref.uri";

    fn handlers(completions: &Completions) -> &Handlers {
        &completions.templates
    }

    fn handlers_mut(completions: &mut Completions) -> &mut Handlers {
        &mut completions.templates
    }

    fn takes(&self, argument: &str) -> bool {
        self.variables().any(|name| name == argument)
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

/// Handlers by prompt or template, and argument.
type Handlers = HashMap<String, HashMap<String, Handler>>;

/// All handlers.
#[derive(Default)]
pub(crate) struct Completions {
    prompts: Handlers,
    templates: Handlers,
}

impl Completions {
    fn is_empty(&self) -> bool {
        self.prompts.is_empty() && self.templates.is_empty()
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
        self,
        prompt: impl Into<String>,
        argument: impl Into<String>,
        handler: impl Fn(Completing, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoCompletion,
    {
        self.complete::<PromptDef>(prompt.into(), argument.into(), erase(handler))
    }

    /// Completes a variable of a resource template.
    pub fn complete_resource<F, C>(
        self,
        template: impl Into<String>,
        variable: impl Into<String>,
        handler: impl Fn(Completing, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoCompletion,
    {
        self.complete::<TemplateDef>(template.into(), variable.into(), erase(handler))
    }

    fn complete<T: Completed>(mut self, of: String, name: String, handler: Handler) -> Self {
        let known = T::handlers_mut(&mut self.features.completions);
        let known = known.entry(of).or_default();
        if known.insert(name.clone(), handler).is_some() {
            let kind = "completion";
            self.fault(BuildError::DuplicateName { kind, name });
        }
        self
    }
}

fn erase<F, C>(handler: impl Fn(Completing, Context) -> F + Send + Sync + 'static) -> Handler
where
    F: Future<Output = Result<C, HandlerError>> + Send + 'static,
    C: IntoCompletion,
{
    Box::new(move |typing, cx| {
        let answer = handler(typing, cx);
        Box::pin(async move { Ok(answer.await?.into_completion()) })
    })
}

pub(crate) fn routes(builder: &mut ServerBuilder) {
    if builder.features.completions.is_empty() {
        return;
    }
    let capability = &mut builder.capabilities_mut().completions;
    capability.get_or_insert_with(Object::new);
    builder.handle::<CompleteRequest, _>(complete);
}

async fn complete(
    params: CompleteRequestParams,
    cx: Context,
) -> Result<CompleteResult, HandlerError> {
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
    let handler = match &params.ref_ {
        CompletionReference::Prompt(prompt) => {
            handler::<PromptDef>(features, &prompt.name, argument)?
        }
        CompletionReference::ResourceTemplate(template) => {
            handler::<TemplateDef>(features, &template.uri, argument)?
        }
        _ => {
            return Err(HandlerError::invalid_params(
                "$.ref: neither prompt nor template",
            ));
        }
    };
    let completion = match handler {
        Some(handler) => handler(typing, cx).await?,
        None => Completion::new([]).total(0).has_more(false),
    };
    Ok(CompleteResult::new(bounded(completion)))
}

/// The handler for an argument; none where the argument is known but not completed.
fn handler<'a, T: Completed>(
    features: &'a Features,
    name: &str,
    argument: &str,
) -> Result<Option<&'a Handler>, HandlerError> {
    let handlers = T::handlers(&features.completions).get(name);
    if let Some(handler) = handlers.and_then(|known| known.get(argument)) {
        return Ok(Some(handler));
    }
    let defined = T::list(features).get(name);
    if defined.is_none() && handlers.is_none() {
        let (at, kind, name) = (T::AT, T::KIND, short(name));
        return Err(HandlerError::invalid_params(format!(
            "{at}: no {kind} `{name}`"
        )));
    }
    if defined.is_some_and(|defined| defined.takes(argument)) {
        return Ok(None);
    }
    let argument = short(argument);
    Err(HandlerError::invalid_params(format!(
        "$.argument.name: no argument `{argument}`"
    )))
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
