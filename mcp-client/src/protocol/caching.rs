//! Which results say how long they may be cached.

use mcp_types::{
    DiscoverRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ListToolsRequest, ReadResourceRequest, Request,
};

/// The methods whose results say how long they may be kept.
const METHODS: [&str; 6] = [
    DiscoverRequest::METHOD,
    ListPromptsRequest::METHOD,
    ListResourceTemplatesRequest::METHOD,
    ListResourcesRequest::METHOD,
    ListToolsRequest::METHOD,
    ReadResourceRequest::METHOD,
];
/// Whether results of a method say how long they may be kept.
pub(crate) fn is_cacheable(method: &str) -> bool {
    METHODS.contains(&method)
}
