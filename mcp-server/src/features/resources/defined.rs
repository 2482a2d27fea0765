//! [`Defined`]: the common part of definitions of resources and of resource templates.

#[cfg(feature = "_proposals")]
use mcp_types::Resource;

use crate::features::access::Access;
use crate::features::catalog::CacheHints;
#[cfg(feature = "https-url")]
use crate::features::resources::fixed_body::FixedBody;
#[cfg(feature = "_proposals")]
use crate::features::resources::handlers::DescribeHandler;
#[cfg(feature = "pagination")]
use crate::features::resources::handlers::ListHandler;
#[cfg(feature = "https-url")]
use crate::features::resources::handlers::PresignHandler;
use crate::features::resources::handlers::ReadHandler;

/// The kind of a resource template, as errors call it.
pub(crate) const TEMPLATE: &str = "resource template";

/// The definition that answers for a URI: of a resource, or of a template that matches it.
pub(crate) trait Defined: Send + Sync {
    /// Returns how long caches may keep the contents.
    fn hints(&self) -> &CacheHints;

    /// Returns who may use it.
    fn access_rules(&self) -> &Access;

    /// Returns the handler that reads, and the media type of the contents.
    fn reader(&self) -> (Option<&ReadHandler>, Option<&str>);

    /// Returns the resource as the definition describes it, without the handler that describes.
    #[cfg(feature = "_proposals")]
    fn base_resource(&self, uri: &str) -> Resource;

    /// Returns the mark that the log has a warning of contents without a type.
    #[cfg(feature = "sep-2093")]
    fn untyped_warned(&self) -> &std::sync::atomic::AtomicBool;

    /// Returns `true` for a template, which matches URIs that may name no resource.
    #[cfg(feature = "_proposals")]
    fn is_template(&self) -> bool {
        false
    }

    /// Returns the handler that describes.
    #[cfg(feature = "_proposals")]
    fn describer(&self) -> Option<&DescribeHandler>;

    /// Returns the handler that lists.
    #[cfg(feature = "pagination")]
    fn lister(&self) -> Option<&ListHandler>;

    /// Returns `true` if a URL is issued for it.
    #[cfg(feature = "https-url")]
    fn has_url(&self) -> bool;

    /// Returns the handler that makes presigned URLs.
    #[cfg(feature = "https-url")]
    fn presigner(&self) -> Option<&PresignHandler>;

    /// Returns `true` if the URL of this server redirects to the presigned one.
    #[cfg(feature = "https-url")]
    fn is_redirected(&self) -> bool;

    /// Returns `true` if shared caches may store what is served at the URL.
    #[cfg(feature = "https-url")]
    fn is_publicly_cached(&self) -> bool;

    /// Returns the contents, if they are part of the definition.
    #[cfg(feature = "https-url")]
    fn fixed_body(&self) -> Option<&FixedBody> {
        None
    }
}
