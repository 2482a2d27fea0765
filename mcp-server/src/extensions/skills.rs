//! The extension `io.modelcontextprotocol/skills` (SEP-2640): skills for agents, whose files are
//! resources.

mod catalog;
pub(crate) mod config;
mod folder;
mod handlers;
mod media_type;
mod served;
pub(crate) mod source;
