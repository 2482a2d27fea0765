//! Code that runs around messages: logging, timing, authorization, rate limits, caches.
//!
//! A [`Middleware`] sees each request before its handler runs, and the outcome afterwards. It can
//! change the params, refuse the request, or answer by itself. It also sees notifications, which it
//! can change or drop. Both go in two [directions](Direction): what the client sends, and what this
//! server sends to the client. [`from_fn`] turns an async function into a middleware for requests:
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
//! The example `middleware` has more: a log, a rate limit, a cache, and a span for each request.
//!
//! # Which messages
//!
//! On every transport:
//!
//! * the requests of the client, except for `initialize` and for a `ping` before it, which belong to
//!   no session;
//! * the requests of this server: questions to clients of revisions up to 2025-11-25. For newer
//!   clients they are part of a result, see [`Response::is_input_required`];
//! * the notifications of the client, those that cancel a request or end a handshake included;
//! * the notifications of this server: progress, log messages, changes, acknowledgements of
//!   subscriptions, cancellations.
//!
//! A message that is malformed or exceeds a limit is refused before. The HTTP service also takes the
//! layers of [tower](https://docs.rs/tower), which see HTTP requests rather than messages.
//!
//! The handler of a [task](crate::guide::tasks) runs after the response to the call, in which the
//! client got its id. Only middleware that [`inner_layer`](crate::ServerBuilder::inner_layer) adds
//! runs around it.
//!
//! Middleware does not run for downloads by [URL](crate::guide::urls): it sees the request whose
//! result contains the URL, and not the requests for that URL. Only guards, scopes and visibility
//! apply to those, so what a middleware refuses for `resources/read` has to be refused by a guard
//! as well.

mod request;

use std::future::Future;
use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::revision::Versioned;
use mcp_types::rpc::{INTERNAL_ERROR, Message};
use mcp_types::{RequestId, ResultType, json, rpc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::protocol::core::{Context, Layer, LayerRequest, NextStep, ResponseFuture, SendToClient};
use crate::protocol::dispatch::request_task::catch;
use crate::protocol::dispatch::respond;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::rejection::Rejection;
use crate::protocol::error::{invalid_params, method_not_found};
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::message::raw_object::object_text;
use crate::util::partial_debug::partial_debug;

pub use crate::protocol::core::{Direction, Notification};
pub use crate::protocol::dispatch::middleware::request::Request;

/// What a request is answered with.
///
/// The failure of a tool is a response, see [`Response::is_tool_error`].
pub type Outcome = Result<Response, HandlerError>;

/// Code that runs around messages.
///
/// It is given to [`ServerBuilder::layer`](crate::ServerBuilder::layer). [`from_fn`] and
/// [`from_notify_fn`] turn a function into one; the trait is for middleware with settings of its own,
/// or for both kinds of messages:
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use mcp_server::middleware::{Direction, Middleware, Next, Notification, Outcome, Request};
/// use mcp_server::{HandlerError, Server};
///
/// /// Answers only so many calls of tools, and sends no progress.
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
///
///     fn notify(&self, notification: Notification) -> Option<Notification> {
///         let is_progress = notification.direction() == Direction::ToClient
///             && notification.method() == "notifications/progress";
///         (!is_progress).then_some(notification)
///     }
/// }
///
/// let server = Server::builder("demo", "1.0.0").layer(Budget(AtomicU64::new(1000))).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
pub trait Middleware: Send + Sync + 'static {
    /// Serves a request, usually with [`Next::run`]. By default, does only that.
    ///
    /// The future is dropped when the client cancels the request or its time is over.
    fn call(&self, request: Request, next: Next) -> impl Future<Output = Outcome> + Send {
        next.run(request)
    }

    /// Passes a notification on, or drops it by returning `None`. By default, passes it on.
    ///
    /// Notifications are passed in their order, so this must not block.
    fn notify(&self, notification: Notification) -> Option<Notification> {
        Some(notification)
    }
}

/// Returns a middleware that calls an async function for each request, in both directions.
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

