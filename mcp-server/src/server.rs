//! [`Server`](crate::Server) and its builder: the only place that knows all features and transports.

mod assembly;
pub(crate) mod builder;
mod catalogs;
mod definitions;
pub(crate) mod group;
pub(crate) mod handle;
#[cfg(feature = "http")]
mod http;
mod lists;
#[cfg(feature = "http")]
mod metrics;
mod resource_definitions;
#[cfg(feature = "https-url")]
pub(crate) mod resource_urls;
mod serve;
#[cfg(feature = "https-url")]
mod urls;
