//! Extractors: values that handlers take from their request, [`FromContext`].

use std::any::type_name;
use std::sync::Arc;

use mcp_types::json::{Map, Object};
use mcp_types::{ClientCapabilities, json};
use serde::de::DeserializeOwned;

use crate::protocol::caller::Principal;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::requirements::Requirements;
use crate::protocol::session::peer::Peer;
use crate::util::type_map::TypeMap;

/// A value that a handler can take as a parameter, after its arguments.
///
/// [`Context`], [`State`](crate::State), [`Principal`], [`Extension`] and [`Peer`] are extractors;
/// the guide has [all of them](crate::guide::state#extractors). An `Option` of some is `None` where
/// the request has no such value, such as `Option<Principal>`.
///
/// Programs implement the trait for types of their own:
///
/// ```
/// use mcp_server::{Context, FromContext, HandlerError, Principal, Requirements, Server, State};
///
/// #[derive(Clone)]
/// struct Users(Vec<(String, String)>);
///
/// /// The full name of the user who sends the request.
/// struct FullName(String);
///
/// impl FromContext for FullName {
///     fn requirements(requirements: &mut Requirements) {
///         requirements.state::<Users>();
///     }
///
///     async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
///         let Principal(login) = Principal::from_context(cx).await?;
///         let State(Users(users)) = State::from_context(cx).await?;
///         let user = users.into_iter().find(|(known, _)| *known == login);
///         let (_, name) = user.ok_or_else(|| HandlerError::forbidden("unknown user"))?;
///         Ok(Self(name))
///     }
/// }
///
/// let server = Server::builder("greeter", "1.0.0")
///     .state(Users(vec![("ada".into(), "Ada Lovelace".into())]))
///     .tool("greet", "Greets the user", |FullName(name): FullName| async move {
///         format!("Hello, {name}!")
///     })
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an extractor",
    label = "handlers cannot take this as a parameter after their arguments",
    note = "extractors are types that implement `FromContext`, such as `Context`, `State<T>`, `Principal`, \
            `Extension<T>` and `Peer`"
)]
pub trait FromContext: Sized + Send {
    /// Whether handlers can get the [`Context`] from this value. A handler whose extractors are all
    /// `false` cannot ask the client questions, so the server does not prepare its requests for them.
    #[doc(hidden)]
    const USES_CONTEXT: bool = true;

    /// Names the states that the extraction needs. They are checked when the server is built. None
    /// by default.
    fn requirements(requirements: &mut Requirements) {
        let _ = requirements;
    }

    /// Extracts the value. The handler does not run if this fails.
    ///
    /// # Errors
    ///
    /// The error that the request is answered with.
    fn from_context(cx: &Context) -> impl Future<Output = Result<Self, HandlerError>> + Send;
}

impl FromContext for Context {
    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        Ok(cx.clone())
    }
}

impl FromContext for Peer {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        Ok(cx.peer().clone())
    }
}

/// Requests without a principal are refused, see [`HandlerError::forbidden`].
impl FromContext for Principal {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        let principal = cx.extension::<Self>().cloned();
        principal
            .ok_or_else(|| HandlerError::forbidden("the request has no authenticated principal"))
    }
}

impl FromContext for Option<Principal> {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        Ok(cx.extension().cloned())
    }
}

/// Extracts a value that the transport or a middleware attached to the request, see
/// [`Context::extension`].
///
/// A request without such a value is answered with -32603: the program did not attach it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extension<T>(pub T);

impl<T: Clone + Send + Sync + 'static> FromContext for Extension<T> {
    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        if let Some(value) = cx.extension::<T>() {
            return Ok(Self(value.clone()));
        }
        let name = type_name::<T>();
        tracing::error!("no extension of type `{name}` is attached to the request");
        Err(HandlerError::internal(
            "the request lacks a value that the handler needs",
        ))
    }
}

impl<T: Clone + Send + Sync + 'static> FromContext for Option<Extension<T>> {
    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        Ok(cx.extension::<T>().cloned().map(Extension))
    }
}

/// Extracts a value that was given to [`ServerBuilder::state`](crate::ServerBuilder::state) or
/// [`Group::state`](crate::Group::state).
///
/// The value is cloned for each request, so shared state is usually an `Arc`, a connection pool,
/// or another type that is cheap to clone. If a handler takes a `State<T>` and neither its group
/// nor the server has a `T`, building the server fails with
/// [`BuildError::MissingState`](crate::BuildError::MissingState).
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use mcp_server::{Server, State};
///
/// async fn count(State(calls): State<Arc<AtomicU64>>) -> u64 {
///     calls.fetch_add(1, Ordering::Relaxed) + 1
/// }
///
/// let server = Server::builder("counter", "1.0.0")
///     .state(Arc::new(AtomicU64::new(0)))
///     .tool("count", "Counts its calls", count)
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State<T>(pub T);

impl<T: Clone + Send + Sync + 'static> FromContext for State<T> {
    const USES_CONTEXT: bool = false;

    fn requirements(requirements: &mut Requirements) {
        requirements.state::<T>();
    }

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        match cx.state::<T>() {
            Some(state) => Ok(Self(state.clone())),
            None => Err(HandlerError::internal(
                "the server lacks a state of this type",
            )),
        }
    }
}

impl Context {
    /// Returns the state of a type: that of the handler's group, or else that of the server.
    ///
    /// Handlers usually take [`State<T>`](State) as a parameter instead, which is checked when the
    /// server is built.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let groups = self.values.iter().flat_map(|values| values.values());
        let mut groups = groups.filter_map(|states: &Arc<TypeMap>| states.get());
        groups.next().or_else(|| self.core().states.get())
    }
}

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
        let offered = self.core().about.capabilities.extensions.as_ref();
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
