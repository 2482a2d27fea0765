//! The paths of the pages and endpoints, below the public URL.

pub(crate) const AUTHORIZE: &str = "/authorize";
pub(crate) const CONSENT: &str = "/consent";
pub(crate) const CALLBACK: &str = "/callback";
/// The page with the local users.
pub(crate) const LOCAL: &str = "/local";
pub(crate) const SESSIONS: &str = "/sessions";
pub(crate) const TOKEN: &str = "/token";
pub(crate) const REVOKE: &str = "/revoke";
pub(crate) const REGISTER: &str = "/register";

pub(crate) const ALL: [&str; 8] = [
    AUTHORIZE, CONSENT, CALLBACK, LOCAL, SESSIONS, TOKEN, REVOKE, REGISTER,
];

/// Returns the methods of an endpoint, for the header `Allow`. `HEAD` is not among them: a program that
/// looks at links would end the login of a user at the callback.
pub(crate) fn allowed(endpoint: &str) -> &'static str {
    match endpoint {
        AUTHORIZE | CALLBACK => "GET",
        CONSENT => "POST",
        LOCAL | SESSIONS => "GET, POST",
        _ => "POST, OPTIONS",
    }
}
