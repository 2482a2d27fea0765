//! What a handler answers, in the form that the caller needs.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// What a future gives, changed by a function; an error stays as it is.
pub(crate) fn and_then<F, M, T, U, E>(future: F, change: M) -> AndThen<F, M>
where
    F: Future<Output = Result<T, E>>,
    M: FnMut(T) -> Result<U, E>,
{
    AndThen { future, change }
}

pin_project! {
    /// What [`and_then`] returns. As an async block it would have the future twice: as what it captures
    /// and where that is polled.
    pub(crate) struct AndThen<F, M> {
        #[pin]
        future: F,
        change: M,
    }
}

impl<F, M, T, U, E> Future for AndThen<F, M>
where
    F: Future<Output = Result<T, E>>,
    M: FnMut(T) -> Result<U, E>,
{
    type Output = Result<U, E>;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.future
            .poll(task)
            .map(|given| given.and_then(this.change))
    }
}
