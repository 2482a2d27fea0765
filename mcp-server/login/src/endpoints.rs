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

/// The maximum size of a form or of the metadata of a client, in bytes.
const BODY: usize = 16 << 10;

/// All of them, with the maximum size of a body, and the methods for the header `Allow`. `HEAD` is not
/// among them: a program that looks at links would end the login of a user at the callback.
pub(crate) const ALL: [(&str, usize, &str); 8] = [
    (AUTHORIZE, 0, "GET"),
    (CONSENT, BODY, "POST"),
    (CALLBACK, 0, "GET"),
    (LOCAL, BODY, "GET, POST"),
    (SESSIONS, BODY, "GET, POST"),
    (TOKEN, BODY, "POST, OPTIONS"),
    (REVOKE, BODY, "POST, OPTIONS"),
    (REGISTER, BODY, "POST, OPTIONS"),
];
