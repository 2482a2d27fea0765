//! [`Server`](crate::Server) and its builder: the only place that knows all features and transports.

pub(crate) mod builder;
#[cfg(feature = "https-url")]
pub(crate) mod resource_urls;
pub(crate) mod until;
