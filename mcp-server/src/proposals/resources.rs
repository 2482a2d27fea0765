//! What several proposals add to results, or remove from them.

pub(crate) mod blocks;
pub(crate) mod describe_listed;
pub(crate) mod finish;
pub(crate) mod state;
pub(crate) mod urls;
