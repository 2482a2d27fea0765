//! [`Client::task`].

use super::handle::Client;
use crate::extensions::tasks::TaskHandle;

impl Client {
    /// Returns a handle of a task whose id the program has stored, for example in another process.
    /// Nothing is sent. Requires [`Tasks`](crate::Tasks).
    pub fn task(&self, id: impl Into<String>) -> TaskHandle {
        TaskHandle::new(self.shared.clone(), id.into())
    }
}
