//! The filter of `resources/list`.

use mcp_types::{PaginatedRequestParams, Proposal};

use crate::features::resources::filter::{ResourceFilter, sorted};
use crate::features::resources::scope::Scope;
use crate::proposals::resources::describe_listed::ListedResource;
use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;

/// Adds the filter of the params, if the client may use it.
pub(crate) fn with_filter(
    mut scope: Scope,
    params: &PaginatedRequestParams,
    cx: &Context,
) -> Result<Scope, HandlerError> {
    if cx.offered(Proposal::VersionedResources)
        && let Some(filter) = &params.filter
    {
        scope.criteria = Some(ResourceFilter::read(filter)?);
        scope.filter = Some(mcp_types::json::to_string(&sorted(filter))?);
    }
    Ok(scope)
}

/// Returns the resources that match the filter.
///
/// A page examines as many resources as fit on it, so it may be short, or empty although
/// another page follows. The cost of one request is therefore limited whatever the filter is.
pub(crate) fn filtered(mut listed: Vec<ListedResource>, scope: &Scope) -> Vec<ListedResource> {
    if let Some(criteria) = &scope.criteria {
        listed.retain(|listed| criteria.matches(&listed.resource));
    }
    listed
}
