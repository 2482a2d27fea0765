//! Middleware and extensions of a client.

use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::json;
use serde::de::DeserializeOwned;

use super::builder::ClientBuilder;
use super::handle::Client;
use crate::features::extension::ClientExtension;
use crate::protocol::middleware::Middleware;

impl ClientBuilder {
    /// Adds a [middleware](crate::middleware) around all messages. The first one that is added is
    /// the outermost one, next to the program: it sees what the client sends first, and what the
    /// server sends last.
    pub fn layer(mut self, middleware: impl Middleware) -> Self {
        self.layers.push(Arc::new(middleware));
        self
    }

    /// Adds an extension: it is announced to the server, and its middleware is added like that of
    /// [`layer`](Self::layer). Contradictions are a
    /// [`ConnectError::Extension`](crate::ConnectError) when the client connects.
    pub fn extension(mut self, extension: impl Into<ClientExtension>) -> Self {
        let extension = extension.into();
        self.layers.extend(extension.layers.iter().cloned());
        if let Some(deferred) = &extension.deferred {
            self.deferred = Some(Arc::clone(deferred));
        }
        self.extensions.push(extension);
        self
    }
}

impl Client {
    /// Returns the settings of an extension that the server announced; `None` if the server does not
    /// have the extension.
    ///
    /// # Errors
    ///
    /// The settings are not a `T`.
    pub fn server_extension<T: DeserializeOwned>(
        &self,
        identifier: &str,
    ) -> Result<Option<T>, DecodeError> {
        let Some(server) = self.connection().negotiated() else {
            return Ok(None);
        };
        let extensions = server.capabilities.extensions.as_ref();
        let settings = extensions.and_then(|extensions| extensions.get(identifier));
        settings.cloned().map(json::from_object).transpose()
    }
}
