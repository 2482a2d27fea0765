//! `mcp tree`.

use std::collections::HashSet;

use mcp_client::types::{Resource, ResourceType};
use mcp_client::{CallError, Client, Proposal};

use super::lists::{all, object};
use crate::failure::Failure;
use crate::output::exact::to_json;
use crate::output::{Output, print_error};

/// The maximum number of resources that are shown.
const ENTRIES: usize = 100_000;

/// The maximum number of collections that are listed.
const COLLECTIONS: usize = 10_000;

/// A resource and its level in the tree.
type Entry = (usize, Resource);

/// The entries that arrived, and the error that ended them early.
type Arrived = (Vec<Entry>, Result<(), Failure>);

pub(crate) async fn tree(
    client: &Client,
    uri: Option<&str>,
    depth: usize,
    output: Output,
) -> Result<(), Failure> {
    let (entries, end) = match uri {
        Some(uri) => below(client, uri, depth).await?,
        None => whole(client, depth).await?,
    };
    let entries = entries.into_iter().filter(|(level, _)| *level < depth);
    if output.json {
        let resources: Vec<_> = entries.map(|(_, resource)| to_json(&resource)).collect();
        output.value(&object("resources", &resources))?;
        return end;
    }
    for (level, resource) in entries {
        output.line(&format!("{}{}", "  ".repeat(level), line(&resource)))?;
    }
    end
}

fn line(resource: &Resource) -> String {
    let slash = if is_collection(resource) && !resource.name.ends_with('/') {
        "/"
    } else {
        ""
    };
    let mut about = Vec::new();
    about.extend(resource.mime_type.clone());
    about.extend(unknown_type(resource));
    about.extend(resource.size.map(|size| format!("{size} bytes")));
    about.extend(
        resource
            .version
            .as_ref()
            .map(|version| format!("version {version}")),
    );
    let about = about.join(", ");
    let name = format!("{}{slash}", resource.name);
    if about.is_empty() {
        name
    } else {
        format!("{name}  [{about}]")
    }
}

/// Returns a type that this program does not know.
fn unknown_type(resource: &Resource) -> Option<String> {
    let of_type = resource.resource_type.as_ref()?;
    let is_known = [ResourceType::Collection, ResourceType::Document].contains(of_type);
    (!is_known).then(|| of_type.to_string())
}

fn is_collection(resource: &Resource) -> bool {
    resource.resource_type == Some(ResourceType::Collection)
}

/// Returns all resources of the list, and the members of the collections in it that it does not have.
async fn whole(client: &Client, depth: usize) -> Result<Arrived, Failure> {
    let (resources, end) = all(client, client.resources(), ENTRIES).await;
    let entries = arranged(resources);
    if end.is_err() || !client.negotiated(Proposal::Sep2093) {
        return Ok((entries, end));
    }
    let listed = entries.iter().map(|(_, resource)| resource.uri.clone());
    let listed: HashSet<String> = listed.collect();
    members(client, entries, None, &listed, depth).await
}

/// Returns the members of a collection.
async fn below(client: &Client, uri: &str, depth: usize) -> Result<Arrived, Failure> {
    if !client.negotiated(Proposal::Sep2093) {
        let message =
            "the server cannot list collections: it does not declare support for `sep-2093`";
        return Err(Failure::Absent(message.to_owned()));
    }
    members(client, Vec::new(), Some(uri), &HashSet::new(), depth).await
}

/// Returns resources, or the members of a collection, with those of the collections among them, depth
/// first. Each collection is listed once, even if it contains itself. Members that are in the list of
/// all resources are left out.
async fn members(
    client: &Client,
    start: Vec<Entry>,
    of: Option<&str>,
    listed: &HashSet<String>,
    depth: usize,
) -> Result<Arrived, Failure> {
    let mut seen: HashSet<String> = of.map(str::to_owned).into_iter().collect();
    let mut entries = Vec::new();
    // A stack: the last element is the next one.
    let mut rest: Vec<Entry> = start.into_iter().rev().collect();
    let mut into = of.map(|uri| (0, uri.to_owned()));
    loop {
        if entries.len() + rest.len() > ENTRIES || seen.len() > COLLECTIONS {
            let text = format!(
                "left out: more than {ENTRIES} resources, or than {COLLECTIONS} collections"
            );
            print_error(&text);
            entries.extend(rest.into_iter().rev());
            entries.truncate(ENTRIES);
            return Ok((entries, Ok(())));
        }
        if let Some((level, uri)) = into.take() {
            let (mut found, end) = all(client, client.resources_in(uri.as_str())?, ENTRIES).await;
            found.retain(|member| !listed.contains(&member.uri));
            rest.extend(found.into_iter().rev().map(|member| (level, member)));
            match end {
                Ok(()) => {}
                // The collection may have been deleted meanwhile; the others are shown.
                Err(Failure::Call(error @ CallError::Refused { .. })) if level > 0 => {
                    print_error(&format!("left out: `{uri}`: {error}"));
                }
                Err(error) => {
                    entries.extend(rest.into_iter().rev());
                    return Ok((entries, Err(error)));
                }
            }
        }
        let Some((level, resource)) = rest.pop() else {
            return Ok((entries, Ok(())));
        };
        let new = is_collection(&resource) && seen.insert(resource.uri.clone());
        into = (new && level + 1 < depth).then(|| (level + 1, resource.uri.clone()));
        entries.push((level, resource));
    }
}

/// Arranges resources below those whose URIs are prefixes of theirs, in the order of the URIs.
fn arranged(mut resources: Vec<Resource>) -> Vec<Entry> {
    // With a slash at the end, so that the members of a directory directly follow it.
    let key = |resource: &Resource| format!("{}/", resource.uri.trim_end_matches('/'));
    resources.sort_by_cached_key(key);
    let mut above: Vec<String> = Vec::new();
    let mut entries = Vec::new();
    for resource in resources {
        let key = key(&resource);
        while above.last().is_some_and(|above| !key.starts_with(above)) {
            above.pop();
        }
        entries.push((above.len(), resource));
        above.push(key);
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_arranged_below_prefixes_of_their_uris() {
        let uris = [
            "x:///b/c", "x:///a-b", "x:///", "x:///b", "x:///a/b", "y:1", "x:///a",
        ];
        let resources = uris.map(|uri| Resource::new(uri, uri)).to_vec();
        let entries: Vec<_> = arranged(resources)
            .into_iter()
            .map(|(level, resource)| format!("{level} {}", resource.uri))
            .collect();
        let expected = [
            "0 x:///",
            "1 x:///a-b",
            "1 x:///a",
            "2 x:///a/b",
            "1 x:///b",
            "2 x:///b/c",
            "0 y:1",
        ];
        assert_eq!(entries, expected);
    }
}
