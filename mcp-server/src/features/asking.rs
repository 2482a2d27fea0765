//! Handlers that may ask the client for input. Their answer is then the list of open questions.

use std::future::Future;

use mcp_types::revision::Versioned;

use crate::protocol::core::Context;
use crate::protocol::error::HandlerError;
use crate::protocol::params_view::ParamsView;
use crate::protocol::registry::Registry;

/// Adds the handler of a method that may ask the client, with params that are read by `read`.
pub(crate) fn serve_read<P, T, F>(
    registry: &mut Registry,
    method: &'static str,
    read: impl Fn(&ParamsView<'_>, &Context) -> Result<P, HandlerError> + Send + Sync + 'static,
    handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
) where
    P: 'static,
    T: Versioned + 'static,
    F: Future<Output = Result<T, HandlerError>> + Send + 'static,
{
    #[cfg(feature = "seal")]
    registry.route(
        method,
        Box::new(sealed::AskingRoute::<P, T, _, _>::new(read, handler)),
    );
    #[cfg(not(feature = "seal"))]
    registry.serve_read(method, read, handler);
}

#[cfg(feature = "seal")]
pub(crate) use sealed::may_ask;

#[cfg(feature = "seal")]
mod sealed {
    use std::marker::PhantomData;
    use std::pin::Pin;
    use std::task::{Context as TaskContext, Poll};

    use mcp_types::{CallToolRequest, GetPromptRequest, ReadResourceRequest, Request};
    use pin_project_lite::pin_project;

    use super::{Context, Future, HandlerError, ParamsView, Versioned};
    use crate::features::input::inputs;
    use crate::protocol::core::{ResponseFuture, Route};
    use crate::protocol::respond;
    use crate::util::and_then::and_then;

    /// The methods whose result may be a list of questions.
    const METHODS: [&str; 3] = [
        CallToolRequest::METHOD,
        GetPromptRequest::METHOD,
        ReadResourceRequest::METHOD,
    ];

    /// Returns `true` if the result of a method may be a list of questions.
    pub(crate) fn may_ask(method: &str) -> bool {
        METHODS.contains(&method)
    }

    pub(super) struct AskingRoute<P, T, R, H> {
        read: R,
        handler: H,
        types: PhantomData<fn(P) -> T>,
    }

    impl<P, T, R, H> AskingRoute<P, T, R, H> {
        pub(super) fn new(read: R, handler: H) -> Self {
            Self {
                read,
                handler,
                types: PhantomData,
            }
        }
    }

    impl<P, T, R, H, F> Route for AskingRoute<P, T, R, H>
    where
        T: Versioned,
        R: Fn(&ParamsView<'_>, &Context) -> Result<P, HandlerError> + Send + Sync,
        H: Fn(P, Context) -> F + Send + Sync,
        F: Future<Output = Result<T, HandlerError>> + Send + 'static,
    {
        fn start(
            &self,
            head: &ParamsView<'_>,
            cx: &Context,
        ) -> Result<ResponseFuture, HandlerError> {
            inputs::attach(head, cx)?;
            let params = (self.read)(head, cx)?;
            let result = (self.handler)(params, cx.clone());
            let responding = cx.clone();
            Ok(Box::pin(Asking {
                running: and_then(result, move |result| respond::result(&responding, result)),
                cx: cx.clone(),
            }))
        }
    }

    pin_project! {
        /// A handler at work. Ends early when the handler waits for answers of the client.
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
}
