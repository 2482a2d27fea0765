//! [`ServerExtension`]: what an extension of the protocol adds to a server.

use std::sync::Arc;

use mcp_types::json::{self, Object};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Notification, Request, Revision};
use mcp_wire::identifier;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::protocol::core::{Context, Core, Layer};
use crate::protocol::dispatch::middleware::{self, Middleware};
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::dispatch::route::Typed;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::{BuildError, invalid_params};
use crate::protocol::handler::params::{NotificationParams, Params};
use crate::protocol::handler::{Handler, IntoResult, boxed};
use crate::protocol::message::params_view::ParamsView;
use crate::util::partial_debug::partial_debug;

/// An extension of the protocol: its identifier and settings, and the methods, notifications,
/// `_meta` keys and middleware that belong to it (pages on extensions of the specification).
///
/// The server announces the identifier and the settings in `capabilities.extensions`. Handlers get
/// the settings of the client by the extractor [`Negotiated`](crate::Negotiated).
///
/// ```
/// use mcp_server::types::{EmptyResult, JsonObject, Request, Sender};
/// use mcp_server::{ExtensionSettings, Negotiated, Params, Server, ServerExtension};
/// use serde_json::json;
///
/// /// Requests that the server writes an entry to its audit log.
/// struct RecordRequest;
///
/// impl Request for RecordRequest {
///     const METHOD: &'static str = "com.example/audit/record";
///     const SENDER: Sender = Sender::Client;
///     type Params = JsonObject;
///     type Result = EmptyResult;
/// }
///
/// /// What clients announce for the extension.
/// #[derive(serde::Deserialize)]
/// struct Audit {
///     level: u8,
/// }
///
/// impl ExtensionSettings for Audit {
///     const IDENTIFIER: &'static str = "com.example/audit";
/// }
///
/// async fn record(
///     Params(entry): Params<RecordRequest>,
///     Negotiated(audit): Negotiated<Audit>,
/// ) -> EmptyResult {
///     println!("{}: {} members", audit.level, entry.len());
///     EmptyResult::new()
/// }
///
/// let audit = ServerExtension::new(Audit::IDENTIFIER)
///     .settings(&json!({ "kept": "90 days" }))
///     .on(record);
/// let server = Server::builder("shop", "1.0.0").extension(audit).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[must_use = "an extension does nothing until it is added to a server"]
pub struct ServerExtension {
    identifier: String,
    settings: Object,
    is_modern: bool,
    /// `true` if its layers are behind those of the program and of other extensions.
    pub(crate) is_innermost: bool,
    names: Vec<&'static str>,
    meta_keys: Vec<String>,
    parts: Vec<Part>,
    pub(crate) layers: Vec<Box<dyn Layer>>,
    pub(crate) built: Vec<OnBuilt>,
    reasons: Vec<String>,
}

/// Adds a handler to a server that is being built. The second argument is `true` if only the
/// revisions that define its method have it.
type Part = Box<dyn FnOnce(&mut Registry, bool) + Send>;

/// Called with the server that was built, and the index of the first layer around the handlers.
pub(crate) type OnBuilt = Box<dyn FnOnce(&Arc<Core>, usize) + Send>;

impl ServerExtension {
    /// Creates an extension without settings. The identifier has a prefix, which is usually a
    /// reversed domain name: `com.example/audit`.
    pub fn new(identifier: impl Into<String>) -> Self {
        Self {
            identifier: identifier.into(),
            settings: Object::new(),
            is_modern: false,
            is_innermost: false,
            names: Vec::new(),
            meta_keys: Vec::new(),
            parts: Vec::new(),
            layers: Vec::new(),
            built: Vec::new(),
            reasons: Vec::new(),
        }
    }

    /// Sets the settings that the server announces: an object, `{}` without this call.
    pub fn settings(mut self, settings: &(impl Serialize + ?Sized)) -> Self {
        match json::to_value(settings) {
            Ok(json::Value::Object(settings)) => self.settings = settings,
            Ok(_) => self
                .reasons
                .push("its settings are not a JSON object".to_owned()),
            Err(error) => self
                .reasons
                .push(format!("its settings cannot be encoded: {error}")),
        }
        self
    }

    /// Handles a request of the extension. The first parameter of the handler is [`Params<R>`]. Params
    /// and result have the same form in all revisions.
    pub fn on<R, M, H>(mut self, handler: H) -> Self
    where
        R: Request + 'static,
        H: Handler<Params<R>, M> + Send + Sync + 'static,
        H::Output: IntoResult<R::Result> + 'static,
    {
        self.names.push(R::METHOD);
        self.parts.push(Box::new(|registry, is_modern| {
            registry.require(R::METHOD, &handler);
            let handler = boxed(handler, H::Output::into_result);
            let handler = move |params, cx| {
                let running = handler(Params(params), cx);
                async move { Ok(SameForm(running.await?)) }
            };
            let route = Typed::<R::Params, SameForm<R::Result>, _, _>::new(read_params, handler);
            if is_modern {
                registry.on(R::METHOD, Box::new(route));
            } else {
                registry.on_any_revision(R::METHOD, Box::new(route));
            }
        }));
        self
    }

