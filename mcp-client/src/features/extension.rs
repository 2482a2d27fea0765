//! [`Extension`]: what an extension of the protocol adds to a client.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::json::Object;
use mcp_types::revision::Versioned;
use mcp_types::{ClientCapabilities, Notification, Request, Revision};
use serde::Serialize;

use super::calls::IntoObject;
use super::notifications::{NotificationHandler, NotificationHandlers, notification_handler};
use super::server_requests::inputs::{ExtensionHandler, Inputs, extension_handler};
use crate::protocol::error::{ExtensionError, InputError};
use crate::protocol::middleware::{Layer, Middleware};

/// The prefix of identifiers and keys that the protocol itself defines.
const OFFICIAL: &str = "io.modelcontextprotocol/";

/// An extension of the protocol: an identifier and settings, which the client announces to servers,
/// with handlers and middleware (page "Extensions" of the specification).
///
/// It is given to [`ClientBuilder::extension`](crate::ClientBuilder::extension), which does not
/// depend on whether the server has the extension, too:
/// [`Client::server_extension`](crate::Client::server_extension) returns what the server announced.
/// Methods of the extension that the client calls need no declaration: see
/// [`Client::request`](crate::Client::request). The [guide](crate::guide::middleware) has an
/// example.
#[derive(Clone)]
#[must_use = "an extension does nothing until a client has it"]
pub struct Extension {
    identifier: String,
    settings: Object,
    requests: Vec<(&'static str, ExtensionHandler)>,
    notifications: Vec<(&'static str, Arc<NotificationHandler>)>,
    meta_keys: Vec<String>,
    pub(crate) layers: Vec<Arc<dyn Layer>>,
}

impl Extension {
    /// Creates an extension without settings. Its identifier is a reversed domain, `/` and a name.
    /// An invalid one is an [`ExtensionError`] when a client connects.
    pub fn new(identifier: impl Into<String>) -> Self {
        Self {
            identifier: identifier.into(),
            settings: Object::new(),
            requests: Vec::new(),
            notifications: Vec::new(),
            meta_keys: Vec::new(),
            layers: Vec::new(),
        }
    }

    /// Creates an extension with settings.
    #[cfg(feature = "apps")]
    pub(crate) fn with_settings(identifier: &str, settings: Object) -> Self {
        Self {
            settings,
            ..Self::new(identifier)
        }
    }

    /// Sets the settings that servers see, which are encoded as an object.
    ///
    /// # Errors
    ///
    /// The value cannot be encoded, or its JSON is not an object.
    pub fn settings(mut self, settings: impl Serialize) -> Result<Self, DecodeError> {
        self.settings = (&settings).into_object()?;
        Ok(self)
    }

    /// Sets the handler of a request that servers of revisions with sessions send. A server
    /// receives an [`ErrorObject`](crate::types::rpc::ErrorObject) of the handler as it is, and any
    /// other error as -32603.
    pub fn on_request<R, F>(
        mut self,
        handler: impl Fn(R::Params) -> F + Send + Sync + 'static,
    ) -> Self
    where
        R: Request,
        R::Params: Versioned,
        R::Result: Versioned,
        F: Future<Output = Result<R::Result, InputError>> + Send + 'static,
    {
        let handler = extension_handler::<R, F>(handler);
        self.requests.push((R::METHOD, handler));
        self
    }

    /// Sets the handler of a notification of the server. The handler must not block.
    pub fn on_notification<N>(mut self, handler: impl Fn(N::Params) + Send + Sync + 'static) -> Self
    where
        N: Notification,
        N::Params: Versioned,
    {
        let handler = notification_handler::<N>(handler);
        self.notifications.push((N::METHOD, handler));
        self
    }

    /// Declares a key of `_meta` that belongs to the extension, so that no other one uses it.
    pub fn meta_key(mut self, key: impl Into<String>) -> Self {
        self.meta_keys.push(key.into());
        self
    }

    /// Adds a [middleware](crate::middleware). It becomes one of the client's when the extension is
    /// added to the client.
    pub fn layer(mut self, middleware: impl Middleware) -> Self {
        self.layers.push(Arc::new(middleware));
        self
    }

    /// Returns an error if the extension handles a method that the protocol defines. Official
    /// extensions are in the method tables of the revisions, too.
    fn check_methods(&self) -> Result<(), ExtensionError> {
        let requests = self.requests.iter().map(|(method, _)| *method);
        let mut methods = requests.chain(self.notifications.iter().map(|(method, _)| *method));
        let is_core = |method: &&str| Revision::ALL.iter().any(|known| known.has_method(method));
        match methods.find(is_core) {
            Some(method) if !self.identifier.starts_with(OFFICIAL) => {
                Err(ExtensionError::CoreMethod {
                    identifier: self.identifier.clone(),
                    method,
                })
            }
            _ => Ok(()),
        }
    }

    /// Returns an error for a key that is invalid, reserved or one of `used`, and adds the keys to
    /// these.
    fn check_meta_keys(&self, used: &mut HashSet<String>) -> Result<(), ExtensionError> {
        for key in &self.meta_keys {
            let (identifier, key) = (self.identifier.clone(), key.clone());
            if !is_name(&key) {
                return Err(ExtensionError::MetaKey { identifier, key });
            }
            if key.starts_with(OFFICIAL) && !identifier.starts_with(OFFICIAL) {
                return Err(ExtensionError::ReservedMetaKey { identifier, key });
            }
            if !used.insert(key.clone()) {
                return Err(ExtensionError::DuplicateMetaKey { identifier, key });
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Extension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Extension")
            .field("identifier", &self.identifier)
            .finish_non_exhaustive()
    }
}

/// Adds extensions to what a client announces and handles.
///
/// # Errors
///
/// An extension is invalid, or two of them contradict each other.
pub(crate) fn install(
    extensions: Vec<Extension>,
    capabilities: &mut ClientCapabilities,
    inputs: &mut Inputs,
    notifications: &mut NotificationHandlers,
) -> Result<(), ExtensionError> {
    let mut requests: HashMap<&'static str, ExtensionHandler> = HashMap::new();
    let mut meta_keys = HashSet::new();
    for extension in extensions {
        let identifier = extension.identifier.clone();
        if !is_name(&identifier) {
            return Err(ExtensionError::Identifier { identifier });
        }
        extension.check_methods()?;
        extension.check_meta_keys(&mut meta_keys)?;
        let declared = capabilities.extensions.get_or_insert_default();
        if declared.contains_key(&identifier) {
            return Err(ExtensionError::Duplicate { identifier });
        }
        declared.insert(&identifier, extension.settings);
        for (method, handler) in extension.requests {
            if requests.insert(method, handler).is_some() {
                return Err(ExtensionError::DuplicateMethod { identifier, method });
            }
        }
        for (method, handler) in extension.notifications {
            if !notifications.add(method, handler) {
                return Err(ExtensionError::DuplicateMethod { identifier, method });
            }
        }
    }
    inputs.extensions = Arc::new(requests);
    Ok(())
}

/// Returns `true` for labels that are separated by dots, a slash and a name: the form of identifiers
/// of extensions, and of keys of `_meta` with a prefix.
fn is_name(text: &str) -> bool {
    let Some((prefix, name)) = text.split_once('/') else {
        return false;
    };
    let is_label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_alphabetic())
            && label.ends_with(|last: char| last.is_ascii_alphanumeric())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    prefix.split('.').all(is_label)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.ends_with(|last: char| last.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}
