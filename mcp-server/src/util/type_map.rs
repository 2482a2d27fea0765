//! [`TypeMap`]: at most one value of each type.

use std::any::Any;

/// Values by type. Meant for a handful of values: lookups compare each of them.
#[derive(Default)]
pub(crate) struct TypeMap {
    values: Vec<Box<dyn Any + Send + Sync>>,
}

impl TypeMap {
    /// Stores a value, which replaces one of the same type.
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let value = Box::new(value);
        if let Some(known) = self.values.iter_mut().find(|known| known.is::<T>()) {
            *known = value;
        } else {
            self.values.push(value);
        }
    }

    /// Returns the value of a type.
    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.values.iter().find_map(|value| value.downcast_ref())
    }

    /// Returns `true` if there is a value of the type with this id.
    pub(crate) fn contains(&self, id: std::any::TypeId) -> bool {
        self.values.iter().any(|value| (**value).type_id() == id)
    }
}
