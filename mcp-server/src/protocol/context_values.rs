//! [`ContextValues`]: values that are added to the context of a request on its way to the handler.

use std::any::Any;
use std::sync::Arc;

/// A value, and those that were added before it. Contexts share them, so adding a value to one
/// context does not change the others.
pub(crate) struct ContextValues {
    value: Box<dyn Any + Send + Sync>,
    before: Option<Arc<ContextValues>>,
}

impl ContextValues {
    /// Adds a value to those that were added before.
    pub(crate) fn with<T: Send + Sync + 'static>(value: T, before: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            value: Box::new(value),
            before,
        })
    }

    /// Returns the values of a type, the one that was added last first.
    pub(crate) fn values<T: 'static>(&self) -> impl Iterator<Item = &T> {
        let all = std::iter::successors(Some(self), |values| values.before.as_deref());
        all.filter_map(|values| values.value.downcast_ref())
    }
}
