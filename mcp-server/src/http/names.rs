//! Headers of the protocol, checked and hashed beforehand.

use http::HeaderName;
use mcp_types::headers;

pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static(headers::PROTOCOL_VERSION);
pub(super) const METHOD: HeaderName = HeaderName::from_static(headers::METHOD);
pub(super) const NAME: HeaderName = HeaderName::from_static(headers::NAME);
pub(super) const SESSION_ID: HeaderName = HeaderName::from_static(headers::SESSION_ID);
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static(headers::LAST_EVENT_ID);
