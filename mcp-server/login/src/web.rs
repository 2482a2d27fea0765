//! HTTP: parameters of requests, cookies, and responses.

pub(crate) mod cookies;
pub(crate) mod params;
pub(crate) mod response;
pub(crate) mod style;
