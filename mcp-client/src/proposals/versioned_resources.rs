//! The proposal `versioned-resources`: results of conditional requests.

use mcp_types::GetResourceResult;

/// The result of a request for a resource of which the program already has a version.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Current {
    /// The version is still the current one. Its contents were not sent.
    NotModified,
    /// There is another version: metadata and contents. Boxed, since it is large.
    Changed(Box<GetResourceResult>),
}
