//! The paths of the pages and endpoints, below the public URL.

pub(crate) const AUTHORIZE: &str = "/authorize";
pub(crate) const CONSENT: &str = "/consent";
pub(crate) const CALLBACK: &str = "/callback";
/// The page with the local users.
pub(crate) const LOCAL: &str = "/local";
pub(crate) const TOKEN: &str = "/token";
pub(crate) const REGISTER: &str = "/register";
pub(crate) const REVOKE: &str = "/revoke";
pub(crate) const SESSIONS: &str = "/sessions";
