//! [`Scope`]: what is asked for in `resources/list`, beside the page.

use mcp_types::PaginatedRequestParams;
#[cfg(feature = "versioned-resources")]
use mcp_types::Resource;

use crate::features::catalog::Definition;
use crate::protocol::core::Context;
#[cfg(feature = "versioned-resources")]
use crate::protocol::handler_error::HandlerError;

#[cfg(feature = "versioned-resources")]
use super::filter::Filter;
use crate::features::resources::definition::ResourceDef;

/// Which list it is. Cursors are bound to it.
#[derive(Default)]
pub(crate) struct Scope {
    /// The collection whose members are asked for (SEP-2093).
    pub(crate) collection: Option<String>,
    /// What narrows the list down (`versioned-resources`), as JSON.
    filter: Option<String>,
    #[cfg(feature = "versioned-resources")]
    criteria: Option<Filter>,
}

impl Scope {
    /// What of it the peer may ask for; the rest is not looked at.
    #[cfg(feature = "sep-2093")]
    pub(crate) fn of(params: &PaginatedRequestParams, cx: &Context) -> Self {
        let mut scope = Self::default();
        if cx.offered(mcp_types::Proposal::Sep2093) {
            scope.collection.clone_from(&params.uri);
        }
        scope
    }

    /// Everything.
    #[cfg(not(feature = "sep-2093"))]
    pub(crate) fn of(_: &PaginatedRequestParams, _: &Context) -> Self {
        Self::default()
    }

    /// The same, with the filter that the peer asks for.
    #[cfg(feature = "versioned-resources")]
    pub(crate) fn filtered(
        mut self,
        params: &PaginatedRequestParams,
        cx: &Context,
    ) -> Result<Self, HandlerError> {
        if cx.offered(mcp_types::Proposal::VersionedResources)
            && let Some(filter) = &params.filter
        {
            self.criteria = Some(Filter::read(filter)?);
            self.filter = Some(mcp_types::json::to_string(filter)?);
        }
        Ok(self)
    }

    /// Leaves out what the filter does not let through.
    ///
    /// A page looks at as many resources as it could hold, so it may be shorter, or empty where
    /// there are more pages: what one request costs is bounded whatever the filter is.
    #[cfg(feature = "versioned-resources")]
    pub(crate) fn narrow(&self, resources: &mut Vec<Resource>) {
        if let Some(criteria) = &self.criteria {
            resources.retain(|resource| criteria.lets_through(resource));
        }
    }

    /// What a cursor of this list is sealed for. Lengths keep the parts apart.
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
