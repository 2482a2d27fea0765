//! [`CookieJar`]: the cookies of a browser during a login.

use std::time::Duration;

use http::header::COOKIE;
use http::request::Parts;

/// The maximum size of the value of a cookie, in bytes. Browsers keep 4,096 bytes of a cookie, and many
/// proxies accept 8 KiB of all cookies together.
pub(crate) const VALUE_BYTES: usize = 2_800;

/// The cookies of this server, without their values.
///
/// With `https`, their names have the prefix `__Host-`: a browser accepts such a cookie only from this
/// host itself over `https`, so that neither another host of the domain nor somebody on the network
/// can set it. Browsers do not distinguish the ports of a host, so the names contain a part that differs
/// for each server.
pub(crate) struct CookieJar {
    is_secure: bool,
    suffix: String,
}

/// A random value that identifies the browser, so that forms and redirects of others are not accepted from
/// it.
pub(crate) const BROWSER: &str = "browser";
/// Logins that wait for the user. There are two, so that two tabs work.
pub(crate) const LOGINS: [&str; 2] = ["login-a", "login-b"];
/// The clients that the user has approved.
pub(crate) const APPROVALS: &str = "approvals";
/// The user who looks at the list of sessions.
pub(crate) const ACCOUNT: &str = "account";

impl CookieJar {
    /// Creates the names for a server. `id` is a short text of letters, digits, `-` and `_`.
    pub(crate) fn new(is_secure: bool, id: &str) -> Self {
        let suffix = id.to_owned();
        Self { is_secure, suffix }
    }

    fn name(&self, kind: &str) -> String {
        let prefix = if self.is_secure { "__Host-" } else { "" };
        format!("{prefix}mcp-{kind}-{}", self.suffix)
    }

    /// Returns the value of a cookie. `None` if there is none, or more than one.
    pub(crate) fn get<'a>(&self, parts: &'a Parts, kind: &str) -> Option<&'a str> {
        let prefix = format!("{}=", self.name(kind));
        let lines = parts.headers.get_all(COOKIE).into_iter();
        // Cookies of other hosts of the domain are in the same line, with any bytes.
        let pairs = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
        let mut values = pairs.filter_map(|pair| {
            let value = pair.trim_ascii().strip_prefix(prefix.as_bytes())?;
            std::str::from_utf8(value).ok()
        });
        let value = values.next()?;
        (values.next().is_none() && value.len() <= VALUE_BYTES).then_some(value)
    }

    /// Returns the header `Set-Cookie` for a cookie. Without a time, it lasts until the browser is
    /// closed.
    pub(crate) fn set(&self, kind: &str, value: &str, time: Option<Duration>) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let time = time.map(|time| format!("; Max-Age={}", time.as_secs()));
        // `Lax`: the cookies are sent when the provider or a client redirects the browser to this
        // server, but not with forms and frames of other sites.
        format!(
            "{}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{}",
            self.name(kind),
            time.unwrap_or_default()
        )
    }

    /// Returns the header `Set-Cookie` that removes a cookie.
    pub(crate) fn clear(&self, kind: &str) -> String {
        self.set(kind, "", Some(Duration::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(cookies: &[&str]) -> Parts {
        let mut request = http::Request::get("/");
        for line in cookies {
            request = request.header(COOKIE, line.as_bytes());
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn cookie_of_https_belongs_to_the_host_alone() {
        let jar = CookieJar::new(true, "x");
        let set = jar.set(BROWSER, "v", None);
        let expected = "__Host-mcp-browser-x=v; Path=/; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(set, expected);
        let clear = CookieJar::new(false, "x").clear(LOGINS[1]);
        let expected = "mcp-login-b-x=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0";
        assert_eq!(clear, expected);
    }

    #[test]
    fn cookie_is_found_unless_it_is_repeated() {
        let jar = CookieJar::new(false, "x");
        let get = |cookies: &[&str]| {
            let parts = parts(cookies);
            jar.get(&parts, BROWSER).map(str::to_owned)
        };
        assert_eq!(get(&["a=b; mcp-browser-x=v"]).as_deref(), Some("v"));
        assert_eq!(get(&["a=b", "mcp-browser-x=v=w"]).as_deref(), Some("v=w"));
        assert_eq!(get(&["mcp-browser-x=v; mcp-browser-x=w"]), None);
        assert_eq!(get(&["mcp-browser-y=v", "mcp-browser-x"]), None);
        // Another host of the domain has set the first one.
        let line = "a=\u{e9}\u{a0}; mcp-browser-x=v ;b=\u{e9}";
        assert_eq!(get(&[line]).as_deref(), Some("v"));
        assert_eq!(
            get(&["\u{a0}mcp-browser-x=w; mcp-browser-x=v"]).as_deref(),
            Some("v")
        );
    }
}
