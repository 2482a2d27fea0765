//! Gateways for the Model Context Protocol: one server in front of many.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod config;
#[cfg(feature = "openapi")]
pub mod openapi;
#[cfg(feature = "search")]
pub mod search;
