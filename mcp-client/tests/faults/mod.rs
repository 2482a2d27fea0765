//! Invalid behaviour of servers over real pipes: it ends at most one call with a typed error, and
//! the connection stays usable if possible.

mod extremes;
mod floods;
mod logs;
mod pipe;
mod pipes;
mod questions;
/// Needs pipes of the system that are registered with a runtime.
#[cfg(unix)]
mod shutdown;
