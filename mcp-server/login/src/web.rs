//! HTTP: parameters of requests, cookies, and responses.

pub(crate) mod cookies;
pub(crate) mod params;
pub(crate) mod response;

/// The style sheet of the pages: light and dark, and usable on a phone.
///
/// The main button appears after a moment: the second half of a double click, with which another window
/// was closed in front of this one, must not press it.
pub(crate) const STYLE: &str = include_str!("web/style.css");