    /// Handles a notification of the extension. The first parameter of the handler is
    /// [`NotificationParams<N>`](NotificationParams).
    pub fn on_notification<N, M, H>(mut self, handler: H) -> Self
    where
        N: Notification + 'static,
        H: Handler<NotificationParams<N>, M> + Send + Sync + 'static,
        H::Output: IntoResult<()> + 'static,
    {
        self.names.push(N::METHOD);
        let part = |registry: &mut Registry, _| registry.on_notification::<N, M, H>(handler);
        self.parts.push(Box::new(part));
        self
    }

    /// Declares a key that the extension uses in `_meta` of messages. Its middleware reads the key
    /// with [`Request::meta`](middleware::Request::meta). Two extensions with the same key are an
    /// error.
    pub fn meta_key(mut self, key: impl Into<String>) -> Self {
        self.meta_keys.push(key.into());
        self
    }

    /// Adds a [middleware], as [`ServerBuilder::layer`](crate::ServerBuilder::layer) does at the place
    /// where the extension is added.
    pub fn layer(mut self, middleware: impl Middleware) -> Self {
        self.layers.push(middleware::erased(middleware));
        self
    }

    /// Puts the layers of the extension behind those of the program and of other extensions,
    /// whatever the order in which they are added.
    #[cfg(feature = "tasks")]
    pub(crate) fn innermost(mut self) -> Self {
        self.is_innermost = true;
        self
    }

    /// Does not announce the extension to clients of revisions with sessions.
    #[cfg(feature = "tasks")]
    pub(crate) fn modern(mut self) -> Self {
        self.is_modern = true;
        self
    }

    /// Calls a function with the server that was built, and the index of the first layer around the
    /// handlers.
    pub(crate) fn on_core(
        mut self,
        built: impl FnOnce(&Arc<Core>, usize) + Send + 'static,
    ) -> Self {
        self.built.push(Box::new(built));
        self
    }

    /// Adds everything but the middleware to a server that is being built.
    pub(crate) fn register(self, registry: &mut Registry) {
        for reason in self.faults() {
            registry.errors.push(BuildError::Invalid {
                kind: "extension",
                name: self.identifier.clone(),
                reason,
            });
        }
        for key in self.meta_keys {
            if !registry.meta_keys.insert(key.clone()) {
                registry.errors.push(BuildError::DuplicateName {
                    kind: "key of `_meta`",
                    name: key,
                });
            }
        }
        let about = &mut registry.about;
        if self.is_modern {
            about.modern_extensions.insert(self.identifier.clone());
        }
        let announced = about.capabilities.extensions.get_or_insert_default();
        if announced.contains_key(&self.identifier) {
            registry.errors.push(BuildError::DuplicateName {
                kind: "extension",
                name: self.identifier,
            });
        } else {
            announced.insert(self.identifier, self.settings);
        }
        for part in self.parts {
            part(registry, self.is_modern);
        }
    }

    /// Returns what is wrong with the extension by itself.
    fn faults(&self) -> Vec<String> {
        let mut faults = self.reasons.clone();
        let own_prefix = identifier::prefix(&self.identifier);
        if let Err(reason) = own_prefix {
            faults.push(reason.to_owned());
        }
        for key in &self.meta_keys {
            match identifier::prefix(key) {
                Ok(prefix) if identifier::is_reserved(prefix) && own_prefix != Ok(prefix) => {
                    faults.push(format!("the prefix of its `_meta` key `{key}` is reserved"));
                }
                Ok(_) => {}
                Err(reason) => faults.push(format!("its `_meta` key `{key}`: {reason}")),
            }
        }
        let is_core = |name: &str| {
            let mut revisions = Revision::WITH_DRAFT.iter();
            revisions.any(|revision| revision.has_method(name))
        };
        for name in &self.names {
            if !identifier::owns_method(&self.identifier, name) && is_core(name) {
                faults.push(format!("`{name}` is defined by the protocol itself"));
            }
        }
        faults
    }
}

/// Decodes params that are the same in all revisions.
fn read_params<P: DeserializeOwned>(
    params: &ParamsView<'_>,
    cx: &Context,
) -> Result<P, HandlerError> {
    let checked = params.check_meta();
    let decoded = checked.and_then(|()| json::from_str(params.text()));
    decoded.map_err(|error| HandlerError::from(invalid_params(cx.method(), &error)))
}

/// A result that is the same in all revisions.
struct SameForm<T>(T);

impl<T: Serialize + DeserializeOwned> Versioned for SameForm<T> {
    fn decode_at(_: Revision, text: &str) -> Result<Self, VersionError> {
        Ok(Self(json::from_str(text)?))
    }

    fn write_at(self, _: Revision, out: &mut json::Writer<'_>) -> Result<(), VersionError> {
        Ok(out.write(&self.0)?)
    }
}

partial_debug!(ServerExtension, |it| identifier: it.identifier, names: it.names);
