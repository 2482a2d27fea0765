//! Which upstream a request is for, and what it gets.

mod apps;
pub(crate) mod caller;
pub(crate) mod calls;
mod find;
pub(crate) mod lists;
mod params;
pub(crate) mod questions;
pub(crate) mod requests;
pub(crate) mod sealed;
pub(crate) mod subscriptions;
pub(crate) mod task_states;
pub(crate) mod tasks;
