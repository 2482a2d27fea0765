//! Completion of prompts' arguments and of the variables of resource templates.

use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::json::{Map, Object};
use mcp_types::{CompleteRequest, CompleteResult, Completion, Request};

use crate::features::access::Access;
use crate::features::catalog::{Definition, List};
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::defined::TEMPLATE;
use crate::protocol::core::Context;
use crate::protocol::error::BuildError;
use crate::protocol::error_text::short;
use crate::protocol::handler::{BoxedHandler, Handler, HandlerFuture, Input, boxed};
use crate::protocol::handler_error::HandlerError;
use crate::protocol::raw_object::{FromMembers, RawObject};
use crate::protocol::registry::Registry;
use crate::protocol::states::States;
use crate::protocol::uri_limit::check_uri;

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
    ///
    /// # Errors
    ///
    /// The error of the handler.
    fn into_completion(self) -> Result<Completion, HandlerError>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, HandlerError> {
        Ok(self)
    }
}

impl<S: Into<String>> IntoCompletion for Vec<S> {
    fn into_completion(self) -> Result<Completion, HandlerError> {
        let total = i64::try_from(self.len()).unwrap_or(i64::MAX);
        let values: Vec<String> = self.into_iter().map(Into::into).collect();
        Ok(Completion::new(values).total(total).has_more(false))
    }
}

impl<C: IntoCompletion, E: Into<HandlerError>> IntoCompletion for Result<C, E> {
    fn into_completion(self) -> Result<Completion, HandlerError> {
        self.map_err(Into::into)?.into_completion()
    }
}

type CompletionHandler = BoxedHandler<Completing, Completion>;

impl Input for Completing {}

/// Completes one argument of one prompt or template.
struct Completer {
    of: Of,
    argument: String,
    handler: CompletionHandler,
    access: Access,
}

/// A prompt or a template by its name.
#[derive(PartialEq)]
struct Of {
    /// Which of both, as it is called in errors.
    kind: &'static str,
    name: String,
}

/// All handlers.
#[derive(Default)]
pub(crate) struct Completions(Vec<Completer>);

impl Completions {
    fn get(&self, of: &Of, argument: &str) -> Option<&Completer> {
        let mut all = self.0.iter();
        all.find(|known| known.of == *of && known.argument == argument)
    }

    fn has(&self, of: &Of) -> bool {
        self.0.iter().any(|known| known.of == *of)
    }

    /// Adds the handler for an argument of a prompt or template; the first one stays.
    pub(crate) fn add<M, H>(
        &mut self,
        kind: &'static str,
        name: String,
        argument: String,
        handler: H,
    ) -> Result<(), BuildError>
    where
        H: Handler<Completing, M>,
        H::Output: IntoCompletion + 'static,
    {
        let mut access = Access::default();
        access.require(&handler);
        self.push(Completer {
            of: Of { kind, name },
            argument,
            handler: boxed(handler, H::Output::into_completion),
            access,
        })
    }

    fn push(&mut self, added: Completer) -> Result<(), BuildError> {
        if self.get(&added.of, &added.argument).is_some() {
            return Err(BuildError::DuplicateName {
                kind: KIND,
                name: added.argument,
            });
        }
        self.0.push(added);
        Ok(())
    }

