//! [`ResourceCatalog`]: the resources of a server, and what proposals add to them.

use std::sync::Arc;

use crate::features::resources::definitions::ResourceDefinitions;
#[cfg(feature = "_proposals")]
use crate::features::resources::proposals::ResourceProposals;

/// The resources of a server.
pub(crate) struct ResourceCatalog {
    pub(crate) definitions: Arc<ResourceDefinitions>,
    #[cfg(feature = "_proposals")]
    pub(crate) proposals: Arc<dyn ResourceProposals>,
}
