//! Completion of the arguments of prompts and of the variables of resource templates.

use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::json::{Map, Object};
use mcp_types::{CompleteRequest, CompleteResult, Completion, Request};

use crate::features::access::Access;
use crate::features::catalog::{Definition, List};
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::described::TEMPLATE;
#[cfg(feature = "templates")]
use crate::features::resources::{
    permitted::offered::readable, templates::definition::TemplateDef,
};
use crate::protocol::core::Context;
use crate::protocol::core::states::States;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::dispatch::sizes::check_uri;
use crate::protocol::error::BuildError;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::text::short;
use crate::protocol::handler::requirements::{HandlerSubject, Requirements};
use crate::protocol::handler::{BoxedHandler, Handler, HandlerFuture, Input, boxed};
use crate::protocol::message::raw_object::{FromMembers, RawObject};

/// The maximum number of values in a response.
const MOST: usize = 100;

/// The argument that the user is typing. The first parameter of a handler of completions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Completing {
    /// The text that the user has typed so far.
    pub value: String,
    /// The arguments that the user has already chosen, by name. Clients before 2025-06-18 do not
    /// send them.
    pub arguments: Map<String>,
}

/// The result of a handler of completions: values, the best first, or a [`Completion`] with the
/// total number.
///
/// At most 100 values are sent; `total` and `hasMore` tell the client that there are more.
///
/// ```
/// use mcp_server::types::PromptArgument;
/// use mcp_server::{Completing, PromptDef, Server};
///
/// let greet = PromptDef::new("greet")
///     .argument(PromptArgument::new("language"))
///     .argument(PromptArgument::new("tone"))
///     .map_handler(async |_| "hello");
/// let server = Server::builder("demo", "1.0.0")
///     .add_prompt(greet)
///     .complete_prompt("greet", "tone", async |_: Completing| ["formal", "friendly"])
///     .complete_prompt("greet", "language", async |typing: Completing| {
///         let mut languages = vec!["french", "german", "greek"];
///         languages.retain(|language| language.starts_with(&typing.value));
///         languages
///     })
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
pub trait IntoCompletion {
    /// Converts the value into a completion.
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

impl<S: Into<String>, const N: usize> IntoCompletion for [S; N] {
    fn into_completion(self) -> Result<Completion, HandlerError> {
        Vec::from(self).into_completion()
    }
}

impl<C: IntoCompletion, E: Into<HandlerError>> IntoCompletion for Result<C, E> {
    fn into_completion(self) -> Result<Completion, HandlerError> {
        self.map_err(Into::into)?.into_completion()
    }
}

type CompletionHandler = BoxedHandler<Completing, Completion>;

impl Input for Completing {}

/// Marks handlers of completions that are plain functions.
#[doc(hidden)]
#[derive(Debug)]
pub struct PlainCompletion;

/// Plain functions of the text that the user has typed so far.
impl<F, C> Handler<Completing, PlainCompletion> for F
where
    F: Fn(&str) -> C + Send + Sync + 'static,
    C: IntoCompletion + Send + 'static,
{
    type Output = C;

    fn requirements(_: &mut Requirements) {}

    async fn call(self: Arc<Self>, typing: Completing, _: Context) -> Result<C, HandlerError> {
        Ok(self(&typing.value))
    }
}

/// Completes one argument of one prompt or template.
struct Completer {
    of: CompletionTarget,
    argument: String,
    handler: CompletionHandler,
    access: Access,
}

/// A prompt or a template by its name.
#[derive(PartialEq)]
struct CompletionTarget {
    /// Prompt or template, as errors call it.
    kind: &'static str,
    name: String,
}

/// The handlers of all arguments.
#[derive(Default)]
pub(crate) struct Completions(Vec<Completer>);

impl Completions {
    fn get(&self, of: &CompletionTarget, argument: &str) -> Option<&Completer> {
        let mut all = self.0.iter();
        all.find(|known| known.of == *of && known.argument == argument)
    }

    fn has(&self, of: &CompletionTarget) -> bool {
        self.0.iter().any(|known| known.of == *of)
    }

    /// Adds the handler for an argument of a prompt or template. A second one for the same argument
    /// is an error.
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
            of: CompletionTarget { kind, name },
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

    /// Moves the handlers of a group to this list. `rename` changes the names of the definitions
    /// that they belong to.
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

    /// Returns the states that the handlers require and the server does not have.
    pub(crate) fn missing(&self, server: &States) -> Vec<BuildError> {
        let missing = self.0.iter().flat_map(|completer| {
            let (access, argument) = (&completer.access, &completer.argument);
            let mut missing = access.missing(KIND, argument, server);
            missing.extend(access.unavailable(HandlerSubject::Other, KIND, argument));
            missing
        });
        missing.collect()
    }
}

/// Returns the name of a completion for errors.
const KIND: &str = "completion";

/// Registers `completion/complete` for the arguments of `prompts` and the variables of resource
/// templates.
pub(crate) fn register(
    registry: &mut Registry,
    completions: Completions,
    prompts: &Arc<List<PromptDef>>,
    #[cfg_attr(
        not(feature = "templates"),
        expect(unused_variables, reason = "only templates have variables")
    )]
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
        #[cfg(feature = "templates")]
        resources: Arc::clone(resources),
    });
    registry.serve(CompleteRequest::METHOD, move |params, cx| {
        complete(params, cx, Arc::clone(&sources))
    });
}

