#![doc = include_str!("../README.md")]

mod api;
mod base;
mod body;
mod client;
mod document;
mod error;
mod names;
mod operation;
mod output;
mod parameter;
mod plan;
mod request;
mod response;
mod schema;
mod servers;
mod tools;

pub use api::{ApiRequest, ApiResponse, OpenApi};
pub use error::{Fault, FaultKind, OpenApiError};
pub use operation::Operation;
pub use parameter::NestedLists;
pub use tools::OpenApiTools;
