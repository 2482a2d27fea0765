//! The commands, each in a file, and what they share.

pub(crate) mod account;
pub(crate) mod call;
pub(crate) mod check;
mod described;
pub(crate) mod discover;
pub(crate) mod explain;
pub(crate) mod fetch;
pub(crate) mod gateway;
pub(crate) mod icons;
pub(crate) mod install;
pub(crate) mod lists;
pub(crate) mod manual;
pub(crate) mod metadata;
pub(crate) mod mock;
pub(crate) mod prompts;
pub(crate) mod raw;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod resources;
pub(crate) mod save;
pub(crate) mod servers;
pub(crate) mod shell;
pub(crate) mod skills;
pub(crate) mod tasks;
pub(crate) mod tools;
pub(crate) mod tree;
pub(crate) mod watch;
