//! [`Requirements`]: the states and extractors that handlers need.

use std::any::{TypeId, type_name};

use crate::protocol::error::BuildError;
use crate::util::type_map::TypeMap;

/// What a definition with handlers is about, which decides about the extractors of its handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlerSubject {
    /// A resource template: there are a URI and variables.
    Template,
    /// One resource: there is a URI.
    Resource,
    /// Something else, such as a tool.
    Other,
}

/// What the extractors of a handler need of the server, see
/// [`FromContext::requirements`](crate::FromContext::requirements).
#[derive(Clone, Debug, Default)]
pub struct Requirements {
    states: Vec<(TypeId, &'static str)>,
    /// The name of an extractor that needs the resource of the request.
    pub(crate) resource: Option<&'static str>,
    /// The name of an extractor that needs the variables of a resource template.
    template: Option<&'static str>,
    /// The name of an extractor that needs a resource, of a handler that runs without one.
    never: Option<&'static str>,
    /// Whether a handler may hold its context.
    pub(crate) uses_context: bool,
}

impl Requirements {
    /// Requires that the server or the handler's group has a state of type `T`.
    pub fn state<T: 'static>(&mut self) {
        self.states.push((TypeId::of::<T>(), type_name::<T>()));
    }

    /// Requires that the handler belongs to a resource or a resource template.
    pub(crate) fn resource<E>(&mut self) {
        self.resource = Some(type_name::<E>());
    }

    /// Requires that the handler belongs to a resource template.
    pub(crate) fn template<E>(&mut self) {
        self.resource::<E>();
        self.template = Some(type_name::<E>());
    }

    /// Notes whether an extractor may hold the context.
    pub(crate) fn context(&mut self, uses_context: bool) {
        self.uses_context |= uses_context;
    }

    /// Returns these requirements for a handler that runs where no resource is known.
    pub(crate) fn without_resource(mut self) -> Self {
        self.never = self.resource.take();
        self.template = None;
        self
    }

    /// Returns an error if an extractor needs what a definition of this subject does not have.
    pub(crate) fn unavailable(
        &self,
        subject: HandlerSubject,
        kind: &'static str,
        name: &str,
    ) -> Option<BuildError> {
        let name = || name.to_owned();
        if let Some(type_name) = self.never {
            let name = name();
            return Some(BuildError::NoResource {
                kind,
                name,
                type_name,
            });
        }
        match subject {
            HandlerSubject::Template => None,
            HandlerSubject::Resource => self.template.map(|type_name| BuildError::NotATemplate {
                name: name(),
                type_name,
            }),
            HandlerSubject::Other => self.resource.map(|type_name| BuildError::NotAResource {
                kind,
                name: name(),
                type_name,
            }),
        }
    }

    /// Adds the requirements of another handler.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.states.extend(&other.states);
        self.resource = self.resource.or(other.resource);
        self.template = self.template.or(other.template);
        self.never = self.never.or(other.never);
        self.uses_context |= other.uses_context;
    }

    /// Returns an error for each state that is required and that none of the states has. `kind` and
    /// `name` describe the definition.
    pub(crate) fn missing<'a>(
        &'a self,
        kind: &'static str,
        name: &'a str,
        states: impl Iterator<Item = &'a TypeMap> + Clone + 'a,
    ) -> impl Iterator<Item = BuildError> + 'a {
        let has = move |id: TypeId| states.clone().any(|states| states.contains(id));
        let missing = self.states.iter().filter(move |(id, _)| !has(*id));
        missing.map(move |&(_, type_name)| BuildError::MissingState {
            kind,
            name: name.to_owned(),
            type_name,
        })
    }
}
