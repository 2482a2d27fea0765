//! What the proposals for resources read of definitions and of what they describe.

pub(crate) mod describe;
pub(crate) mod metadata_view;
