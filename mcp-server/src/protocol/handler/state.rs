//! [`State`]: values that the program shares with its handlers.

use std::sync::Arc;

use crate::protocol::core::Context;
use crate::protocol::core::states::States;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::extract::FromContext;
use crate::protocol::handler::requirements::Requirements;

/// Extracts a value that was given to [`ServerBuilder::state`](crate::ServerBuilder::state) or
/// [`Group::state`](crate::Group::state).
///
/// The value is cloned for each request, so shared state is usually an `Arc`, a connection pool,
/// or another type that is cheap to clone. If a handler takes a `State<T>` and neither its group
/// nor the server has a `T`, building the server fails with
/// [`BuildError::MissingState`](crate::BuildError::MissingState).
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use mcp_server::{Server, State};
///
/// async fn count(State(calls): State<Arc<AtomicU64>>) -> u64 {
///     calls.fetch_add(1, Ordering::Relaxed) + 1
/// }
///
/// let server = Server::builder("counter", "1.0.0")
///     .state(Arc::new(AtomicU64::new(0)))
///     .tool("count", "Counts its calls", count)
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State<T>(pub T);

impl<T: Clone + Send + Sync + 'static> FromContext for State<T> {
    const USES_CONTEXT: bool = false;

    fn requirements(requirements: &mut Requirements) {
        requirements.state::<T>();
    }

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        match cx.state::<T>() {
            Some(state) => Ok(Self(state.clone())),
            None => Err(HandlerError::internal(
                "the server lacks a state of this type",
            )),
        }
    }
}

impl Context {
    /// Returns the state of a type: that of the handler's group, or else that of the server.
    ///
    /// Handlers usually take [`State<T>`](State) as a parameter instead, which is checked when the
    /// server is built.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let groups = self.values.iter().flat_map(|values| values.values());
        let mut groups = groups.filter_map(|states: &Arc<States>| states.get());
        groups.next().or_else(|| self.core().states.get())
    }
}
