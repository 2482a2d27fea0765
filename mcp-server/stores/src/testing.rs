//! Checks for implementations of [`Store`].
//!
//! ```no_run
//! # use mcp_server::Memory;
//! # async fn run() {
//! let shared = Memory::new();
//! mcp_stores::testing::store(async || shared.clone()).await;
//! # }
//! ```

mod bus;
mod contention;
mod events;
mod groups;
mod steps;
mod streams;
mod values;

use std::sync::Arc;

use mcp_server::Store;
use tokio::task::JoinSet;

use self::steps::Handles;

/// Checks that a store does what the documentation of [`ValueStore`](mcp_server::ValueStore),
/// [`EventStore`](mcp_server::EventStore) and [`Bus`](mcp_server::Bus) requires, in less than 15 seconds.
///
/// `make` returns a handle to the store: a value that has nothing in common with earlier ones but
/// the place where everything is stored, as in another process. The place has to be empty, and
/// nobody else may use it meanwhile. Must run in a runtime of tokio.
///
/// # Panics
///
/// If the store does something else. The message says what the store returned, and what was
/// expected.
pub async fn store<S: Store>(make: impl AsyncFn() -> S) {
    let handles = Handles {
        a: Arc::new(make().await),
        b: Arc::new(make().await),
    };
    let mut checks = JoinSet::new();
    checks.spawn(values::check(handles.clone()));
    checks.spawn(values::check_expiry(handles.clone()));
    checks.spawn(groups::check(handles.clone()));
    checks.spawn(contention::check(handles.clone()));
    checks.spawn(events::check(handles.clone()));
    checks.spawn(streams::check(handles.clone()));
    checks.spawn(bus::check(handles));
    while let Some(done) = checks.join_next().await {
        if let Err(error) = done {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}
