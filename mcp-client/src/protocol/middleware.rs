//! Code that runs around the messages of a connection: logging, timing, rate limits, caching.
//!
//! A [`Middleware`] sees the requests and notifications of both directions, on every transport. It
//! sees the params of a request before it is sent or handled, and the result or error afterwards.
//! It can change all of them, answer by itself, and refuse. [`from_fn`] turns an async function into
//! one, [`from_notify_fn`] a function for notifications:
//!
//! ```
//! use std::time::Instant;
//!
//! use mcp_client::Client;
//! use mcp_client::middleware::{self, Next, Outcome, Request};
//!
//! async fn timing(request: Request, next: Next) -> Outcome {
//!     let (method, start) = (request.method().to_owned(), Instant::now());
//!     let outcome = next.run(request).await;
//!     println!("{method}: {:?}, {}", start.elapsed(), outcome.is_ok());
//!     outcome
//! }
//!
//! let builder = Client::builder("demo", "1.0.0").layer(middleware::from_fn(timing));
//! # drop(builder);
//! ```
//!
//! The middleware that was added first is the outermost one, next to the program: it sees what the
//! client sends first and its outcome last, and what the server sends last. More examples are in
//! the [guide](crate::guide::middleware).
//!
//! # Requests of the client
//!
//! All requests that the client sends pass: those of calls, each time that a call is sent, for
//! example with the answers to questions; `server/discover`, `initialize` and `logging/setLevel` of
//! the negotiation, also with a restarted server and for a new session; `subscriptions/listen` and
//! `resources/subscribe`; and `tools/list` where the client repeats it by itself. There are two
//! exceptions: a result of the [cache](crate::Cache) is not requested, and `resources/unsubscribe`
//! is sent without waiting for its result. The HTTP headers that repeat parts of the params are
//! written from the params that the last middleware passes on.
//!
//! The timeout of a call includes the time that middleware takes, and dropping a call drops its
//! middleware. The cache and the validation of structured results use the params of the call, and
//! the result that the outermost middleware returns.
//!
//! # Requests of the server
//!
//! What a server asks this client passes before a handler is called: the requests of a server with
//! sessions, except for `ping`, and the questions in the results of a server without them. The
//! latter are well-formed requests that the protocol defines. Middleware may also answer what has
//! no handler. The pages that an error of revision 2025-11-25 names are no requests; they are a
//! part of the outcome of the call.
//!
//! # Notifications
//!
//! [`Middleware::notify`] sees the notifications of the server before anything else, also before
//! they reach the cache, a subscription or the progress of a call, and those of the client before
//! they are written, also `notifications/cancelled` and `notifications/initialized`. The latter can
//! be changed but not dropped: that fails the connection.

mod message;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mcp_types::rpc::{self, Message};
use serde_json::value::RawValue;

pub use message::{Direction, Notification, Outcome, Request, Response};

/// Code that runs around the messages of a connection.
///
/// It is given to [`ClientBuilder::layer`](crate::ClientBuilder::layer). [`from_fn`] and
/// [`from_notify_fn`] turn functions into one; the trait is for middleware with settings of its own
/// or for both kinds of messages:
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use mcp_client::Client;
/// use mcp_client::middleware::{Direction, Middleware, Next, Notification, Outcome, Request};
/// use mcp_client::types::rpc::ErrorObject;
///
/// /// Sends only so many calls of tools, and hides log messages of the server.
/// struct Budget(AtomicU64);
///
/// impl Middleware for Budget {
///     async fn call(&self, request: Request, next: Next) -> Outcome {
///         let take_one = |left: u64| left.checked_sub(1);
///         if request.method() == "tools/call"
///             && self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one).is_err()
///         {
///             return Err(ErrorObject::internal_error("the budget is used up").into());
///         }
///         next.run(request).await
///     }
///
///     fn notify(&self, notification: Notification) -> Option<Notification> {
///         (notification.method() != "notifications/message").then_some(notification)
///     }
/// }
///
/// let builder = Client::builder("demo", "1.0.0").layer(Budget(AtomicU64::new(1000)));
/// # drop(builder);
/// ```
pub trait Middleware: Send + Sync + 'static {
    /// Handles a request of either [direction](Request::direction), usually with [`Next::run`].
    ///
    /// The future is dropped when the request is cancelled or its time is over.
    fn call(&self, request: Request, next: Next) -> impl Future<Output = Outcome> + Send {
        next.run(request)
    }

    /// Returns a notification of either direction, changed or not. `None` drops it.
    ///
    /// Must not block: nothing else is read meanwhile.
    fn notify(&self, notification: Notification) -> Option<Notification> {
        Some(notification)
    }
}

