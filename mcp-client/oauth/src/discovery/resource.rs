//! [`find_resource`]: the metadata of the protected server (RFC 9728).

use mcp_oauth::protected_resource::ProtectedResource;
use mcp_oauth::well_known;

use super::search::search;
use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::net::Net;
use mcp_fetch::Origin;
use mcp_fetch::url::shown;

/// Finds the metadata of a server: at the URL that the server named, by its path, or at the root of
/// its origin.
///
/// The metadata may be those of a resource that contains the server, unless `strict` is set. Only
/// the document at the root may say so, because it belongs to the operator of the whole origin: a
/// token for the origin is accepted by each server on it, so one of them must not be able to ask
/// for it. Elsewhere, such a document is passed over.
pub(crate) async fn find_resource(
    net: &Net,
    server: &str,
    named: Option<&str>,
    strict: bool,
) -> Result<ProtectedResource, OAuthError> {
    let step = OAuthStep::ResourceMetadata;
    let named = named.map(str::to_owned);
    let mut urls: Vec<String> = named.into_iter().collect();
    let known = well_known::of_resource(server);
    let root = known.last().cloned();
    for url in known {
        if !urls.contains(&url) {
            urls.push(url);
        }
    }
    let mut parent = None;
    let found = search(net, step, urls, |found: &ProtectedResource, url| {
        let fault = OAuthFault::Resource {
            expected: shown(server),
            found: found.resource.chars().take(200).collect(),
        };
        match relation(&found.resource, server) {
            Some(Relation::Same) => Ok(true),
            Some(Relation::Parent) if !strict && root.as_deref() == Some(url) => Ok(true),
            Some(Relation::Parent) => {
                parent.get_or_insert((url.to_owned(), fault));
                Ok(false)
            }
            None => Err(fault),
        }
    });
    let found = found.await?;
    found.map_err(|passed| match parent {
        Some((url, fault)) => OAuthError::new(step, fault).at(&url),
        None => OAuthError::new(step, OAuthFault::NotFound(passed)),
    })
}

/// What a resource is to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Same,
    /// The path of the server begins with the path of the resource, by whole segments.
    Parent,
}

/// Returns what a resource is to a server of the same origin. A slash at the end does not matter.
fn relation(resource: &str, server: &str) -> Option<Relation> {
    let (own, other) = (Origin::parse(resource).ok()?, Origin::parse(server).ok()?);
    if own != other || resource.contains('#') {
        return None;
    }
    let (resource, query) = path_and_query(resource);
    let (server, server_query) = path_and_query(server);
    if query.is_some() && query != server_query {
        return None;
    }
    match server.strip_prefix(resource)? {
        "" => Some(Relation::Same),
        rest => (query.is_none() && rest.starts_with('/')).then_some(Relation::Parent),
    }
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
            "HTTPS://A.example:443/x/mcp",
        ] {
            assert_eq!(relation(resource, server), Some(Relation::Same));
        }
        for resource in [
            "https://a.example/x",
            "https://a.example/",
            "https://a.example",
            "HTTPS://A.example:443/x",
        ] {
            assert_eq!(relation(resource, server), Some(Relation::Parent));
        }
        for resource in [
            "https://b.example/x/mcp",
            "http://a.example/x/mcp",
            "https://a.example:444/x/mcp",
            "https://a.example/x/mc",
            "https://a.example/X/mcp",
            "https://a.example/x/mcp/y",
            "https://a.example/x/mcp?y",
            "https://a.example/x?y",
            "https://a.example/x/mcp#y",
            "https://u@a.example/x/mcp",
            "a.example",
            "",
        ] {
            assert_eq!(relation(resource, server), None, "{resource}");
        }
        let server = "https://a.example/m?t=1";
        for (resource, expected) in [
            (server, Some(Relation::Same)),
            ("https://a.example/m?t=2", None),
            ("https://a.example/m", Some(Relation::Same)),
        ] {
            assert_eq!(relation(resource, server), expected, "{resource}");
        }
    }
}
