//! Code that runs around the handlers of requests: timing, authorization, rate limits.
//!
//! A [`Middleware`] sees each request with its method, params and context before the handler runs,
//! and its outcome afterwards. It may answer by itself. [`from_fn`] turns an async function into
//! one:
//!
//! ```
//! use std::time::Instant;
//!
//! use mcp_server::middleware::{self, Next, Outcome, Request};
//! use mcp_server::Server;
//!
//! async fn timing(request: Request, next: Next) -> Outcome {
//!     let (method, start) = (request.method().to_owned(), Instant::now());
//!     let outcome = next.run(request).await;
//!     println!("{method}: {:?}, {}", start.elapsed(), outcome.is_ok());
//!     outcome
//! }
//!
//! let server = Server::builder("demo", "1.0.0")
//!     .layer(middleware::from_fn(timing))
//!     .tool("today", "Returns the day of the week", async || "Monday")
//!     .build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! Middleware runs for every request that a client sends, on every transport, except for
//! `initialize` and for a `ping` before it, which belong to no session. The HTTP service also takes
//! the layers of [tower](https://docs.rs/tower), which see HTTP requests rather than messages.
//!
//! Middleware does not run for downloads by [URL](crate::guide::urls): it sees the request whose
//! result contains the URL, and not the requests for that URL. Only guards, scopes and visibility
//! apply to those, so what a middleware refuses for `resources/read` has to be refused by a guard
//! as well.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use mcp_internal::peer_text::{PeerDisplay, PeerText};
use mcp_types::error::DecodeError;
use mcp_types::revision::Versioned;
use mcp_types::rpc::{self, INTERNAL_ERROR, Message};
use mcp_types::{CallToolRequest, Request as _, ResultType, json};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::protocol::core::{Context, Layer, ResponseFuture};
use crate::protocol::dispatch::respond;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::rejection::Rejection;
use crate::protocol::error::text::{invalid_params, method_not_found};
use crate::protocol::message::params_view::ParamsView;

/// What a request is answered with.
///
/// The failure of a tool is a response, see [`Response::is_tool_error`].
pub type Outcome = Result<Response, HandlerError>;

/// Code that runs around the handlers of requests.
///
/// It is given to [`ServerBuilder::layer`](crate::ServerBuilder::layer). [`from_fn`] turns a
/// function into one; the trait is for middleware with settings of its own:
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use mcp_server::middleware::{Middleware, Next, Outcome, Request};
/// use mcp_server::{HandlerError, Server};
///
/// /// Answers only so many calls of tools.
/// struct Budget(AtomicU64);
///
/// impl Middleware for Budget {
///     async fn call(&self, request: Request, next: Next) -> Outcome {
///         let take_one = |left: u64| left.checked_sub(1);
///         if request.method() == "tools/call"
///             && self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one).is_err()
///         {
///             return Err(HandlerError::internal("the budget is used up"));
///         }
///         next.run(request).await
///     }
/// }
///
/// let server = Server::builder("demo", "1.0.0").layer(Budget(AtomicU64::new(1000))).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
///
/// The call is dropped when the client cancels the request or its time is over.
pub trait Middleware: Send + Sync + 'static {
    /// Serves a request, usually with [`Next::run`].
    fn call(&self, request: Request, next: Next) -> impl Future<Output = Outcome> + Send;
}

/// Returns a middleware that calls an async function for each request.
pub fn from_fn<F, Fut>(function: F) -> FromFn<F>
where
    F: Fn(Request, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send,
{
    FromFn(function)
}

/// The middleware that [`from_fn`] returns.
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F>(F);

impl<F, Fut> Middleware for FromFn<F>
where
    F: Fn(Request, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send,
{
    fn call(&self, request: Request, next: Next) -> impl Future<Output = Outcome> + Send {
        (self.0)(request, next)
    }
}

/// A request of a client, as a middleware sees it.
pub struct Request {
    params: Box<RawValue>,
    cx: Context,
}

impl Request {
    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.cx.method()
    }

    /// Returns the params as JSON, in the form of the client's revision. For a request without
    /// params, returns `{}`.
    #[must_use]
    pub fn params(&self) -> &RawValue {
        &self.params
    }

    /// Decodes one member of the params, such as the name of the tool in `tools/call`. `None` if
    /// there is no such member.
    ///
    /// # Errors
    ///
    /// If the member is not a `T`.
    ///
    /// ```
    /// # use mcp_server::middleware::{Next, Outcome, Request};
    /// # use mcp_server::{HandlerError, Principal};
    /// async fn admins_only(request: Request, next: Next) -> Outcome {
    ///     let tool: Option<String> = request.param("name")?;
    ///     let is_admin = request.context().extension() == Some(&Principal("admin".to_owned()));
    ///     if tool.as_deref() == Some("delete_everything") && !is_admin {
    ///         return Err(HandlerError::forbidden("only administrators may do this"));
    ///     }
    ///     next.run(request).await
    /// }
    /// ```
    pub fn param<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, HandlerError> {
        let params = ParamsView::read(Some(&self.params));
        let member = params.and_then(|params| params.members().optional(name));
        member.map_err(|error| HandlerError::protocol(invalid_params(self.method(), &error)))
    }

    /// Returns the name of the tool that the request calls. `None` for other methods, and if the
    /// server has no tool of this name: unlike the text of the client, the returned names are few,
    /// so they can be labels of metrics.
    #[must_use]
    pub fn tool(&self) -> Option<String> {
        if self.method() != CallToolRequest::METHOD {
            return None;
        }
        let tools = self.cx.core().tools.as_ref()?;
        let name: String = self.param("name").ok()??;
        tools.contains(&name).then_some(name)
    }

    /// Returns the context that the handler gets.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.cx
    }

    /// Attaches a value to the context, for the handler and for the middleware in between: see
    /// [`Context::with_extension`].
    #[must_use]
    pub fn with_extension<T: Send + Sync + 'static>(self, value: T) -> Self {
        Self {
            cx: self.cx.with_extension(value),
            ..self
        }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &PeerText(self.method()))
            .field("id", &self.cx.request_id().map(PeerDisplay))
            .finish_non_exhaustive()
    }
}