/// Returns a middleware that calls an async function for each request.
pub fn from_fn<F, Fut>(function: F) -> FromFn<F>
where
    F: Fn(Request, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send,
{
    FromFn(function)
}

/// Returns a middleware that calls a function for each notification.
pub fn from_notify_fn<F>(function: F) -> FromNotifyFn<F>
where
    F: Fn(Notification) -> Option<Notification> + Send + Sync + 'static,
{
    FromNotifyFn(function)
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

/// The rest of the middleware, and then the server, or the handler of this client for a request of the
/// server.
pub struct Next {
    layers: Layers,
    /// The number of layers that have run. If there are no more, `end` follows.
    index: usize,
    end: End,
}

impl Next {
    /// Runs the rest of the middleware, and then sends the request to the server or calls the
    /// handler of this client.
    ///
    /// # Errors
    ///
    /// The error of the call, or of another middleware. For a request of the server,
    /// [`CallError::Client`](crate::CallError::Client) with the error of the handler.
    pub async fn run(mut self, request: Request) -> Outcome {
        let mut layers = self.layers.0.iter();
        let layer = match request.direction() {
            Direction::ToServer => layers.nth(self.index),
            Direction::ToClient => layers.nth_back(self.index),
        };
        let Some(layer) = layer.cloned() else {
            return (self.end)(request.params).await;
        };
        self.index += 1;
        layer.start(request, self).await
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

pub(crate) type OutcomeFuture = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// What follows the last layer. Gets the params of the request.
pub(crate) type End = Box<dyn FnOnce(Box<RawValue>) -> OutcomeFuture + Send>;

/// A middleware with its type erased.
pub(crate) trait Layer: Send + Sync {
    fn start(self: Arc<Self>, request: Request, next: Next) -> OutcomeFuture;

    fn filter(&self, notification: Notification) -> Option<Notification>;
}

impl<M: Middleware> Layer for M {
    fn start(self: Arc<Self>, request: Request, next: Next) -> OutcomeFuture {
        Box::pin(async move { self.call(request, next).await })
    }

    fn filter(&self, notification: Notification) -> Option<Notification> {
        self.notify(notification)
    }
}

impl fmt::Debug for dyn Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Middleware")
    }
}

/// The middleware of a client, the outermost one first.
#[derive(Clone)]
pub(crate) struct Layers(Arc<[Arc<dyn Layer>]>);

impl Layers {
    pub(crate) fn new(layers: Vec<Arc<dyn Layer>>) -> Self {
        Self(layers.into())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Passes a request through all layers to its end.
    pub(crate) fn run(&self, request: Request, end: End) -> impl Future<Output = Outcome> + use<> {
        let next = Next {
            layers: self.clone(),
            index: 0,
            end,
        };
        next.run(request)
    }

    /// Passes a notification of the server through all layers. Returns `None` if one drops it.
    pub(crate) fn received(&self, method: &str, params: Option<&RawValue>) -> Option<Notification> {
        self.filter(Notification::new(Direction::ToClient, method, params)?)
    }

    /// Passes the message of a notification of the client through all layers. Returns `None` if one
    /// drops it.
    pub(crate) fn sent(&self, message: Vec<u8>) -> Option<Vec<u8>> {
        if self.is_empty() {
            return Some(message);
        }
        let Ok(Message::Notification { method, params, .. }) = rpc::parse(&message) else {
            return Some(message);
        };
        let sent = self.filter(Notification::new(Direction::ToServer, &method, params)?)?;
        let mut message = Vec::new();
        rpc::write_notification(&mut message, sent.method(), sent.sent_params()).ok()?;
        Some(message)
    }

    fn filter(&self, notification: Notification) -> Option<Notification> {
        let mut layers = self.0.iter();
        let pass = |notification, layer: &Arc<dyn Layer>| layer.filter(notification);
        match notification.direction() {
            Direction::ToServer => layers.try_fold(notification, pass),
            Direction::ToClient => layers.try_rfold(notification, pass),
        }
    }
}