/// Returns a middleware that calls a function for each notification, in both directions. The
/// function returns the notification, or `None` to drop it, and must not block.
pub fn from_notify_fn<F>(function: F) -> FromNotifyFn<F>
where
    F: Fn(Notification) -> Option<Notification> + Send + Sync + 'static,
{
    FromNotifyFn(function)
}

/// The middleware that [`from_notify_fn`] returns.
#[derive(Clone, Copy, Debug)]
pub struct FromNotifyFn<F>(F);

impl<F> Middleware for FromNotifyFn<F>
where
    F: Fn(Notification) -> Option<Notification> + Send + Sync + 'static,
{
    fn notify(&self, notification: Notification) -> Option<Notification> {
        (self.0)(notification)
    }
}

/// The rest of the middleware, and the handler or the client.
pub struct Next(NextStep);

impl Next {
    /// Runs the rest of the middleware, and the handler. A request to the client is sent to it.
    ///
    /// # Errors
    ///
    /// The error of the handler, of another middleware, or -32602 where the params are not those of
    /// the method. For a request to the client: the error that the client responds with, or that the
    /// request has ended.
    pub async fn run(self, request: Request) -> Outcome {
        let message = run(request.0, self.0).await?;
        Ok(Response { message })
    }

    /// Runs another request of the client through the rest of the middleware, such as `tools/list`
    /// within `tools/call`. `params` are in the form of the client's revision.
    ///
    /// Its handler sees the same client, with what the middleware so far has attached. It sends no
    /// progress, and cannot ask the client.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run), and -32603 within a request to the client.
    ///
    /// ```
    /// use mcp_server::middleware::{Next, Outcome, Request};
    ///
    /// async fn list_size(request: Request, next: Next) -> Outcome {
    ///     if request.method() == "tools/call" {
    ///         let none = serde_json::json!({});
    ///         let list = next.request("tools/list", &none, request.context()).await?;
    ///         println!("the client sees {} bytes of tools", list.result()?.get().len());
    ///     }
    ///     next.run(request).await
    /// }
    /// ```
    pub fn request<P: Serialize + ?Sized>(
        &self,
        method: &str,
        params: &P,
        cx: &Context,
    ) -> impl Future<Output = Outcome> + Send + use<P> {
        let part = EndOnDrop {
            part: cx.part(method),
            whole: cx.clone(),
        };
        // Encoded here, so that the future borrows nothing.
        let started = self.start(params, &part.part);
        async move {
            let (request, next) = started?;
            let running = std::pin::pin!(run(request, next));
            // Dropped before the handler, which then knows the reason.
            let _ends = part;
            let message = running.await?;
            Ok(Response { message })
        }
    }

    fn start<P: Serialize + ?Sized>(
        &self,
        params: &P,
        cx: &Context,
    ) -> Result<(LayerRequest, NextStep), HandlerError> {
        let NextStep::Handler(index) = self.0 else {
            let text = "a request to the client cannot send another one to the server";
            return Err(HandlerError::internal(text));
        };
        let request = LayerRequest {
            params: object_text(params)?,
            cx: cx.clone(),
            asked: None,
        };
        Ok((request, NextStep::Handler(index)))
    }
}

/// Ends the context of a part of a request when the part has its response, or is dropped: what its
/// handler spawned may wait for that.
struct EndOnDrop {
    part: Context,
    whole: Context,
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        let ended = &self.part.state.ended;
        ended.set_reason(self.whole.cancel_reason());
        ended.set();
    }
}

partial_debug!(Next);

/// A middleware with its type erased.
struct Erased<M>(Arc<M>);

/// Erases the type of a middleware.
pub(crate) fn erased<M: Middleware>(middleware: M) -> Box<dyn Layer> {
    Box::new(Erased(Arc::new(middleware)))
}

impl<M: Middleware> Layer for Erased<M> {
    fn start(&self, request: LayerRequest, next: NextStep) -> ResponseFuture {
        let middleware = Arc::clone(&self.0);
        Box::pin(async move {
            let response = middleware.call(Request(request), Next(next)).await?;
            Ok(response.message)
        })
    }

