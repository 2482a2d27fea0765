//! [`Server`](crate::Server) and its builder: the only place that knows all features and
//! transports.

mod assembly;
pub(crate) mod builder;
mod catalogs;
mod definitions;
pub(crate) mod group;
pub(crate) mod handle;
#[cfg(feature = "http")]
pub(crate) mod http;
#[cfg(feature = "axum")]
mod router;
#[cfg(test)]
mod tests;
pub(crate) mod transports;
#[cfg(feature = "proposals")]
mod urls;
