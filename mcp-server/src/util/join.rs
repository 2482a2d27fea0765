//! [`join`]: runs several futures at the same time.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// Runs futures at the same time, and returns what they return, in their order.
///
/// Each wake polls all that have not ended, so this is for a few of them.
pub(crate) async fn join<T>(futures: Vec<Pin<Box<dyn Future<Output = T> + Send + '_>>>) -> Vec<T> {
    let mut running: Vec<_> = futures.into_iter().map(|future| (future, None)).collect();
    poll_fn(|task| {
        let mut all_ended = true;
        for (future, output) in &mut running {
            if output.is_none() {
                match future.as_mut().poll(task) {
                    Poll::Ready(value) => *output = Some(value),
                    Poll::Pending => all_ended = false,
                }
            }
        }
        if all_ended {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    running
        .into_iter()
        .filter_map(|(_, output)| output)
        .collect()
}
