//! [`find_resource`]: the metadata of the protected server (RFC 9728).

use mcp_types::oauth::protected_resource::ProtectedResource;
use mcp_types::oauth::well_known;

use super::search::search;
use crate::oauth::error::{OAuthError, OAuthFault, OAuthStep};
use crate::oauth::net::Net;
use crate::util::origin::Origin;

/// Finds the metadata of a server: at the URL that the server named, by its path, or at the root of
/// its origin.
pub(in crate::oauth) async fn find_resource(
    net: &Net,
    server: &str,
    named: Option<&str>,
) -> Result<ProtectedResource, OAuthError> {
    let step = OAuthStep::ResourceMetadata;
    let named = named.map(str::to_owned);
    let mut urls: Vec<String> = named.into_iter().collect();
    for url in well_known::of_resource(server) {
        if !urls.contains(&url) {
            urls.push(url);
        }
    }
    let found = search(net, step, urls, |found: &ProtectedResource, _| {
        if matches_server(&found.resource, server) {
            return Ok(true);
        }
        Err(OAuthFault::Resource {
            expected: server.to_owned(),
            found: found.resource.chars().take(200).collect(),
        })
    });
    let found = found.await?;
    found.map_err(|passed| OAuthError::new(step, OAuthFault::NotFound(passed)))
}

/// Returns `true` if a resource is a server, or contains it: the origin is the same, and the path is
/// the same or a prefix of it by whole segments. A slash at the end does not matter.
fn matches_server(resource: &str, server: &str) -> bool {
    let (Ok(own), Ok(other)) = (Origin::parse(resource), Origin::parse(server)) else {
        return false;
    };
    if own != other || resource.contains('#') {
        return false;
    }
    let (resource, query) = path_and_query(resource);
    let (server, server_query) = path_and_query(server);
    if query.is_some() && (query != server_query || resource != server) {
        return false;
    }
    let rest = server.strip_prefix(resource);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn path_and_query(url: &str) -> (&str, Option<&str>) {
    let url = url.split('#').next().unwrap_or_default();
    let (url, query) = match url.split_once('?') {
        Some((url, query)) => (url, Some(query)),
        None => (url, None),
    };
    let origin = well_known::origin_text(url);
    let path = url.strip_prefix(origin).unwrap_or_default();
    (path.trim_end_matches('/'), query)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_is_the_server_or_contains_it() {
        let server = "https://a.example/x/mcp";
        for resource in [
            server,
            "https://a.example/x/mcp/",
            "https://a.example/x",
            "https://a.example/",
            "https://a.example",
            "HTTPS://A.example:443/x",
        ] {
            assert!(matches_server(resource, server), "{resource}");
        }
        for resource in [
            "https://b.example/x/mcp",
            "http://a.example/x/mcp",
            "https://a.example:444/x/mcp",
            "https://a.example/x/mc",
            "https://a.example/X/mcp",
            "https://a.example/x/mcp/y",
            "https://a.example/x/mcp?y",
            "https://a.example/x/mcp#y",
            "https://u@a.example/x/mcp",
            "a.example",
            "",
        ] {
            assert!(!matches_server(resource, server), "{resource}");
        }
        assert!(matches_server(
            "https://a.example/m?t=1",
            "https://a.example/m?t=1"
        ));
        assert!(!matches_server(
            "https://a.example/m?t=2",
            "https://a.example/m?t=1"
        ));
        assert!(matches_server(
            "https://a.example/m",
            "https://a.example/m?t=1"
        ));
    }
}
