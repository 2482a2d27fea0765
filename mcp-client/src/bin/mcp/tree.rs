//! `mcp tree`.

use std::collections::HashSet;

use mcp_client::types::{Resource, ResourceType};
use mcp_client::{CallError, Client, Proposal};

use crate::exact::to_json;
use crate::failure::Failure;
use crate::output::{Output, complain};
use crate::tools::{all, object};

/// A resource, and how deep it stands.
type Placed = (usize, Resource);

pub(crate) async fn tree(
    client: &Client,
    uri: Option<&str>,
    depth: usize,
    output: Output,
) -> Result<(), Failure> {
    let placed = match uri {
        Some(uri) => members(client, uri, depth).await?,
        None => arranged(all(client.resources()).await?),
    };
    let placed = placed.into_iter().filter(|(at, _)| *at < depth);
    if output.json {
        let resources: Vec<_> = placed.map(|(_, resource)| to_json(&resource)).collect();
        return Ok(output.value(&object("resources", &resources))?);
    }
    for (at, resource) in placed {
        output.line(&format!("{}{}", "  ".repeat(at), line(&resource)))?;
    }
    Ok(())
}

fn line(resource: &Resource) -> String {
    let slash = if is_collection(resource) && !resource.name.ends_with('/') {
        "/"
    } else {
        ""
    };
    let mut about = Vec::new();
    about.extend(resource.mime_type.clone());
    about.extend(resource.size.map(|size| format!("{size} bytes")));
    let about = about.join(", ");
    let name = format!("{}{slash}", resource.name);
    if about.is_empty() {
        name
    } else {
        format!("{name}  [{about}]")
    }
}

fn is_collection(resource: &Resource) -> bool {
    resource.resource_type == Some(ResourceType::Collection)
}

/// What a collection holds, and what is in that, depth first. A collection that holds itself is
/// gone into once.
async fn members(client: &Client, uri: &str, depth: usize) -> Result<Vec<Placed>, Failure> {
    if !client.negotiated(Proposal::Sep2093) {
        let message = "the server does not list collections: it does not announce `sep-2093`";
        return Err(Failure::Absent(message.to_owned()));
    }
    let mut seen = HashSet::from([uri.to_owned()]);
    let mut placed = Vec::new();
    // What is still to be shown, the next one last.
    let mut rest: Vec<Placed> = Vec::new();
    let mut into = Some((0, uri.to_owned()));
    loop {
        if let Some((at, uri)) = into.take() {
            match all(client.resources_in(uri.as_str())?).await {
                Ok(found) => rest.extend(found.into_iter().rev().map(|member| (at, member))),
                // Only this branch is missing: it may have vanished meanwhile.
                Err(error @ CallError::Refused { .. }) if at > 0 => {
                    complain(&format!("left out: `{uri}`: {error}"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        let Some((at, resource)) = rest.pop() else {
            return Ok(placed);
        };
        let new = is_collection(&resource) && seen.insert(resource.uri.clone());
        into = (new && at + 1 < depth).then(|| (at + 1, resource.uri.clone()));
        placed.push((at, resource));
    }
}

/// Resources under those whose URIs theirs continue, in the order of their URIs.
fn arranged(mut resources: Vec<Resource>) -> Vec<Placed> {
    // As if each ended with a slash, so that what a directory holds comes right behind it.
    let key = |resource: &Resource| format!("{}/", resource.uri.trim_end_matches('/'));
    resources.sort_by_cached_key(key);
    let mut above: Vec<String> = Vec::new();
    let mut placed = Vec::new();
    for resource in resources {
        let key = key(&resource);
        while above.last().is_some_and(|above| !key.starts_with(above)) {
            above.pop();
        }
        placed.push((above.len(), resource));
        above.push(key);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_stand_under_those_whose_uris_theirs_continue() {
        let uris = [
            "x:///b/c", "x:///a-b", "x:///", "x:///b", "x:///a/b", "y:1", "x:///a",
        ];
        let resources = uris.map(|uri| Resource::new(uri, uri)).to_vec();
        let placed: Vec<_> = arranged(resources)
            .into_iter()
            .map(|(at, resource)| format!("{at} {}", resource.uri))
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
        assert_eq!(placed, expected);
    }
}
