//! [`Negotiated`]: the settings that a client announced for an extension.

use mcp_types::ClientCapabilities;
use mcp_types::json::{self, Map, Object};
use serde::de::DeserializeOwned;

use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::extract::FromContext;

/// The settings that clients announce for an extension, as the extractor [`Negotiated`] decodes
/// them. For an extension without settings, a struct without fields.
pub trait ExtensionSettings: DeserializeOwned + Send {
    /// The identifier of the extension.
    const IDENTIFIER: &'static str;
}

/// Extracts the settings that the client announced for an extension, if this server announces it,
/// too. See [`ServerExtension`](crate::ServerExtension).
///
/// A request of a client that did not announce the extension is answered with -32021, which names
/// it; one with settings that are not a `T` with -32602. `Option<Negotiated<T>>` is `None` if either
/// side did not announce it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Negotiated<T>(pub T);

impl<T: ExtensionSettings> FromContext for Negotiated<T> {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        let negotiated = Option::<Self>::from_context(cx).await?;
        negotiated.ok_or_else(|| missing_extension(T::IDENTIFIER))
    }
}

impl<T: ExtensionSettings> FromContext for Option<Negotiated<T>> {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        let Some(settings) = cx.extension_settings(T::IDENTIFIER) else {
            return Ok(None);
        };
        let settings = json::from_object(settings.clone()).map_err(|error| {
            let place = format!("the client's settings of the extension `{}`", T::IDENTIFIER);
            HandlerError::invalid_params(format!("{place}: {error}"))
        })?;
        Ok(Some(Negotiated(settings)))
    }
}

impl Context {
    /// Returns the settings that the client announced for an extension, if this server announces
    /// it, too. [`Negotiated`] decodes them.
    #[must_use]
    pub fn extension_settings(&self, identifier: &str) -> Option<&Object> {
        let offered = self.core().capabilities().extensions.as_ref();
        if !offered.is_some_and(|offered| offered.contains_key(identifier)) {
            return None;
        }
        self.peer()
            .capabilities()
            .extensions
            .as_ref()?
            .get(identifier)
    }
}

/// Returns the error for a client that did not announce an extension.
pub(crate) fn missing_extension(identifier: &str) -> HandlerError {
    let mut required = ClientCapabilities::new();
    let mut extensions = Map::default();
    extensions.insert(identifier, Object::new());
    required.extensions = Some(extensions);
    HandlerError::missing_capability(required)
}
