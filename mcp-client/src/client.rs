//! [`Client`] and [`ClientBuilder`]: the only modules that know all features and the transports.

mod builder;
mod handle;
mod layers;
#[rustfmt::skip]
mod methods;
#[cfg(test)]
mod one_pass;
mod request_json;
#[cfg(feature = "proposals")]
mod resources;

pub use builder::ClientBuilder;
pub use handle::Client;
