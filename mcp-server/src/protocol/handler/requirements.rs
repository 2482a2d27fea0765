//! [`Requirements`]: the states and extractors that handlers need.

use std::any::{TypeId, type_name};

use crate::protocol::core::states::States;

/// What the extractors of a handler need of the server, see
/// [`FromContext::requirements`](crate::FromContext::requirements).
#[derive(Clone, Debug, Default)]
pub struct Requirements {
    states: Vec<(TypeId, &'static str)>,
    /// The name of an extractor that only handlers of resources can take.
    resource: Option<&'static str>,
    /// Whether a handler may hold its context.
    uses_context: bool,
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

    /// Notes whether an extractor may hold the context.
    pub(crate) fn context(&mut self, uses_context: bool) {
        self.uses_context |= uses_context;
    }

    /// Returns `true` if a handler may hold its context, so that it can ask the client.
    pub(crate) fn uses_context(&self) -> bool {
        self.uses_context
    }

    /// Returns the name of an extractor that only handlers of resources can take, if there is one.
    pub(crate) fn needs_resource(&self) -> Option<&'static str> {
        self.resource
    }

    /// Adds the requirements of another handler.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.states.extend(&other.states);
        self.resource = self.resource.or(other.resource);
        self.uses_context |= other.uses_context;
    }

    /// Returns the names of the types that no state has.
    pub(crate) fn missing<'a>(
        &'a self,
        states: impl Iterator<Item = &'a States> + Clone + 'a,
    ) -> impl Iterator<Item = &'static str> + 'a {
        let missing = self
            .states
            .iter()
            .filter(move |(id, _)| !states.clone().any(|states| states.contains(*id)));
        missing.map(|(_, name)| *name)
    }
}
