//! Waiting for whichever of two futures is first.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Which of the two was first.
pub(crate) enum Either<A, B> {
    First(A),
    Second(B),
}

/// Resolves with the one that is ready first, and drops the other; the first argument wins a tie.
pub(crate) async fn race<A, B>(
    first: impl Future<Output = A>,
    second: impl Future<Output = B>,
) -> Either<A, B> {
    let mut first = pin!(first);
    let mut second = pin!(second);
    poll_fn(|task| {
        if let Poll::Ready(value) = first.as_mut().poll(task) {
            return Poll::Ready(Either::First(value));
        }
        second.as_mut().poll(task).map(Either::Second)
    })
    .await
}
