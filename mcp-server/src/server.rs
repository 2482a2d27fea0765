//! [`Server`](crate::Server) and its builder: the only place that knows all features and
//! transports.

mod assembly;
pub(crate) mod builder;
mod catalogs;
mod definitions;
pub(crate) mod group;
pub(crate) mod handle;
mod handlers;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
pub(crate) mod http_transport;
mod layers;
mod lists;
mod metrics;
mod resource_definitions;
#[cfg(feature = "axum")]
mod router;
mod serve;
#[cfg(feature = "axum")]
mod serve_router;
#[cfg(test)]
mod tests;
#[cfg(feature = "axum")]
mod token_layer;
pub(crate) mod transports;
#[cfg(feature = "proposals")]
mod urls;
