#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod announcements;
pub mod config;
mod describe;
mod error;
mod fault;
mod gateway;
mod names;
mod routing;
#[cfg(feature = "search")]
pub mod search;
mod shared;
mod translate;
mod upstream;
mod uris;

pub use error::GatewayError;
pub use fault::{UpstreamFault, UpstreamReport};
pub use gateway::{Gateway, GatewayBuilder};
pub use upstream::{Kind, Upstream, UpstreamLimits, UpstreamStatus};
