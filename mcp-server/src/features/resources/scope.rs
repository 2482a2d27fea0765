//! [`Scope`]: the params of `resources/list` other than the cursor.

use std::num::NonZeroUsize;

use mcp_types::PaginatedRequestParams;
#[cfg(feature = "sep-2093")]
use mcp_types::uri::canonical;

use crate::features::catalog::Definition;
use crate::protocol::core::Context;
#[cfg(feature = "versioned-resources")]
use crate::protocol::handler_error::HandlerError;

#[cfg(feature = "versioned-resources")]
use super::describe_listed::ListedResource;
#[cfg(feature = "versioned-resources")]
use super::filter::{ResourceFilter, sorted};
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::listed::ListAt;

/// Which resources are listed. Cursors are bound to it.
#[derive(Default)]
pub(crate) struct Scope {
    /// The collection whose members are listed (SEP-2093).
    pub(crate) collection: Option<String>,
    /// The filter (`versioned-resources`), as JSON with sorted members.
    filter: Option<String>,
    #[cfg(feature = "versioned-resources")]
    criteria: Option<ResourceFilter>,
}

impl Scope {
    /// Reads the params that the client may use, and ignores the others.
    #[cfg(feature = "sep-2093")]
    pub(crate) fn of(params: &PaginatedRequestParams, cx: &Context) -> Self {
        let mut scope = Self::default();
        if cx.offered(mcp_types::Proposal::Sep2093) {
            scope.collection = params.uri.as_deref().map(|uri| canonical(uri).into_owned());
        }
        scope
    }

    /// All resources.
    #[cfg(not(feature = "sep-2093"))]
    pub(crate) fn of(_: &PaginatedRequestParams, _: &Context) -> Self {
        Self::default()
    }

    /// Adds the filter of the params.
    #[cfg(feature = "versioned-resources")]
    pub(crate) fn with_filter(
        mut self,
        params: &PaginatedRequestParams,
        cx: &Context,
    ) -> Result<Self, HandlerError> {
        if cx.offered(mcp_types::Proposal::VersionedResources)
            && let Some(filter) = &params.filter
        {
            self.criteria = Some(ResourceFilter::read(filter)?);
            self.filter = Some(mcp_types::json::to_string(&sorted(filter))?);
        }
        Ok(self)
    }

    /// Returns the params of a handler that lists.
    pub(crate) fn list_at(&self, after: Option<String>, size: Option<NonZeroUsize>) -> ListAt {
        let at = ListAt::new(after, size);
        #[cfg(feature = "versioned-resources")]
        let at = at.filtered(self.criteria.clone());
        at
    }

    /// Returns the resources that match the filter.
    ///
    /// A page examines as many resources as fit on it, so it may be short, or empty although
    /// another page follows. The cost of one request is therefore limited whatever the filter is.
    #[cfg(feature = "versioned-resources")]
    pub(crate) fn filtered(&self, mut listed: Vec<ListedResource>) -> Vec<ListedResource> {
        if let Some(criteria) = &self.criteria {
            listed.retain(|listed| criteria.matches(&listed.resource));
        }
        listed
    }

    /// Returns the bytes that a cursor of this list is bound to. Lengths separate the parts.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = ResourceDef::KIND.as_bytes().to_vec();
        for part in [&self.collection, &self.filter] {
            match part {
                None => bytes.push(0),
                Some(part) => {
                    bytes.push(1);
                    bytes.extend((part.len() as u64).to_be_bytes());
                    bytes.extend(part.as_bytes());
                }
            }
        }
        bytes
    }
}
