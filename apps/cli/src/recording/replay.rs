//! Plays one side of a recording.

pub(crate) mod client;
mod handles;
pub(crate) mod http;
pub(crate) mod link;
pub(crate) mod player;
pub(crate) mod script;
pub(crate) mod server;
mod stdin;
mod substitute;
