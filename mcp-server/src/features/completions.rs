//! Completion of the arguments of prompts and of the variables of resource templates.

pub(crate) mod handlers;

use std::sync::Arc;

use mcp_types::error::{DecodeError, Rule};
use mcp_types::json::{Map, Object};
use mcp_types::{CompleteRequest, CompleteResult, Completion, Request};

use crate::features::catalog::{Definition, List};
use crate::features::completing::Completing;
use crate::features::completions::handlers::{CompletionTarget, Completions};
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::described::TEMPLATE;
use crate::features::resources::permitted::readable;
use crate::features::resources::templates::definition::TemplateDef;
use crate::protocol::core::Context;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::dispatch::sizes::check_uri;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::short;
use crate::protocol::handler::HandlerFuture;
use crate::protocol::message::raw_object::{FromMembers, RawObject};

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
    let declared = registry.about.capabilities.completions.is_some();
    if !registry.is_served(offered, declared, &[CompleteRequest::METHOD]) {
        return;
    }
    let capability = &mut registry.about.capabilities.completions;
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

/// The maximum number of values in a response.
const MOST: usize = 100;

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
                let error = DecodeError::data("neither `ref/prompt` nor `ref/resource`")
                    .with_rule(Rule::Value, ["ref/prompt", "ref/resource"]);
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

/// Handles the request.
async fn complete(
    params: Complete,
    cx: Context,
    sources: Arc<Sources>,
) -> Result<CompleteResult, HandlerError> {
    let of_template = sources.template(&params.of).map(|template| {
        let settled = params.settled.clone().unwrap_or_default();
        (template, params.argument.clone(), settled)
    });
    let completion = match start(params, &cx, &sources).await? {
        Some(running) => running.await?,
        None => Completion::new([]).total(0).has_more(false),
    };
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
    let target = sources.target(&of, &argument, cx).await?;
    let is_known = match target {
        TargetAccess::Known { .. } => true,
        TargetAccess::Hidden => false,
        TargetAccess::Unknown => sources.completions.handled.contains(&of.kind),
    };
    if is_known {
        if let Some(running) = sources.own_handler(&of, &argument, &typing, cx) {
            return Ok(Some(running));
        }
        if let Some(completer) = sources.completions.get(&of, &argument) {
            let cx = completer.access.scoped(cx);
            return Ok(Some((completer.handler)(typing, cx)));
        }
        if matches!(target, TargetAccess::Known { has_argument: true }) {
            return Ok(None);
        }
    }
    let has_arguments = match target {
        TargetAccess::Known { .. } => true,
        _ => is_known && sources.completions.has(&of),
    };
    let message = if has_arguments {
        let argument = short(&argument);
        format!("$.argument.name: no argument `{argument}`")
    } else {
        let (kind, name) = (of.kind, short(&of.name));
        format!("{at}: no {kind} `{name}`")
    };
    Err(HandlerError::invalid_params(message))
}

impl Sources {
    fn template(&self, of: &CompletionTarget) -> Option<Arc<TemplateDef>> {
        let name = (of.kind == TEMPLATE).then_some(&of.name)?;
        self.resources.definitions.template(name)
    }

    /// Starts the handler that the definition itself has for the argument.
    fn own_handler(
        &self,
        of: &CompletionTarget,
        argument: &str,
        typing: &Completing,
        cx: &Context,
    ) -> Option<HandlerFuture<Completion>> {
        if let Some(template) = self.template(of) {
            return template.complete_variable(argument, typing, cx);
        }
        let prompt = (of.kind == PromptDef::KIND).then(|| self.prompts.get(&of.name))??;
        prompt.complete_argument(argument, typing, cx)
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
