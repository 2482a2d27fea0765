//! The well-known URLs of a server and of an issuer. URLs are handled as text, because identifiers
//! are compared byte by byte.

use super::protected_resource::WELL_KNOWN;

const OAUTH: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";

/// Splits a URL into its origin and its path. Query and fragment are left out.
fn split(url: &str) -> (&str, &str) {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let authority = url.find("://").map_or(0, |at| at + "://".len());
    let path = url.get(authority..).and_then(|rest| rest.find('/'));
    let (origin, path) = url.split_at(path.map_or(url.len(), |at| authority + at));
    (origin, path.trim_end_matches('/'))
}

/// Returns the origin of a URL as it is written, without a slash at the end.
#[must_use]
pub fn origin_text(url: &str) -> &str {
    split(url).0
}

/// Returns where the metadata of a server may be: by its path, then at the root (RFC 9728,
/// section 3.1).
#[must_use]
pub fn of_resource(server: &str) -> Vec<String> {
    let (origin, path) = split(server);
    let mut urls = vec![format!("{origin}{WELL_KNOWN}{path}")];
    if !path.is_empty() {
        urls.push(format!("{origin}{WELL_KNOWN}"));
    }
    urls
}

/// Returns where the metadata of an authorization server may be, in the order of the specification.
#[must_use]
pub fn of_issuer(issuer: &str) -> Vec<String> {
    let (origin, path) = split(issuer);
    if path.is_empty() {
        return vec![format!("{origin}{OAUTH}"), format!("{origin}{OPENID}")];
    }
    vec![
        format!("{origin}{OAUTH}{path}"),
        format!("{origin}{OPENID}{path}"),
        format!("{origin}{path}{OPENID}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_of_a_server_are_sought_by_path_and_at_the_root() {
        let root = "https://a.example/.well-known/oauth-protected-resource";
        for server in [
            "https://a.example",
            "https://a.example/",
            "https://a.example?x=/y",
        ] {
            assert_eq!(of_resource(server), [root], "{server}");
        }
        let by_path = format!("{root}/a/mcp");
        assert_eq!(
            of_resource("https://a.example/a/mcp/#x"),
            [by_path.as_str(), root]
        );
    }

    #[test]
    fn metadata_of_an_issuer_are_sought_in_order() {
        for issuer in ["https://a.example:1", "https://a.example:1/"] {
            let urls = [
                "https://a.example:1/.well-known/oauth-authorization-server",
                "https://a.example:1/.well-known/openid-configuration",
            ];
            assert_eq!(of_issuer(issuer), urls, "{issuer}");
        }
        let urls = [
            "https://a.example/.well-known/oauth-authorization-server/t/1",
            "https://a.example/.well-known/openid-configuration/t/1",
            "https://a.example/t/1/.well-known/openid-configuration",
        ];
        assert_eq!(of_issuer("https://a.example/t/1"), urls);
        assert_eq!(of_issuer("https://a.example/t/1/"), urls);
    }
}
