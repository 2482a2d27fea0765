//! The service that answers requests for URLs of resources.

pub(crate) mod accept;
pub(crate) mod answer;
pub(crate) mod file_name;
pub(crate) mod last_modified;
pub(crate) mod read;
pub(crate) mod representation;
pub(crate) mod select;
pub(crate) mod service;
pub(crate) mod streamed;
