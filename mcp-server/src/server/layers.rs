//! Middleware and extensions of a [`ServerBuilder`].

use crate::protocol::dispatch::extension::ServerExtension;
use crate::protocol::dispatch::middleware::{self, Middleware};
use crate::server::builder::ServerBuilder;

impl ServerBuilder {
    /// Adds a [middleware] around all messages. The first one that is added is the outermost, next
    /// to the client: it sees what the client sends first, and what the server sends last.
    pub fn layer(mut self, middleware: impl Middleware) -> Self {
        self.layers.push(middleware::erased(middleware));
        self
    }

    /// Adds an extension of the protocol: its settings, methods, notifications and middleware.
    ///
    /// `build` returns an error for an identifier, a method or a `_meta` key that occurs twice, and
    /// for methods and `_meta` keys that the protocol itself defines or reserves.
    pub fn extension(mut self, extension: impl Into<ServerExtension>) -> Self {
        let mut extension = extension.into();
        self.layers.append(&mut extension.layers);
        if let Some(built) = extension.built.take() {
            self.built.push((built, self.layers.len()));
        }
        extension.register(&mut self.registry);
        self
    }
}
