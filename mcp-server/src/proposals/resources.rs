//! What several proposals add to results, or remove from them.

pub(crate) mod blocks;
pub(crate) mod describe_listed;
pub(crate) mod finish;
pub(crate) mod urls;

use std::sync::Arc;

use crate::features::resources::catalog::ResourceDefinitions;
use crate::proposals::https_url::issue::Urls;

/// The definitions of a server, and what proposals need besides.
pub(crate) struct Resources {
    pub(crate) definitions: Arc<ResourceDefinitions>,
    /// Issues URLs, if the program opted in.
    pub(crate) urls: Option<Arc<Urls>>,
}
