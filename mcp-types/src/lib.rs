//! The types of the Model Context Protocol.

pub mod base64;
pub mod cursor;
pub mod error;
pub mod id;
pub mod json;
pub mod rpc;
