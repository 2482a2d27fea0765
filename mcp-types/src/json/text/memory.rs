//! What decoders find out about a text, for those of values inside.

use std::any::Any;

use super::Text;

pub(super) type Memory = Option<Box<dyn Any + Send + Sync>>;

impl Text<'_> {
    /// Takes what a decoder found out about this text, if it is of a type.
    pub(crate) fn recall<T: Any>(&mut self) -> Option<Box<T>> {
        self.memory.take()?.downcast().ok()
    }

    /// Keeps what a decoder found out about this text, until it is taken or replaced.
    pub(crate) fn remember(&mut self, memory: Box<dyn Any + Send + Sync>) {
        self.memory = Some(memory);
    }
}
