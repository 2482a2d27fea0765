//! Completion of prompts' arguments and of the variables of resource templates.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::json::{Map, Object};
use mcp_types::{CompleteRequest, CompleteResult, Completion, Request};

use crate::features::catalog::{Definition, List};
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::defined::TEMPLATE;
use crate::protocol::core::Context;
use crate::protocol::error::{BuildError, HandlerError, short};
use crate::protocol::raw_object::{FromMembers, RawObject};
use crate::protocol::registry::Registry;
use crate::protocol::uri_limit::check_uri;
use crate::util::and_then::and_then;

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

/// A completion at work.
pub(crate) type CompletionFuture =
    Pin<Box<dyn Future<Output = Result<Completion, HandlerError>> + Send>>;

pub(crate) type CompletionHandler =
    Box<dyn Fn(Completing, Context) -> CompletionFuture + Send + Sync>;

pub(crate) fn boxed<F, C>(
    handler: impl Fn(Completing, Context) -> F + Send + Sync + 'static,
) -> CompletionHandler
where
    F: Future<Output = Result<C, HandlerError>> + Send + 'static,
    C: IntoCompletion,
{
    Box::new(move |typing, cx| {
        let answer = handler(typing, cx);
        Box::pin(and_then(answer, |answer: C| Ok(answer.into_completion())))
    })
}

/// Completes one argument of one prompt or template.
struct Completer {
    of: Of,
    argument: String,
    handler: CompletionHandler,
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
    fn get(&self, of: &Of, argument: &str) -> Option<&CompletionHandler> {
        let mut all = self.0.iter();
        let known = all.find(|known| known.of == *of && known.argument == argument)?;
        Some(&known.handler)
    }

    fn has(&self, of: &Of) -> bool {
        self.0.iter().any(|known| known.of == *of)
    }

    /// Adds the handler for an argument of a prompt or template; the first one stays.
    pub(crate) fn add(
        &mut self,
        kind: &'static str,
        name: String,
        argument: String,
        handler: CompletionHandler,
    ) -> Result<(), BuildError> {
        let added = Completer {
            of: Of { kind, name },
            argument,
            handler,
        };
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
    let completion = match start(params, &cx, &sources)? {
        Some(running) => running.await?,
        None => Completion::new([]).total(0).has_more(false),
    };
    Ok(CompleteResult::new(bounded(completion)))
}

/// Begins what completes the argument; none where the argument is known but not completed.
fn start(
    params: Complete,
    cx: &Context,
    sources: &Sources,
) -> Result<Option<CompletionFuture>, HandlerError> {
    let Complete {
        of, at, argument, ..
    } = &params;
    if of.kind == TEMPLATE {
        check_uri(cx.core(), at, &of.name)?;
    }
    // Whether it takes the argument, where it is defined.
    let takes = if of.kind == TEMPLATE {
        sources.resources.has_variable(&of.name, argument)
    } else {
        let defined = sources.prompts.get(&of.name);
        defined.map(|prompt| prompt.has_argument(argument))
    };
    if let Some(handler) = sources.completions.get(of, argument) {
        let typing = Completing {
            value: params.value,
            arguments: params.settled.unwrap_or_default(),
        };
        return Ok(Some(handler(typing, cx.clone())));
    }
    if takes == Some(true) {
        return Ok(None);
    }
    let fault = if takes.is_none() && !sources.completions.has(of) {
        let (kind, name) = (of.kind, short(&of.name));
        format!("{at}: no {kind} `{name}`")
    } else {
        let argument = short(argument);
        format!("$.argument.name: no argument `{argument}`")
    };
    Err(HandlerError::invalid_params(fault))
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
