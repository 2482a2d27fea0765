//! The client on a pair of byte streams: against our server at every revision, and against scripts.

mod calls;
mod requests;
mod subscriptions;
mod support;
mod table;
