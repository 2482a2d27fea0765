//! [`Caller`]: what the server knows of the client of a request, kept for decisions after it.

use std::sync::Arc;

use crate::protocol::context_values::ContextValues;
use crate::protocol::extensions::Extensions;

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