/// The handlers of completions, and the definitions whose arguments they complete.
struct Sources {
    completions: Completions,
    prompts: Arc<List<PromptDef>>,
    #[cfg(feature = "templates")]
    resources: Arc<ResourceCatalog>,
}

/// The params of `completion/complete`.
struct Complete {
    of: CompletionTarget,
    /// The names in the request.
    at: &'static str,
    argument: String,
    /// The text that the user has typed so far.
    value: String,
    /// The arguments that the user has already chosen, since 2025-06-18.
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
            of: CompletionTarget { kind, name },
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
    #[cfg(feature = "templates")]
    let of_template = sources.template(&params.of).map(|template| {
        let settled = params.settled.clone().unwrap_or_default();
        (template, params.argument.clone(), settled)
    });
    let completion = match start(params, &cx, &sources).await? {
        Some(running) => running.await?,
        None => Completion::new([]).total(0).has_more(false),
    };
    #[cfg(feature = "templates")]
    let completion = match of_template {
        Some((template, variable, settled)) => {
            let definitions = &sources.resources.definitions;
            let readable = readable(
                completion,
                MOST,
                &template,
                &variable,
                settled,
                &cx,
                definitions,
            );
            readable.await
        }
        None => completion,
    };
    Ok(CompleteResult::new(bounded(completion)))
}

/// What a caller may know of what it asks to complete.
enum TargetAccess {
    /// Whether the definition has the argument.
    Known {
        has_argument: bool,
    },
    /// The definition exists, but not for the caller.
    Hidden,
    Unknown,
}

/// Starts the handler for the argument. `None` if the argument exists but has no handler.
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
    let target = sources.target(of, argument, cx).await?;
    let completer = sources.completions.get(of, argument);
    if let Some(completer) = completer.filter(|_| !matches!(target, TargetAccess::Hidden)) {
        let typing = Completing {
            value: params.value,
            arguments: params.settled.unwrap_or_default(),
        };
        let cx = completer.access.scoped(cx);
        return Ok(Some((completer.handler)(typing, cx)));
    }
    let is_known = match target {
        TargetAccess::Known { has_argument: true } => return Ok(None),
        TargetAccess::Known { .. } => true,
        TargetAccess::Hidden => false,
        TargetAccess::Unknown => sources.completions.has(of),
    };
    let message = if is_known {
        let argument = short(argument);
        format!("$.argument.name: no argument `{argument}`")
    } else {
        let (kind, name) = (of.kind, short(&of.name));
        format!("{at}: no {kind} `{name}`")
    };
    Err(HandlerError::invalid_params(message))
}

impl Sources {
    #[cfg(feature = "templates")]
    fn template(&self, of: &CompletionTarget) -> Option<Arc<TemplateDef>> {
        let name = (of.kind == TEMPLATE).then_some(&of.name)?;
        self.resources.definitions.template(name)
    }

    /// Returns what a request asks to complete, if the caller may use it.
    ///
    /// # Errors
    ///
    /// The error of a guard. A template that the caller may not read does not exist for it.
    async fn target(
        &self,
        of: &CompletionTarget,
        argument: &str,
        cx: &Context,
    ) -> Result<TargetAccess, HandlerError> {
        #[cfg(feature = "templates")]
        if let Some(template) = self.template(of) {
            if !template.access.is_visible(cx) {
                return Ok(TargetAccess::Hidden);
            }
            let checked = match template.access.check_template(cx) {
                Some(check) => check.await,
                None => Ok(()),
            };
            return match checked {
                Err(error) if error.is_forbidden() => Ok(TargetAccess::Hidden),
                checked => checked.map(|()| TargetAccess::Known {
                    has_argument: template.has_variable(argument),
                }),
            };
        }
        let prompt = (of.kind == PromptDef::KIND).then(|| self.prompts.get(&of.name));
        let Some(prompt) = prompt.flatten() else {
            return Ok(TargetAccess::Unknown);
        };
        if !prompt.access().is_visible(cx) {
            return Ok(TargetAccess::Hidden);
        }
        if let Some(check) = prompt.access().check(cx) {
            check.await?;
        }
        Ok(TargetAccess::Known {
            has_argument: prompt.has_argument(argument),
        })
    }
}

/// Truncates a completion to the values that may be sent.
fn bounded(mut completion: Completion) -> Completion {
    if completion.values.len() > MOST {
        let all = i64::try_from(completion.values.len()).unwrap_or(i64::MAX);
        completion.total = completion.total.or(Some(all));
        completion.has_more = Some(true);
        completion.values.truncate(MOST);
    }
    completion
}
