//! Search in place of long lists of tools.

mod index;
mod listing;
mod middleware;

pub use middleware::Search;
