//! Which results may be cached.

use mcp_types::{
    DiscoverRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ListToolsRequest, ReadResourceRequest, Request,
};

/// The methods whose results have `ttlMs` and `cacheScope`.
const METHODS: [&str; 6] = [
    DiscoverRequest::METHOD,
    ListPromptsRequest::METHOD,
    ListResourceTemplatesRequest::METHOD,
    ListResourcesRequest::METHOD,
    ListToolsRequest::METHOD,
    ReadResourceRequest::METHOD,
];

/// Returns `true` if results of a method have `ttlMs` and `cacheScope`.
pub(crate) fn is_cacheable(method: &str) -> bool {
    METHODS.contains(&method)
}
