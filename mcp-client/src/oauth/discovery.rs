//! Discovery: the metadata of the protected server, and those of its authorization server.

mod resource;
mod server;
mod well_known;

pub(super) use resource::find_resource;
pub(super) use server::{ServerMetadata, find_server};
pub(super) use well_known::origin_text;
