//! The types of the Model Context Protocol.

pub mod base64;
pub mod error;
pub mod json;