    /// Moves the handlers of a group here. `rename` changes what they belong to.
    pub(crate) fn merge(
        &mut self,
        group: Self,
        rename: impl Fn(&'static str, String) -> String,
        enter: impl Fn(&mut Access),
    ) -> Vec<BuildError> {
        let mut errors = Vec::new();
        for mut completer in group.0 {
            completer.of.name = rename(completer.of.kind, completer.of.name);
            enter(&mut completer.access);
            errors.extend(self.push(completer).err());
        }
        errors
    }

    /// Returns what the handlers need and the server does not have.
    pub(crate) fn missing(&self, server: &States) -> Vec<BuildError> {
        let missing = self.0.iter().flat_map(|completer| {
            let (access, argument) = (&completer.access, &completer.argument);
            let mut missing = access.missing(KIND, argument, server);
            missing.extend(access.not_a_resource(KIND, argument));
            missing
        });
        missing.collect()
    }
}

/// What a completion is called in errors.
const KIND: &str = "completion";

/// Serves completions of the arguments of `prompts` and of the variables of resource templates.
pub(crate) fn register(
    registry: &mut Registry,
    completions: Completions,
    prompts: &Arc<List<PromptDef>>,
    resources: &Arc<ResourceCatalog>,
) {
    if completions.0.is_empty() {
        return;
    }
    let capability = &mut registry.capabilities.completions;
    capability.get_or_insert_with(Object::new);
    let sources = Arc::new(Sources {
        completions,
        prompts: Arc::clone(prompts),
        resources: Arc::clone(resources),
    });
    registry.serve(CompleteRequest::METHOD, move |params, cx| {
        complete(params, cx, Arc::clone(&sources))
    });
}

/// The handlers, and the definitions that have the arguments.
struct Sources {
    completions: Completions,
    prompts: Arc<List<PromptDef>>,
    resources: Arc<ResourceCatalog>,
}

/// The params of `completion/complete`.
struct Complete {
    of: Of,
    /// Where the request names it.
    at: &'static str,
    argument: String,
    /// What was typed so far.
    value: String,
    /// Arguments that are settled. Came with 2025-06-18.
    settled: Option<Map<String>>,
}

impl FromMembers for Complete {
    fn from_members(members: &RawObject<'_>) -> Result<Self, DecodeError> {
        let of = members.object("ref")?;
        let (kind, name, at) = match of.required::<String>("type")?.as_str() {
            "ref/prompt" => (PromptDef::KIND, of.required("name")?, "$.ref.name"),
            "ref/resource" => (TEMPLATE, of.required("uri")?, "$.ref.uri"),
            _ => {
                let error = DecodeError::data("neither `ref/prompt` nor `ref/resource`");
                return Err(error.inside_member("type").inside_member("ref"));
            }
        };
        let argument = members.object("argument")?;
        let settled = match members.optional_object("context")? {
            Some(context) => context.optional("arguments")?,
            None => None,
        };
        Ok(Self {
            of: Of { kind, name },
            at,
            argument: argument.required("name")?,
            value: argument.required("value")?,
            settled,
        })
    }
}

async fn complete(
    params: Complete,
    cx: Context,
    sources: Arc<Sources>,
) -> Result<CompleteResult, HandlerError> {
    let completion = match start(params, &cx, &sources).await? {
        Some(running) => running.await?,
        None => Completion::new([]).total(0).has_more(false),
    };
    Ok(CompleteResult::new(bounded(completion)))
}

/// Begins what completes the argument; none where the argument is known but not completed.
async fn start(
    params: Complete,
    cx: &Context,
    sources: &Sources,
) -> Result<Option<HandlerFuture<Completion>>, HandlerError> {
    let Complete {
        of, at, argument, ..
    } = &params;
    if of.kind == TEMPLATE {
        check_uri(cx.core(), at, &of.name)?;
    }
    // Whether it takes the argument, where it is defined and the caller sees it.
    let (takes, is_hidden) = if of.kind == TEMPLATE {
        let template = sources.resources.template_with_variable(&of.name, argument);
        match &template {
            Some((template, takes)) => admit(template.rules(), *takes, cx).await?,
            None => (None, false),
        }
    } else {
        match sources.prompts.get(&of.name) {
            Some(prompt) => admit(prompt.access(), prompt.has_argument(argument), cx).await?,
            None => (None, false),
        }
    };
    let completer = sources.completions.get(of, argument);
    if let Some(completer) = completer.filter(|_| !is_hidden) {
        let typing = Completing {
            value: params.value,
            arguments: params.settled.unwrap_or_default(),
        };
        let cx = completer.access.scoped(cx);
        return Ok(Some((completer.handler)(typing, cx)));
    }
    if takes == Some(true) {
        return Ok(None);
    }
    let fault = if takes.is_none() && (is_hidden || !sources.completions.has(of)) {
        let (kind, name) = (of.kind, short(&of.name));
        format!("{at}: no {kind} `{name}`")
    } else {
        let argument = short(argument);
        format!("$.argument.name: no argument `{argument}`")
    };
    Err(HandlerError::invalid_params(fault))
}

/// Returns whether a definition takes the argument and whether it is hidden from the caller.
async fn admit(
    access: &Access,
    takes: bool,
    cx: &Context,
) -> Result<(Option<bool>, bool), HandlerError> {
    if !access.is_visible(cx) {
        return Ok((None, true));
    }
    if let Some(check) = access.check(cx) {
        check.await?;
    }
    Ok((Some(takes), false))
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
