#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod schema_cost;
#[cfg(feature = "validator")]
pub mod schema_validator;
#[cfg(feature = "yaml")]
pub mod yaml;
