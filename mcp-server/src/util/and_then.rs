//! [`and_then`]: maps the success value of a future.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// Applies `change` to the success value of a future. An error is returned unchanged.
pub(crate) fn and_then<F, M, T, U, E>(future: F, change: M) -> AndThen<F, M>
where
    F: Future<Output = Result<T, E>>,
    M: FnMut(T) -> Result<U, E>,
{
    AndThen { future, change }
}

pin_project! {
    /// The future of [`and_then`]. An async block would store the inner future twice: as a captured
    /// variable and as the future that it polls.
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
            .map(|result| result.and_then(this.change))
    }
}
