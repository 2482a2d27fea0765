//! Completion of the arguments of prompts and of the variables of resource templates.

use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::json::{Map, Object};
use mcp_types::{
    CompleteRequest, CompleteResult, Completion, GetPromptRequest, ReadResourceRequest, Request,
};

use crate::features::access::Access;
use crate::features::catalog::{Definition, List};
use crate::features::completing::{Completing, CompletionHandler, IntoCompletion};
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::described::TEMPLATE;
use crate::protocol::core::Context;
use crate::protocol::core::states::States;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::dispatch::sizes::check_uri;
use crate::protocol::error::BuildError;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::text::short;
use crate::protocol::handler::{Handler, HandlerFuture, boxed};
use crate::protocol::message::raw_object::{FromMembers, RawObject};

/// The maximum number of values in a response.
const MOST: usize = 100;

/// The methods that use prompts and templates.
const OWN_METHODS: [(&str, &str); 2] = [
    (PromptDef::KIND, GetPromptRequest::METHOD),
    (TEMPLATE, ReadResourceRequest::METHOD),
];

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

/// The handlers of all arguments, but for those that definitions have themselves.
#[derive(Default)]
pub(crate) struct Completions {
    all: Vec<Completer>,
    /// The kinds of definitions for which the application handles the requests itself: the server
    /// does not know all of them.
    handled: Vec<&'static str>,
}

impl Completions {
    fn get(&self, of: &CompletionTarget, argument: &str) -> Option<&Completer> {
        let mut all = self.all.iter();
        all.find(|known| known.of == *of && known.argument == argument)
    }

    fn has(&self, of: &CompletionTarget) -> bool {
        self.all.iter().any(|known| known.of == *of)
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
        self.all.push(added);
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
        for mut completer in group.all {
            completer.of.name = rename(completer.of.kind, completer.of.name);
            enter(&mut completer.access);
            errors.extend(self.push(completer).err());
        }
        errors
    }

    /// Returns an error for each handler of an argument that does not exist. `registry` has the
    /// handlers of the application, and not yet those of the features.
    pub(crate) fn unknown(
        &mut self,
        prompts: &List<PromptDef>,
        resources: &ResourceCatalog,
        registry: &Registry,
    ) -> Vec<BuildError> {
        let is_handled = |method| registry.fallback.is_some() || registry.has_route(method);
        let handled = OWN_METHODS.iter().filter(|(_, method)| is_handled(method));
        self.handled = handled.map(|(kind, _)| *kind).collect();
        let unknown = self.all.iter().filter_map(|completer| {
            let CompletionTarget { kind, name } = &completer.of;
            let argument = &completer.argument;
            let takes = if *kind == TEMPLATE {
                let definitions = &resources.definitions;
                let template = definitions.template_with_variable(name, argument);
                template.map(|(_, takes)| takes)
            } else {
                prompts
                    .get(name)
                    .map(|prompt| prompt.has_argument(argument))
            };
            let reason = match takes {
                Some(true) => return None,
                None if self.handled.contains(kind) => return None,
                None => format!("there is no {kind} `{name}`"),
                Some(false) => format!("the {kind} `{name}` has no such argument"),
            };
            Some(BuildError::Invalid {
                kind: KIND,
                name: argument.clone(),
                reason,
            })
        });
        unknown.collect()
    }

    /// Returns the states that the handlers require and the server does not have.
    pub(crate) fn missing(&self, server: &States) -> Vec<BuildError> {
        let missing = self.all.iter().flat_map(|completer| {
            let (access, argument) = (&completer.access, &completer.argument);
            let mut missing = access.missing(KIND, argument, server);
            missing.extend(access.not_a_resource(KIND, argument));
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
    resources: &Arc<ResourceCatalog>,
) {
    let offered =
        !completions.all.is_empty() || prompts.all().iter().any(|prompt| prompt.completes());
    let offered = offered || resources.definitions.completes();
    let declared = registry.capabilities.completions.is_some();
    if !registry.is_served(offered, declared, &[CompleteRequest::METHOD]) {
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

/// The handlers of completions, and the definitions whose arguments they complete.
struct Sources {
    completions: Completions,
    prompts: Arc<List<PromptDef>>,
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
    let completion = match start(params, &cx, &sources).await? {
        Some(running) => running.await?,
        None => Completion::new([]).total(0).has_more(false),
    };
    Ok(CompleteResult::new(bounded(completion)))
}

/// Starts the handler for the argument. `None` if the argument exists but has no handler.
async fn start(
    params: Complete,
    cx: &Context,
    sources: &Sources,
) -> Result<Option<HandlerFuture<Completion>>, HandlerError> {
    let Complete {
        of,
        at,
        argument,
        value,
        settled,
    } = params;
    if of.kind == TEMPLATE {
        check_uri(cx.core(), at, &of.name)?;
    }
    let typing = Completing {
        value,
        arguments: settled.unwrap_or_default(),
    };
    // Checks that the definition exists, that the caller sees it, and that it has the argument.
    let (takes, is_hidden, own) = if of.kind == TEMPLATE {
        let definitions = &sources.resources.definitions;
        match &definitions.template_with_variable(&of.name, &argument) {
            Some((template, takes)) => {
                let (takes, is_hidden) = check_target(template.access_rules(), *takes, cx).await?;
                let own = template.complete_variable(&argument, &typing, cx);
                (takes, is_hidden, own)
            }
            None => (None, false, None),
        }
    } else {
        match sources.prompts.get(&of.name) {
            Some(prompt) => {
                let takes = prompt.has_argument(&argument);
                let (takes, is_hidden) = check_target(prompt.access(), takes, cx).await?;
                let own = prompt.complete_argument(&argument, &typing, cx);
                (takes, is_hidden, own)
            }
            None => (None, false, None),
        }
    };
    let is_known = takes.is_some() || sources.completions.handled.contains(&of.kind);
    if is_known && !is_hidden {
        if own.is_some() {
            return Ok(own);
        }
        if let Some(completer) = sources.completions.get(&of, &argument) {
            let cx = completer.access.scoped(cx);
            return Ok(Some((completer.handler)(typing, cx)));
        }
        if takes == Some(true) {
            return Ok(None);
        }
    }
    let message = if is_known && !is_hidden && (takes.is_some() || sources.completions.has(&of)) {
        let argument = short(&argument);
        format!("$.argument.name: no argument `{argument}`")
    } else {
        let (kind, name) = (of.kind, short(&of.name));
        format!("{at}: no {kind} `{name}`")
    };
    Err(HandlerError::invalid_params(message))
}

/// Returns whether a definition has the argument and whether it is hidden from the caller.
async fn check_target(
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
