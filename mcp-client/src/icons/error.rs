//! [`IconError`]: why an icon is not shown.

use mcp_types::base64::Base64Error;

use super::format::ImageFormat;
#[cfg(feature = "tls")]
use crate::protocol::fetch::FetchError;
use crate::util::origin::UrlFault;

/// Why an icon is not shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IconError {
    /// Its source is neither an `https` URL nor a `data:` URI.
    #[error("the source of the icon is not used: {0}")]
    Url(#[from] UrlFault),
    /// It lies neither at the server's own origin nor on a host that is allowed.
    #[error("the icon lies at {origin}, which is neither the server's own nor allowed")]
    Origin {
        /// Scheme, host and port.
        origin: String,
    },
    /// Its `data:` URI cannot be read.
    #[error("the icon's `data:` URI cannot be read: {0}")]
    Data(#[from] DataFault),
    /// It is larger than the policy allows.
    #[error("the icon has more than {limit} bytes")]
    TooLarge {
        /// As many bytes are allowed.
        limit: usize,
    },
    /// Its bytes are of no image that is known.
    #[error("the icon is no image that is known")]
    Unknown,
    /// It is an SVG document, which can hold scripts.
    #[error("the icon is SVG, which can hold scripts, and is not allowed")]
    Svg,
    /// It is something else than it is said to be.
    #[error("the icon is said to be `{declared}`, and is {found}")]
    Type {
        /// What it is said to be, by its URI, by the answer, or by the server.
        declared: String,
        /// What it is.
        found: ImageFormat,
    },
    /// How wide and high it is cannot be read of its bytes.
    #[error("the icon is {0}, but broken")]
    Broken(ImageFormat),
    /// It is wider or higher than the policy allows.
    #[error("the icon has {width}x{height} pixels, more than {limit} on a side")]
    Pixels {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
        /// As many are allowed on each side.
        limit: u32,
    },
    /// It cannot be loaded.
    #[cfg(feature = "tls")]
    #[error("the icon cannot be loaded: {0}")]
    Fetch(#[from] FetchError),
    /// To load it asks for the feature `tls`.
    #[cfg(not(feature = "tls"))]
    #[error("to load an icon asks for the feature `tls`")]
    NoTls,
}

/// What is wrong with a `data:` URI (RFC 2397).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataFault {
    /// It has no comma, behind which the data would begin.
    #[error("it has no data")]
    NoData,
    /// It holds characters that no URI has, or `%` without two digits behind it.
    #[error("it holds characters that no URI has")]
    Characters,
    /// It has a fragment: a `#` in the data has to be written `%23`.
    #[error("it has a fragment")]
    Fragment,
    /// Its data is no base64.
    #[error(transparent)]
    Base64(#[from] Base64Error),
}
