//! Waiting for whichever of two futures is first.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// Which of the two was first.
pub(crate) enum Either<A, B> {
    First(A),
    Second(B),
}

/// Resolves with the one that is ready first; the first argument wins a tie. The other one is
/// dropped with what this returns.
#[must_use = "a future does nothing until it is polled"]
pub(crate) fn select<A: Future, B: Future>(first: A, second: B) -> Select<A, B> {
    Select { first, second }
}

pin_project! {
    /// What [`select`] returns. As an async function it would have each future twice: as its argument
    /// and where that is polled.
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
