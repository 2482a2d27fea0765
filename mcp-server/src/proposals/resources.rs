//! What the proposals for resources share. `hooks` combines them.

pub(crate) mod blocks;
pub(crate) mod collection;
pub(crate) mod describe;
pub(crate) mod describe_listed;
pub(crate) mod describing;
pub(crate) mod finish;
pub(crate) mod hooks;
pub(crate) mod metadata_view;
pub(crate) mod state;
