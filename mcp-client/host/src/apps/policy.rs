//! The content security policy and the attribute `allow` of the frame of an app.

use mcp_extensions::apps::{UiResourceCsp, UiResourceMeta, UiResourcePermissions};

/// Returns the value of the header `Content-Security-Policy` for the document of an app. The value is
/// also valid in a `<meta>` element, between double quotes.
///
/// Inline scripts and styles are permitted, and otherwise only the declared domains: without `csp`,
/// nothing is loaded from the network. If any of the domains is invalid, none is permitted; an
/// [`App`](super::App) has only valid ones.
///
/// ```
/// use mcp_host::apps::{UiResourceCsp, content_security_policy};
///
/// let csp = UiResourceCsp::new().connect_domains(["https://api.example.com"]);
/// let policy = content_security_policy(Some(&csp));
/// assert!(policy.contains("; connect-src https://api.example.com;"));
/// assert!(policy.contains("; frame-src 'none';"));
/// ```
#[must_use]
pub fn content_security_policy(csp: Option<&UiResourceCsp>) -> String {
    let nothing = UiResourceCsp::new();
    let csp = csp.unwrap_or(&nothing);
    let is_valid = UiResourceMeta::new().csp(csp.clone()).check().is_ok();
    let csp = if is_valid { csp } else { &nothing };
    let resources = csp.resource_domains.as_slice();
    let directives = [
        directive("default-src", "'none'", &[]),
        directive("script-src", "'self' 'unsafe-inline'", resources),
        directive("style-src", "'self' 'unsafe-inline'", resources),
        directive("img-src", "'self' data:", resources),
        directive("font-src", "'self'", resources),
        directive("media-src", "'self' data:", resources),
        only("connect-src", &csp.connect_domains, "'none'"),
        only("frame-src", &csp.frame_domains, "'none'"),
        "object-src 'none'".to_owned(),
        "form-action 'none'".to_owned(),
        only("base-uri", &csp.base_uri_domains, "'self'"),
    ];
    directives.join("; ")
}

/// Returns a directive with these sources and domains.
fn directive(name: &str, sources: &str, domains: &[String]) -> String {
    let parts = [name, sources].into_iter();
    let parts: Vec<&str> = parts.chain(domains.iter().map(String::as_str)).collect();
    parts.join(" ")
}

/// Returns a directive that allows the domains. Without domains, its value is `otherwise`.
fn only(name: &str, domains: &[String], otherwise: &str) -> String {
    if domains.is_empty() {
        format!("{name} {otherwise}")
    } else {
        format!("{name} {}", domains.join(" "))
    }
}

/// Returns the value of the attribute `allow` of a frame that grants these permissions.
///
/// ```
/// use mcp_host::apps::{UiResourcePermissions, allow_attribute};
///
/// let granted = UiResourcePermissions::new().camera().clipboard_write();
/// assert_eq!(allow_attribute(&granted), "camera; clipboard-write");
/// ```
#[must_use]
pub fn allow_attribute(permissions: &UiResourcePermissions) -> String {
    let features = [
        (permissions.camera, "camera"),
        (permissions.microphone, "microphone"),
        (permissions.geolocation, "geolocation"),
        (permissions.clipboard_write, "clipboard-write"),
    ];
    let granted = features.iter().filter(|(asked, _)| *asked);
    let names: Vec<&str> = granted.map(|(_, name)| *name).collect();
    names.join("; ")
}