    fn notify(&self, notification: Notification) -> Option<Notification> {
        // A panic, which was logged, drops the notification.
        catch(|| self.0.notify(notification)).unwrap_or_default()
    }
}

/// Starts a request with the outermost layer. The params are copied: the handler runs only when the
/// layers have passed the request on.
pub(crate) fn start(params: &ParamsView<'_>, cx: &Context) -> ResponseFuture {
    let cx = cx.clone();
    let params = json::from_str::<Box<RawValue>>(params.text());
    Box::pin(async move {
        let params = params.map_err(|error| HandlerError::internal(error.to_string()))?;
        let request = LayerRequest {
            params,
            cx,
            asked: None,
        };
        run(request, NextStep::Handler(0)).await
    })
}

/// Starts a request with the layer of this index.
#[cfg(feature = "tasks")]
pub(crate) fn run_from(layer: usize, params: Box<RawValue>, cx: Context) -> ResponseFuture {
    let request = LayerRequest {
        params,
        cx,
        asked: None,
    };
    run(request, NextStep::Handler(layer))
}

/// Passes a request to the client through the layers: the last one that was added sees it first.
/// Returns the result of the client.
pub(crate) async fn ask<F>(
    method: &'static str,
    params: Box<RawValue>,
    cx: &Context,
    send: impl FnOnce(Box<RawValue>) -> F + Send + 'static,
) -> Outcome
where
    F: Future<Output = Outcome> + Send + 'static,
{
    let send: SendToClient = Box::new(move |params| {
        let answered = send(params);
        Box::pin(async move { Ok(answered.await?.message) })
    });
    let request = LayerRequest {
        params,
        cx: cx.clone(),
        asked: Some(method),
    };
    let message = run(request, NextStep::Client(cx.core().layers.len(), send)).await?;
    Ok(Response { message })
}

/// Runs the next layer. Behind the last one, runs the handler or sends the request to the client.
fn run(request: LayerRequest, next: NextStep) -> ResponseFuture {
    let core = Arc::clone(request.cx.core());
    match next {
        NextStep::Handler(index) => {
            if let Some(layer) = core.layers.get(index) {
                return layer.start(request, NextStep::Handler(index + 1));
            }
            let started = start_handler(&request.params, &request.cx);
            Box::pin(async move { started?.await })
        }
        NextStep::Client(left, send) => {
            let index = left.checked_sub(1);
            match index.and_then(|index| Some((index, core.layers.get(index)?))) {
                Some((index, layer)) => layer.start(request, NextStep::Client(index, send)),
                None => send(request.params),
            }
        }
    }
}

/// Starts the handler. Its params are read again: the layers may have run for some time, and the
/// text of the request is gone.
fn start_handler(params: &RawValue, cx: &Context) -> Result<ResponseFuture, HandlerError> {
    let core = cx.core();
    let Some(route) = core.route(cx.method(), cx.revision()) else {
        let error = HandlerError::from(method_not_found(cx.method()));
        return Err(error.rejected(Rejection::NoMethod));
    };
    let params = ParamsView::read(Some(params))
        .map_err(|error| HandlerError::from(invalid_params(cx.method(), &error)))?;
    route.start(&params, cx).map_err(|error| {
        if error.rejection.is_some() {
            return error;
        }
        let rejection = Rejection::of_code(error.code().unwrap_or(INTERNAL_ERROR));
        error.rejected(rejection)
    })
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

    /// Creates the response with a result that is in the form of the client's revision already, such
    /// as one that a cache has kept.
    ///
    /// # Errors
    ///
    /// -32603 if the result is not an object, or cannot be encoded.
    pub fn from_json(
        cx: &Context,
        result: &(impl Serialize + ?Sized),
    ) -> Result<Self, HandlerError> {
        // The response of a client to a question has no id that anything reads.
        let none = RequestId::from(0);
        let id = cx.request_id().unwrap_or(&none);
        let mut message = Vec::with_capacity(512);
        rpc::write_result(&mut message, id, &*object_text(result)?)?;
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
        result.members.optional(name).ok()?
    }
}

partial_debug!(Response, |it| is_tool_error: it.is_tool_error());
