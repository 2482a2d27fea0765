//! Patches: the additions of a proposal or an extension to a schema, each marked with its name.
//!
//! A patch applies to a revision and to all newer ones. What a newer revision changes is taken into
//! account: it may define additions itself, or lack a type to which the patch adds something.

mod apply;
mod content;
mod error;
mod marker;
mod references;

pub use apply::Applied;
pub use content::Patch;
pub use error::{PatchError, Side};
pub use marker::FEATURE;
