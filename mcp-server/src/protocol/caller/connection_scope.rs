//! [`ConnectionScope`]: state and tasks that live as long as a connection over byte streams.

use std::any::Any;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use crate::util::lock::lock;

/// A task that is dropped when its connection ends.
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

/// The extension that gives handlers access to the scope of their connection. Weak, because the
/// state of a feature may contain contexts and thereby the extensions.
pub(crate) struct ScopeHandle(pub(crate) Weak<ConnectionScope>);

impl ConnectionScope {
    /// Returns the state that a feature keeps for the connection. The first call creates it.
    /// Returns `None` if it was created with another type.
    pub(crate) fn attached<T: Default + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let attached = self.attached.get_or_init(|| Arc::<T>::default());
        Arc::clone(attached).downcast().ok()
    }

    /// Runs a task until it finishes or the connection ends. It starts after the response to the
    /// current request.
    pub(crate) fn spawn(&self, task: ConnectionTask) {
        lock(&self.tasks).push(task);
    }

    /// Removes and returns the tasks that have to be started.
    pub(crate) fn take_tasks(&self) -> Vec<ConnectionTask> {
        std::mem::take(&mut lock(&self.tasks))
    }
}
