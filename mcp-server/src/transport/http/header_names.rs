//! Names of the protocol's headers, parsed at compile time.

use http::HeaderName;
use mcp_types::headers;

pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static(headers::PROTOCOL_VERSION);
pub(crate) const METHOD: HeaderName = HeaderName::from_static(headers::METHOD);
pub(crate) const NAME: HeaderName = HeaderName::from_static(headers::NAME);
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static(headers::SESSION_ID);
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static(headers::LAST_EVENT_ID);