/// The middleware that was added later, and the handler.
#[derive(Debug)]
pub struct Next {
    /// The layer to be run, or the handler if there are no more.
    index: usize,
}

impl Next {
    /// Runs the rest of the middleware and the handler.
    ///
    /// # Errors
    ///
    /// The error of the handler, of another middleware, or -32602 where the params are not those of
    /// the method.
    pub async fn run(self, request: Request) -> Outcome {
        let message = run(request.params, request.cx, self.index).await?;
        Ok(Response { message })
    }
}

/// The result of a request, in the form of the client's revision.
pub struct Response {
    /// The whole message.
    message: Vec<u8>,
}

impl Response {
    /// Creates the response with a result, translated for the client's revision. For middleware
    /// that answers by itself.
    ///
    /// # Errors
    ///
    /// -32603 where the result has no form in that revision.
    pub fn new<T: Versioned>(cx: &Context, result: T) -> Result<Self, HandlerError> {
        let message = respond::result(cx, result)?;
        Ok(Self { message })
    }

    /// Returns the result as JSON, in the form of the client's revision.
    ///
    /// # Errors
    ///
    /// None for a response that this crate made.
    pub fn result(&self) -> Result<&RawValue, DecodeError> {
        match rpc::parse(&self.message) {
            Ok(Message::Result { result, .. }) => Ok(result),
            _ => Err(DecodeError::data("not a response with a result")),
        }
    }

    /// Returns `true` if this is the failure of a tool: a result with `isError`.
    #[must_use]
    pub fn is_tool_error(&self) -> bool {
        self.member("isError") == Some(true)
    }

    /// Returns `true` if the result asks the client for input, so that the request is not complete:
    /// the client sends it again, with the answers.
    #[must_use]
    pub fn is_input_required(&self) -> bool {
        self.member("resultType") == Some(ResultType::InputRequired)
    }

    /// Decodes a member of the result. `None` if it is absent or not a `T`.
    fn member<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let result = ParamsView::read(Some(self.result().ok()?)).ok()?;
        result.members().optional(name).ok()?
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("is_tool_error", &self.is_tool_error())
            .finish_non_exhaustive()
    }
}

/// A middleware with its type erased.
struct Erased<M>(Arc<M>);

/// Erases the type of a middleware.
pub(crate) fn erased<M: Middleware>(middleware: M) -> Box<dyn Layer> {
    Box::new(Erased(Arc::new(middleware)))
}

impl<M: Middleware> Layer for Erased<M> {
    fn start(&self, params: Box<RawValue>, cx: Context, index: usize) -> ResponseFuture {
        let middleware = Arc::clone(&self.0);
        let next = Next { index: index + 1 };
        Box::pin(async move {
            let request = Request { params, cx };
            let response = middleware.call(request, next).await?;
            Ok(response.message)
        })
    }
}

/// Starts a request with the outermost layer. The params are copied: the handler runs only when the
/// layers have passed the request on.
pub(crate) fn start(params: &ParamsView<'_>, cx: &Context) -> ResponseFuture {
    let cx = cx.clone();
    let params = json::from_str::<Box<RawValue>>(params.text());
    Box::pin(async move {
        let params = params.map_err(|error| HandlerError::internal(error.to_string()))?;
        run(params, cx, 0).await
    })
}

/// Runs the layer with this index. Behind the last layer, runs the handler.
fn run(params: Box<RawValue>, cx: Context, index: usize) -> ResponseFuture {
    let core = Arc::clone(cx.core());
    if let Some(layer) = core.layers.get(index) {
        return layer.start(params, cx, index);
    }
    let started = start_handler(&params, &cx);
    Box::pin(async move { started?.await })
}

/// Starts the handler. Its params are read again: the layers may have run for some time, and the
/// text of the request is gone.
fn start_handler(params: &RawValue, cx: &Context) -> Result<ResponseFuture, HandlerError> {
    let core = cx.core();
    let Some(route) = core.route(cx.method(), cx.revision()) else {
        let error = HandlerError::protocol(method_not_found(cx.method()));
        return Err(error.rejected(Rejection::NoMethod));
    };
    let params = ParamsView::read(Some(params))
        .map_err(|error| HandlerError::protocol(invalid_params(cx.method(), &error)))?;
    route.start(&params, cx).map_err(|error| {
        if error.rejection.is_some() {
            return error;
        }
        let rejection = Rejection::of_code(error.code().unwrap_or(INTERNAL_ERROR));
        error.rejected(rejection)
    })
}
