//! [`ClientExtension`]: what an extension of the protocol adds to a client.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Object};
use mcp_types::{ClientCapabilities, Notification, Request, Revision};
use mcp_wire::identifier;
use serde::Serialize;

use super::calls::IntoObject;
use super::notifications::{NotificationHandler, NotificationHandlers};
use super::server_requests::inputs::{ExtensionHandler, Inputs, extension_handler};
use super::shared_connection::Deferred;
use crate::protocol::error::{ExtensionError, InputError};
use crate::protocol::middleware::{Layer, Middleware};

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
pub struct ClientExtension {
    identifier: String,
    settings: Result<Object, DecodeError>,
    requests: Vec<(&'static str, ExtensionHandler)>,
    notifications: Vec<(&'static str, Arc<NotificationHandler>)>,
    meta_keys: Vec<String>,
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) deferred: Option<Arc<dyn Deferred>>,
}

impl ClientExtension {
    /// Creates an extension without settings. Its identifier is a reversed domain, `/` and a name.
    /// An invalid one is an [`ExtensionError`] when a client connects.
    pub fn new(identifier: impl Into<String>) -> Self {
        Self {
            identifier: identifier.into(),
            settings: Ok(Object::new()),
            requests: Vec::new(),
            notifications: Vec::new(),
            meta_keys: Vec::new(),
            layers: Vec::new(),
            deferred: None,
        }
    }

    /// Sets the settings that servers see: an object, `{}` without this call. Anything else is an
    /// [`ExtensionError`] when a client connects.
    pub fn settings(mut self, settings: &(impl Serialize + ?Sized)) -> Self {
        self.settings = settings.into_object();
        self
    }

    /// Sets the handler of a request that servers of revisions with sessions send. Params and
    /// result have the same form in all revisions. A server receives an
    /// [`ErrorObject`](crate::types::rpc::ErrorObject) of the handler as it is, and any other error
    /// as -32603.
    pub fn on_request<R, F>(
        mut self,
        handler: impl Fn(R::Params) -> F + Send + Sync + 'static,
    ) -> Self
    where
        R: Request,
        F: Future<Output = Result<R::Result, InputError>> + Send + 'static,
    {
        let handler = extension_handler::<R, F>(handler);
        self.requests.push((R::METHOD, handler));
        self
    }

    /// Sets the handler of a notification of the server, whose params have the same form in all
    /// revisions. The handler must not block.
    pub fn on_notification<N: Notification>(
        mut self,
        handler: impl Fn(N::Params) + Send + Sync + 'static,
    ) -> Self {
        let handler = Arc::new(move |_, params: &str| {
            handler(json::from_str(params)?);
            Ok(())
        });
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

    /// Returns an error if the extension handles a method that the protocol defines, unless it
    /// reserves the method for this extension.
    fn check_methods(&self) -> Result<(), ExtensionError> {
        let requests = self.requests.iter().map(|(method, _)| *method);
        let mut methods = requests.chain(self.notifications.iter().map(|(method, _)| *method));
        let is_core = |method: &&str| {
            let mut revisions = Revision::WITH_DRAFT.iter();
            revisions.any(|revision| revision.has_method(method))
                && !identifier::owns_method(&self.identifier, method)
        };
        let identifier = self.identifier.clone();
        methods.find(is_core).map_or(Ok(()), |method| {
            Err(ExtensionError::CoreMethod { identifier, method })
        })
    }

    /// Returns an error for a key that is invalid, reserved or one of `used`, and adds the keys to
    /// these.
    fn check_meta_keys(&self, used: &mut HashSet<String>) -> Result<(), ExtensionError> {
        let own_prefix = identifier::prefix(&self.identifier);
        for key in &self.meta_keys {
            let (identifier, key) = (self.identifier.clone(), key.clone());
            match identifier::prefix(&key) {
                Err(_) => return Err(ExtensionError::MetaKey { identifier, key }),
                Ok(prefix) if identifier::is_reserved(prefix) && own_prefix != Ok(prefix) => {
                    return Err(ExtensionError::ReservedMetaKey { identifier, key });
                }
                Ok(_) if !used.insert(key.clone()) => {
                    return Err(ExtensionError::DuplicateMetaKey { identifier, key });
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for ClientExtension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientExtension")
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
    extensions: Vec<ClientExtension>,
    capabilities: &mut ClientCapabilities,
    inputs: &mut Inputs,
    notifications: &mut NotificationHandlers,
) -> Result<(), ExtensionError> {
    let mut requests: HashMap<&'static str, ExtensionHandler> = HashMap::new();
    let mut meta_keys = HashSet::new();
    for extension in extensions {
        let identifier = extension.identifier.clone();
        if identifier::prefix(&identifier).is_err() {
            return Err(ExtensionError::Identifier { identifier });
        }
        extension.check_methods()?;
        extension.check_meta_keys(&mut meta_keys)?;
        let declared = capabilities.extensions.get_or_insert_default();
        if declared.contains_key(&identifier) {
            return Err(ExtensionError::Duplicate { identifier });
        }
        let settings = extension.settings.map_err(|source| {
            let identifier = identifier.clone();
            ExtensionError::Settings { identifier, source }
        })?;
        declared.insert(&identifier, settings);
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
