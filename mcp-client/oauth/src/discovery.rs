//! Discovery: the metadata of the protected server, and those of its authorization server.

pub(super) mod challenge;

mod resource;
mod search;
mod server;

pub(super) use resource::find_resource;
pub(super) use server::{find_server, is_same_issuer, token_endpoint};
