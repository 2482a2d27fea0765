//! The client on a pair of byte streams: with `mcp-server` at every revision, and with scripts.

mod calls;
mod requests;
mod slow;
mod subscriptions;
mod support;
mod table;
