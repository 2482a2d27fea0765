//! [`ConnectionScope`]: what lasts as long as a connection of byte streams.

use std::any::Any;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A task that ends with its connection.
pub(crate) type ConnectionTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The state of a connection on which all requests come from one peer, in order.
///
/// Requests of the newest revision over HTTP have no such state, because each of them is
/// independent of the others.
#[derive(Default)]
pub(crate) struct ConnectionScope {
    /// The state that a feature keeps for the connection.
    attached: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// Tasks that the transport has not started yet.
    tasks: Mutex<Vec<ConnectionTask>>,
}

/// The extension by which handlers find the scope of their connection. Weak, since the state of a
/// feature may hold contexts, and with them the extensions.
pub(crate) struct ScopeHandle(pub(crate) Weak<ConnectionScope>);

impl ConnectionScope {
    /// Returns the state that a feature keeps for the connection, created on the first call. `None`
    /// if it was created with another type.
    pub(crate) fn attached<T: Default + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let attached = self.attached.get_or_init(|| Arc::<T>::default());
        Arc::clone(attached).downcast().ok()
    }

    /// Runs a task until it ends or the connection does. It starts after the answer to the request
    /// that is being served.
    pub(crate) fn spawn(&self, task: ConnectionTask) {
        self.tasks().push(task);
    }

    /// Takes the tasks to be started.
    pub(crate) fn take_tasks(&self) -> Vec<ConnectionTask> {
        std::mem::take(&mut self.tasks())
    }

    fn tasks(&self) -> std::sync::MutexGuard<'_, Vec<ConnectionTask>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
