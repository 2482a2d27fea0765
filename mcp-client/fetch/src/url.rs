//! URLs as texts: the form in which they are shown, and the resolution of references.

use http::Uri;

/// Returns a URL for errors, logs and `Debug`: origin and path. User name, password, query and
/// fragment may be secrets, so they are left out.
///
/// ```
/// let shown = mcp_fetch::url::shown("https://ada:secret@example.com/mcp?key=secret");
/// assert_eq!(shown, "https://***@example.com/mcp");
/// ```
#[must_use]
pub fn shown(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = url.split_once("//").unwrap_or(("", url));
    let end = rest.find('/').unwrap_or(rest.len());
    match rest.get(..end).and_then(|authority| authority.rfind('@')) {
        Some(at) => format!("{scheme}//***{}", rest.get(at..).unwrap_or_default()),
        None => url.to_owned(),
    }
}

/// Resolves a reference against `base` (RFC 3986, section 5). The result is not validated, and has
/// no fragment. `None` if `base` is not an absolute URL.
#[must_use]
pub fn resolve(base: &Uri, reference: &str) -> Option<String> {
    let reference = reference.split('#').next().unwrap_or_default().trim();
    let scheme = base.scheme_str()?;
    let authority = base.authority()?;
    let path = base.path();
    Some(if has_scheme(reference) {
        reference.to_owned()
    } else if reference.starts_with("//") {
        format!("{scheme}:{reference}")
    } else if reference.starts_with('/') {
        format!("{scheme}://{authority}{reference}")
    } else if reference.is_empty() || reference.starts_with('?') {
        format!("{scheme}://{authority}{path}{reference}")
    } else {
        let folder = path
            .rfind('/')
            .and_then(|end| path.get(..=end))
            .unwrap_or("/");
        let (relative, query) = reference
            .split_once('?')
            .map_or((reference, None), |(path, query)| (path, Some(query)));
        let path = without_dots(&format!("{folder}{relative}"));
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        format!("{scheme}://{authority}{path}{query}")
    })
}

fn has_scheme(reference: &str) -> bool {
    let scheme = reference.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// Removes the segments `.` and `..` from a path.
fn without_dots(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let mut steps = path.split('/').skip(1).peekable();
    while let Some(step) = steps.next() {
        let last = steps.peek().is_none();
        match step {
            "." | ".." => {
                if step == ".." {
                    segments.pop();
                }
                if last {
                    segments.push("");
                }
            }
            step => segments.push(step),
        }
    }
    format!("/{}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_urls_are_not_shown() {
        for (url, expected) in [
            ("https://a.example/mcp", "https://a.example/mcp"),
            ("https://a.example/mcp?key=secret", "https://a.example/mcp"),
            ("https://a.example?key=secret", "https://a.example"),
            ("https://a.example/#secret", "https://a.example/"),
            (
                "https://me:secret@a.example/x@y",
                "https://***@a.example/x@y",
            ),
            ("/messages?id=secret", "/messages"),
            ("?secret", ""),
            ("", ""),
        ] {
            assert_eq!(shown(url), expected, "{url}");
        }
    }
}
