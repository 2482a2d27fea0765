//! [`States`]: the values that a program shares with its handlers.

use std::any::{TypeId, type_name};

use crate::protocol::error::BuildError;
use crate::util::type_map::TypeMap;

/// The states of a server or of a group, by type.
#[derive(Default)]
pub(crate) struct States(TypeMap);

impl States {
    /// Adds a state; the first one of a type stays.
    pub(crate) fn add<T: Send + Sync + 'static>(&mut self, state: T) -> Result<(), BuildError> {
        if self.contains(TypeId::of::<T>()) {
            return Err(BuildError::DuplicateType {
                kind: "state",
                type_name: type_name::<T>(),
            });
        }
        self.0.insert(state);
        Ok(())
    }

    /// Returns the state of a type.
    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.0.get()
    }

    /// Returns `true` if there is a state of the type with this id.
    pub(crate) fn contains(&self, id: TypeId) -> bool {
        self.0.contains(id)
    }
}
