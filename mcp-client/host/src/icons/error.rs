//! [`IconError`]: errors of loading icons.

use mcp_types::base64::Base64Error;

use super::format::ImageFormat;
use mcp_fetch::{FetchError, UrlFault};

/// Why an icon is not shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IconError {
    /// Its source is neither an `https` URL nor a `data:` URI.
    #[error("invalid source of the icon, expected an `https` URL or a `data:` URI: {0}")]
    Url(#[from] UrlFault),
    /// Its origin is neither that of the server nor allowed by the policy.
    #[error("the icon is at {origin}, which is neither the origin of the server nor allowed")]
    Origin {
        /// Scheme, host and port.
        origin: String,
    },
    /// Its `data:` URI is invalid.
    #[error("invalid `data:` URI of the icon: {0}")]
    Data(#[from] DataFault),
    /// It is larger than the policy allows.
    #[error("the icon has more than {limit} bytes")]
    TooLarge {
        /// The maximum size in bytes.
        limit: usize,
    },
    /// Its bytes are not an image of a known format.
    #[error("the icon is not an image of a known format")]
    Unknown,
    /// It is an SVG document, which can contain scripts.
    #[error("the icon is an SVG document, which can contain scripts and is not allowed")]
    Svg,
    /// Its format is not the declared one.
    #[error("the icon is declared as `{declared}`, but it is {found}")]
    Type {
        /// The media type in its URI, in the HTTP response, or from the server.
        declared: String,
        /// The format of its bytes.
        found: ImageFormat,
    },
    /// Its width and height cannot be read, or one of them is 0.
    #[error("the icon is a broken {0} image")]
    Broken(ImageFormat),
    /// It is wider or higher than the policy allows.
    #[error("the icon has {width}x{height} pixels, but at most {limit} on each side are allowed")]
    Pixels {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
        /// The maximum width and height.
        limit: u32,
    },
    /// It cannot be loaded.
    #[error("cannot load the icon: {0}")]
    Fetch(#[from] FetchError),
}

/// What is wrong with a `data:` URI (RFC 2397).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataFault {
    /// It has no comma, after which the data would begin.
    #[error("the comma before the data is missing")]
    NoData,
    /// It contains characters that are not allowed in URIs, or a `%` without two digits after it.
    #[error("it contains characters that are not allowed in URIs")]
    Characters,
    /// It has a fragment: a `#` in the data must be written as `%23`.
    #[error("it has a fragment, but a `#` in the data must be written as `%23`")]
    Fragment,
    /// Its data is not valid base64.
    #[error(transparent)]
    Base64(#[from] Base64Error),
}
