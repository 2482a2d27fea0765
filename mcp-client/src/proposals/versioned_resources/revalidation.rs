//! [`GetResource`]: `resources/get` tells whether the version of cached contents is still current.

use std::borrow::Cow;

use mcp_types::rpc::ErrorObject;
use mcp_types::uri::canonical;
use mcp_types::{GetResourceRequest, NOT_MODIFIED, Proposal, ReadResourceRequest, Request};
use serde::Deserialize;

use crate::features::cache::Revalidation;
use crate::features::cache::key;
use crate::protocol::connection::Connection;

/// The maximum length of a version that is sent back, in bytes: the request is meant to be small.
const VERSION_BYTES: usize = 1024;

/// The request for a resource, unless it has a known version.
pub(super) struct GetResource;

impl Revalidation for GetResource {
    fn is_negotiated(&self, connection: &Connection) -> bool {
        connection.has_negotiated(Proposal::VersionedResources)
    }

    fn method(&self) -> &'static str {
        GetResourceRequest::METHOD
    }

    fn is_current(&self, error: &ErrorObject) -> bool {
        error.code == NOT_MODIFIED
    }

    /// If not all contents belong to the requested resource, as in a collection, or if they say
    /// different versions, no version stands for all of them.
    fn version(&self, method: &str, params: &str, result: &str) -> Option<String> {
        let version = match method {
            GetResourceRequest::METHOD => get_version(result),
            ReadResourceRequest::METHOD => read_version(&key::uri(params)?, result),
            _ => None,
        };
        version.filter(|version| version.len() <= VERSION_BYTES)
    }
}

/// The members of a resource, or of contents, that are compared.
#[derive(Deserialize)]
struct ResourceVersion<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
    version: Option<String>,
}

fn get_version(result: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Get<'a> {
        #[serde(borrow)]
        resource: ResourceVersion<'a>,
    }
    serde_json::from_str::<Get<'_>>(result)
        .ok()?
        .resource
        .version
}

fn read_version(uri: &str, result: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Read<'a> {
        #[serde(borrow)]
        contents: Vec<ResourceVersion<'a>>,
    }
    let mut contents = serde_json::from_str::<Read<'_>>(result).ok()?.contents;
    let version = contents
        .pop()
        .filter(|last| canonical(&last.uri) == uri)?
        .version?;
    let mut others = contents.iter();
    let is_same = others
        .all(|other| canonical(&other.uri) == uri && other.version.as_ref() == Some(&version));
    is_same.then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(contents: &str) -> Option<String> {
        let result = format!(r#"{{"ttlMs":0,"contents":[{contents}]}}"#);
        GetResource.version("resources/read", r#"{"uri":"x:a"}"#, &result)
    }

    #[test]
    fn all_contents_have_the_version() {
        let one = r#"{"uri":"x:a","version":"1","text":"A"}"#;
        assert_eq!(read(one).as_deref(), Some("1"));
        assert_eq!(read(&format!("{one},{one}")).as_deref(), Some("1"));
        for other in [
            "",
            r#"{"uri":"x:a","text":"A"}"#,
            r#"{"uri":"x:b","version":"1","text":"B"}"#,
            r#"{"uri":"x:a","version":null,"text":"A"}"#,
            r#"{"uri":"x:a","version":"2","text":"A"}"#,
        ] {
            let both = [format!("{other},{one}"), format!("{one},{other}")];
            for contents in both.iter().filter(|_| !other.is_empty()) {
                assert_eq!(read(contents), None, "{contents}");
            }
        }
        assert_eq!(read(""), None);
    }

    #[test]
    fn long_versions_are_not_sent_back() {
        for (length, is_sent) in [(VERSION_BYTES, true), (VERSION_BYTES + 1, false)] {
            let known = "v".repeat(length);
            let result = format!(r#"{{"resource":{{"uri":"x:a","version":"{known}"}}}}"#);
            let version = GetResource.version("resources/get", r#"{"uri":"x:a"}"#, &result);
            assert_eq!(version, is_sent.then_some(known));
        }
    }
}
