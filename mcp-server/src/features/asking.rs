//! Routes of methods whose handlers may ask the client for input. Their result may be a list of
//! questions.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{CallToolRequest, GetPromptRequest, ReadResourceRequest, Request};
use pin_project_lite::pin_project;

use crate::features::input::inputs;
use crate::protocol::core::{Context, ResponseFuture, Route};
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::dispatch::respond;
use crate::protocol::dispatch::route::{Typed, any_params, any_result, versioned};
use crate::protocol::error::handler_error::{HandlerError, bad_params};
use crate::protocol::handler::params::{AnyRequest, AnyResult, Params};
use crate::protocol::handler::{BoxedHandler, Handler, IntoResult, boxed};
use crate::protocol::message::params_view::ParamsView;
use crate::util::and_then::and_then;

/// Adds a feature's handler of a method that may ask the client. `read` decodes the params.
/// `may_ask` returns `false` for params whose handler never asks: such requests cost less.
pub(crate) fn serve_read<P, T, F>(
    registry: &mut Registry,
    method: &'static str,
    may_ask: fn(&P) -> bool,
    read: impl Fn(&ParamsView<'_>, &Context) -> Result<P, HandlerError> + Send + Sync + 'static,
    handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
) where
    P: 'static,
    T: Versioned + 'static,
    F: Future<Output = Result<T, HandlerError>> + Send + 'static,
{
    let route = AskingRoute {
        typed: Typed::<P, T, _, _>::new(read, handler),
        state: inputs::AcceptedState::Ours,
        may_ask,
    };
    registry.route(method, Box::new(route));
}

/// Adds the application's handler of a method.
pub(crate) fn on<R, M, H>(registry: &mut Registry, handler: H)
where
    R: Request + 'static,
    R::Params: Versioned,
    R::Result: Versioned,
    H: Handler<Params<R>, M>,
    H::Output: IntoResult<R::Result> + 'static,
{
    registry.require(R::METHOD, &handler);
    let handler = boxed(handler, H::Output::into_result);
    let handler = move |params, cx| handler(Params(params), cx);
    if may_ask(R::METHOD) {
        let route = AskingRoute {
            typed: Typed::<_, R::Result, _, _>::new(versioned_params, handler),
            state: inputs::AcceptedState::Any,
            may_ask: |_| true,
        };
        return registry.on(R::METHOD, Box::new(route));
    }
    let route = Typed::<_, R::Result, _, _>::new(versioned, handler);
    registry.on(R::METHOD, Box::new(route));
}

/// Adds the application's handler of requests without a handler of their own.
pub(crate) fn fallback<M, H>(registry: &mut Registry, handler: H)
where
    H: Handler<AnyRequest, M>,
    H::Output: IntoResult<AnyResult> + 'static,
{
    registry.require("requests", &handler);
    let handler = boxed(handler, H::Output::into_result);
    let route = AnyAskingRoute(handler);
    registry.routes.fallback = Some(Box::new(route));
}

/// The methods whose result may be a list of questions.
const METHODS: [&str; 3] = [
    CallToolRequest::METHOD,
    GetPromptRequest::METHOD,
    ReadResourceRequest::METHOD,
];

/// Returns `true` if the result of a method may be a list of questions.
fn may_ask(method: &str) -> bool {
    METHODS.contains(&method)
}

/// Decodes params in the form of the client's revision.
///
/// If the newest revision cannot represent an answer of the client, the params are decoded
/// without any answers. The context reads the answers from the message itself, so its questions
/// get them.
fn versioned_params<P: Versioned>(
    params: &ParamsView<'_>,
    cx: &Context,
) -> Result<P, HandlerError> {
    let revision = cx.revision();
    let decoded = match revision.decode(params.text()) {
        Err(VersionError::Convert(error)) => match inputs::without_answers(params) {
            Some(text) => revision.decode(&text),
            None => Err(VersionError::Convert(error)),
        },
        decoded => decoded,
    };
    decoded.map_err(|error| bad_params(cx.method(), &error))
}

/// A route whose handler may ask the client.
struct AskingRoute<P, T, R, H> {
    typed: Typed<P, T, R, H>,
    state: inputs::AcceptedState,
    may_ask: fn(&P) -> bool,
}

impl<P, T, R, H, F> Route for AskingRoute<P, T, R, H>
where
    T: Versioned,
    R: Fn(&ParamsView<'_>, &Context) -> Result<P, HandlerError> + Send + Sync,
    H: Fn(P, Context) -> F + Send + Sync,
    F: Future<Output = Result<T, HandlerError>> + Send + 'static,
{
    fn start(&self, params: &ParamsView<'_>, cx: &Context) -> Result<ResponseFuture, HandlerError> {
        let decoded = (self.typed.read)(params, cx)?;
        // Sessions ask by requests of their own.
        let in_session = cx.peer().session().is_some();
        if !in_session && ((self.may_ask)(&decoded) || inputs::is_retry(params)) {
            inputs::attach(params, cx, self.state)?;
        }
        let result = (self.typed.handler)(decoded, cx.clone());
        let responding = cx.clone();
        Ok(Box::pin(Asking {
            running: and_then(result, move |result| respond::result(&responding, result)),
            cx: cx.clone(),
        }))
    }
}

/// A handler of requests without a handler of their own.
struct AnyAskingRoute(BoxedHandler<AnyRequest, AnyResult>);

impl Route for AnyAskingRoute {
    fn start(&self, params: &ParamsView<'_>, cx: &Context) -> Result<ResponseFuture, HandlerError> {
        if cx.peer().session().is_none() && may_ask(cx.method()) {
            inputs::attach(params, cx, inputs::AcceptedState::Any)?;
        }
        let result = (self.0)(any_params(params)?, cx.clone());
        let responding = cx.clone();
        Ok(Box::pin(Asking {
            running: and_then(result, move |result| any_result(&responding, &result)),
            cx: cx.clone(),
        }))
    }
}

pin_project! {
    /// A running handler. Ends early if the handler waits for answers of the client.
    struct Asking<F> {
        #[pin]
        running: F,
        cx: Context,
    }
}

impl<F: Future<Output = Result<Vec<u8>, HandlerError>>> Future for Asking<F> {
    type Output = Result<Vec<u8>, HandlerError>;

    fn poll(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(result) = this.running.poll(task) {
            return Poll::Ready(result);
        }
        match inputs::suspend(this.cx, task.waker()) {
            Some(result) => Poll::Ready(result),
            None => Poll::Pending,
        }
    }
}
