//! [`select`]: waits for the first of two futures.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// The output of the future that was ready first.
pub(crate) enum Either<A, B> {
    First(A),
    Second(B),
}

/// Waits for the future that is ready first. If both are ready, the first argument wins. The other
/// future is dropped together with the returned one.
#[must_use = "a future does nothing until it is polled"]
pub(crate) fn select<A: Future, B: Future>(first: A, second: B) -> Select<A, B> {
    Select { first, second }
}

pin_project! {
    /// The future of [`select`]. An async function would store each future twice: as its argument
    /// and as the future that it polls.
    pub(crate) struct Select<A, B> {
        #[pin]
        first: A,
        #[pin]
        second: B,
    }
}

impl<A: Future, B: Future> Future for Select<A, B> {
    type Output = Either<A::Output, B::Output>;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(value) = this.first.poll(task) {
            return Poll::Ready(Either::First(value));
        }
        this.second.poll(task).map(Either::Second)
    }
}
