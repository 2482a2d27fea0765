//! "Protocol Resources": kinds, versions, filters, conditional reads, changes of contents.

mod changes;
mod consistent;
mod filter;
mod get;
pub(crate) mod http;
mod notes;
mod others;
mod replaced;
mod subscribe;
mod together;

use mcp_server::{Proposal, Server, ServerBuilder};
use serde_json::{Value, json};

pub(crate) const UPDATED: &str = "notifications/resources/updated";
pub(crate) const CHANGED: &str = "notifications/resources/content_changed";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Returns a builder with the proposal.
fn opted() -> ServerBuilder {
    Server::builder("test", "1").proposals([Proposal::VersionedResources])
}

/// Returns the params of a peer that supports the proposal.
pub(crate) fn speaking(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {
            "experimental": { "versioned-resources": {} },
        },
    });
    params
}
