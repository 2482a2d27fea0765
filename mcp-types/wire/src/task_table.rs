//! [`TaskTable`]: the tasks that serve the requests of the peer.

use std::collections::HashMap;

use tokio::task::AbortHandle;

use super::seq_vec::SeqVec;
use mcp_types::RequestId;

/// Tasks in the order in which they were added, by number and by the id of the request that they
/// serve.
///
/// An id alone does not identify a task: the peer may use it again while the task of the first
/// request is still ending. Numbers are never used again. `T` is data that is kept with each task.
#[derive(Debug)]
pub struct TaskTable<T> {
    tasks: SeqVec<RunningTask<T>>,
    numbers: HashMap<RequestId, u64>,
}

/// A task of a [`TaskTable`].
#[derive(Debug)]
pub struct RunningTask<T> {
    /// The id of the request; absent for the handler of a notification.
    pub id: Option<RequestId>,
    /// What the owner of the table keeps with the task.
    pub data: T,
    /// Absent until the task is spawned.
    abort: Option<AbortHandle>,
}

impl<T> Default for TaskTable<T> {
    fn default() -> Self {
        Self {
            tasks: SeqVec::default(),
            numbers: HashMap::new(),
        }
    }
}

impl<T> TaskTable<T> {
    /// Adds a task that is not spawned yet, and returns its number. There must be no other task
    /// with this id.
    pub fn insert(&mut self, id: Option<RequestId>, data: T) -> u64 {
        let number = self.tasks.push(RunningTask {
            id: id.clone(),
            data,
            abort: None,
        });
        if let Some(id) = id {
            self.numbers.insert(id, number);
        }
        number
    }

    /// Stores the handle of a task. Spawn the task without the lock of the table: a runtime that
    /// shuts down drops the future at once, and with it a guard that needs the lock.
    ///
    /// # Errors
    ///
    /// Returns the handle if the task has finished or was cancelled. The caller has to abort it.
    pub fn set_abort(&mut self, number: u64, abort: AbortHandle) -> Result<(), AbortHandle> {
        match self.tasks.get_mut(number) {
            Some(task) => task.abort = Some(abort),
            None => return Err(abort),
        }
        Ok(())
    }

    /// Returns the number of tasks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.all().len()
    }

    /// Returns `true` if there is no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tasks.all().is_empty()
    }

    /// Iterates over the tasks.
    pub fn iter(&self) -> impl Iterator<Item = &RunningTask<T>> {
        self.tasks.all().iter().map(|(_, task)| task)
    }

    /// Returns the number of the task that serves the request with this id.
    #[must_use]
    pub fn number(&self, id: &RequestId) -> Option<u64> {
        self.numbers.get(id).copied()
    }

    /// Returns the data of a task.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<&T> {
        Some(&self.tasks.get(number)?.data)
    }

    /// Removes a task.
    pub fn remove(&mut self, number: u64) -> Option<RunningTask<T>> {
        let task = self.tasks.remove(number)?;
        if let Some(id) = &task.id {
            self.numbers.remove(id);
        }
        Some(task)
    }

    /// Removes all tasks that match, and drops their data. The caller has to abort the returned
    /// handles, without the lock of the table.
    pub fn remove_if(&mut self, matches: impl Fn(&T) -> bool) -> Vec<AbortHandle> {
        let mut aborted = Vec::new();
        for task in self.tasks.remove_if(|task| matches(&task.data)) {
            if let Some(id) = &task.id {
                self.numbers.remove(id);
            }
            aborted.extend(task.abort);
        }
        aborted
    }
}

impl<T> RunningTask<T> {
    /// Drops the data, and returns the handle by which the caller aborts the task, without the lock
    /// of the table. Returns `None` if the task is not spawned yet.
    #[must_use]
    pub fn into_abort(self) -> Option<AbortHandle> {
        self.abort
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::runtime::{Builder, Runtime};

    use super::*;

    fn runtime() -> Runtime {
        let runtime = Builder::new_current_thread().build();
        runtime.expect("a runtime without I/O can be built")
    }

    fn spawn(runtime: &Runtime) -> AbortHandle {
        runtime.spawn(std::future::pending::<()>()).abort_handle()
    }

    #[test]
    fn id_that_is_used_again_gets_a_new_number() {
        let id = RequestId::from(7);
        let mut table = TaskTable::default();
        let first = table.insert(Some(id.clone()), 'a');
        assert_eq!(table.number(&id), Some(first));
        assert_eq!(table.remove(first).map(|task| task.data), Some('a'));
        assert_eq!(table.number(&id), None);

        let second = table.insert(Some(id.clone()), 'b');
        assert!(table.remove(first).is_none());
        assert_eq!(table.get(first), None);
        assert_eq!(table.number(&id), Some(second));
        assert_eq!(table.get(second), Some(&'b'));
    }

    #[test]
    fn handle_of_a_removed_task_is_returned() {
        let runtime = runtime();
        let mut table = TaskTable::default();
        let [kept, removed] = [(); 2].map(|()| table.insert(None, ()));
        assert!(table.set_abort(kept, spawn(&runtime)).is_ok());
        table.remove(removed);
        assert!(table.set_abort(removed, spawn(&runtime)).is_err());
        assert_eq!(table.len(), 1);
        assert!(
            table
                .remove(kept)
                .is_some_and(|task| task.into_abort().is_some())
        );
        assert!(table.is_empty());
    }

    #[test]
    fn tasks_that_match_are_removed_with_their_ids_and_data() {
        let runtime = runtime();
        let data = Arc::new(());
        let mut table = TaskTable::default();
        for id in 0..4 {
            let kept = (id % 2 == 0, Arc::clone(&data));
            let number = table.insert(Some(RequestId::from(id)), kept);
            // One of those that are removed is not spawned yet.
            if id != 3 {
                assert!(table.set_abort(number, spawn(&runtime)).is_ok());
            }
        }
        let aborted = table.remove_if(|(kept, _)| !kept);
        assert_eq!(aborted.len(), 1);
        assert_eq!(Arc::strong_count(&data), 3);
        let numbers = [0, 1, 2, 3].map(|id| table.number(&RequestId::from(id)));
        assert_eq!(numbers, [Some(0), None, Some(2), None]);
        let ids: Vec<_> = table.iter().filter_map(|task| task.id.clone()).collect();
        assert_eq!(ids, [RequestId::from(0), RequestId::from(2)]);
    }
}
