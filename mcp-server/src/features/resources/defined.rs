//! [`Defined`]: what definitions of resources and of resource templates have in common.

#[cfg(feature = "_proposals")]
use mcp_types::Resource;

use crate::features::access::Access;
use crate::features::catalog::Hints;
#[cfg(feature = "https-url")]
use crate::features::resources::fixed_body::FixedBody;
#[cfg(feature = "_proposals")]
use crate::features::resources::handlers::DescribeHandler;
#[cfg(feature = "pagination")]
use crate::features::resources::handlers::ListHandler;
use crate::features::resources::handlers::ReadHandler;

/// What a resource template is called in errors.
pub(crate) const TEMPLATE: &str = "resource template";

/// A definition that a URI is answered by: that of a resource, or of a template that makes it.
pub(crate) trait Defined: Send + Sync {
    /// How long what is read may be kept.
    fn hints(&self) -> &Hints;

    /// Who may use it.
    fn rules(&self) -> &Access;

    /// The handler that reads, and the media type of what it gives.
    fn reader(&self) -> (Option<&ReadHandler>, Option<&str>);

    /// What the definition says.
    #[cfg(feature = "_proposals")]
    fn stated(&self, uri: &str) -> Resource;

    /// The handler that describes.
    #[cfg(feature = "_proposals")]
    fn describer(&self) -> Option<&DescribeHandler>;

    /// The handler that lists.
    #[cfg(feature = "pagination")]
    fn lister(&self) -> Option<&ListHandler>;

    /// Whether it may be had by a URL.
    #[cfg(feature = "https-url")]
    fn has_url(&self) -> bool;

    /// The contents, if they are part of the definition.
    #[cfg(feature = "https-url")]
    fn fixed_body(&self) -> Option<&FixedBody> {
        None
    }
}
