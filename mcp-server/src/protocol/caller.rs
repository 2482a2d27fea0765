//! [`Caller`]: what the server knows of the client of a request, kept for decisions after it.

#[cfg(feature = "proposals")]
pub(crate) mod connection_scope;
pub(crate) mod extensions;

use std::any::Any;
use std::sync::Arc;

use crate::protocol::caller::extensions::Extensions;

/// What the transport and middleware attached to a request: who sent it, and what that client may
/// do.
#[derive(Clone, Default)]
pub(crate) struct Caller {
    pub(crate) extensions: Arc<Extensions>,
    pub(crate) values: Option<Arc<ContextValues>>,
}

impl Caller {
    /// Returns the memory that the head of an HTTP request uses, in bytes.
    #[cfg(feature = "http")]
    pub(crate) fn head_bytes(&self) -> usize {
        self.extensions.parts().map_or(0, |parts| {
            let headers = parts.headers.iter();
            let headers = headers.map(|(name, value)| name.as_str().len() + value.len());
            headers.sum()
        })
    }
}

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
