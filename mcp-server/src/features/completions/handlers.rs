//! [`Completions`]: the handlers that complete arguments of prompts and variables of templates.

use mcp_types::{GetPromptRequest, ReadResourceRequest, Request};

use crate::features::access::Access;
use crate::features::catalog::{Definition, List};
use crate::features::completing::{Completing, CompletionHandler, IntoCompletion};
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::described::TEMPLATE;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::BuildError;
use crate::protocol::handler::requirements::{HandlerSubject, Requirements};
use crate::protocol::handler::{Handler, boxed, requirements_of};
use crate::util::type_map::TypeMap;

/// The methods that use prompts and templates.
const OWN_METHODS: [(&str, &str); 2] = [
    (PromptDef::KIND, GetPromptRequest::METHOD),
    (TEMPLATE, ReadResourceRequest::METHOD),
];

/// Completes one argument of one prompt or template.
pub(super) struct Completer {
    of: CompletionTarget,
    argument: String,
    pub(super) handler: CompletionHandler,
    /// What the handler itself requires. The guards of its groups run for the definition only.
    requirements: Requirements,
    pub(super) access: Access,
}

/// A prompt or a template by its name.
#[derive(PartialEq)]
pub(super) struct CompletionTarget {
    /// Prompt or template, as errors call it.
    pub(super) kind: &'static str,
    pub(super) name: String,
}

/// The handlers of all arguments, but for those that definitions have themselves.
#[derive(Default)]
pub(crate) struct Completions {
    pub(super) all: Vec<Completer>,
    /// The kinds of definitions for which the application handles the requests itself: the server
    /// does not know all of them.
    pub(super) handled: Vec<&'static str>,
}

impl Completions {
    pub(super) fn get(&self, of: &CompletionTarget, argument: &str) -> Option<&Completer> {
        let mut all = self.all.iter();
        all.find(|known| known.of == *of && known.argument == argument)
    }

    pub(super) fn has(&self, of: &CompletionTarget) -> bool {
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
            requirements: requirements_of(&handler),
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
        let is_handled = |method| registry.routes.fallback.is_some() || registry.has_route(method);
        let handled = OWN_METHODS.iter().filter(|(_, method)| is_handled(method));
        self.handled = handled.map(|(kind, _)| *kind).collect();
        let unknown = self.all.iter().filter_map(|completer| {
            let CompletionTarget { kind, name } = &completer.of;
            let argument = &completer.argument;
            let takes = if *kind == TEMPLATE {
                resources.definitions.template_takes(name, argument)
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
    pub(crate) fn missing(&self, server: &TypeMap) -> Vec<BuildError> {
        let missing = self.all.iter().flat_map(|completer| {
            let (access, argument) = (&completer.access, &completer.argument);
            let mut missing = access.missing(KIND, argument, server);
            let requirements = &completer.requirements;
            missing.extend(requirements.unavailable(HandlerSubject::Other, KIND, argument));
            missing
        });
        missing.collect()
    }
}

/// Returns the name of a completion for errors.
const KIND: &str = "completion";
