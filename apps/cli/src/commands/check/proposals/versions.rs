//! The rules of the proposal `versioned-resources`: versions, "Not Modified", and filters.

use std::collections::BTreeSet;

use mcp_client::CallError;
use mcp_client::types::NOT_MODIFIED;
use mcp_client::types::json::Object;
use mcp_client::types::uri::canonical;

use super::{Listed, Subject, UNKNOWN_URI, other_uri};
use crate::commands::json_requests::{bytes, essence, is_same, object, objects, of, request, text};
use crate::failure::refers_to_url;
use crate::wire::rules::Rule;

/// A version that no resource has.
const OTHER_VERSION: &str = "mcp-check-no-such-version";

/// A criterion that no server knows.
const UNKNOWN_CRITERION: &str = "mcp-check-unknown";

/// The number of kinds for which a filter is tried.
const KINDS: usize = 5;

pub(super) async fn check(subject: &Subject<'_>, resources: &[Listed]) {
    for resource in resources
        .iter()
        .filter(|resource| !resource.is_collection())
    {
        versions(subject, resource).await;
    }
    if get(subject, UNKNOWN_URI, None).await.is_ok() {
        subject.violates(
            Rule::GetUnknown,
            "an unknown resource",
            "`resources/get` returns a result",
        );
    }
    filters(subject).await;
}

async fn get(subject: &Subject<'_>, uri: &str, version: Option<&str>) -> Result<Object, CallError> {
    let mut params = of(uri);
    if let Some(version) = version {
        params.insert("version", version);
    }
    request(subject.client, "resources/get", &params).await
}

async fn versions(subject: &Subject<'_>, resource: &Listed) {
    let (uri, place) = (&*resource.uri, resource.place());
    let result = match get(subject, uri, None).await {
        Ok(result) => result,
        Err(error) => {
            if !(refers_to_url(&error) && resource.entry.contains_key("httpUrl")) {
                subject.violates(Rule::GetAnswers, place, error);
            }
            return;
        }
    };
    let found = object(&result, "resource");
    if let Some(text) = other_uri(resource, &found) {
        subject.violates(Rule::GetUri, &place, text);
    }
    let own = object(&result, "contents");
    let has_one = own.contains_key("content") != own.contains_key("blob");
    if text(&own, "contentType").is_none() || !has_one || bytes(&own, "content").is_none() {
        let members: Vec<&str> = own.iter().map(|(name, _)| name).collect();
        let text = format!("the contents have the members {}", members.join(", "));
        subject.violates(Rule::GetForm, &place, text);
        return;
    }
    let Some(version) = text(&found, "version") else {
        let text = "`resources/get` returns no `version`";
        return subject.violates(Rule::GetVersion, place, text);
    };
    match get(subject, uri, Some(version)).await {
        Ok(again) if text(&object(&again, "resource"), "version") == Some(version) => {
            let text = "the contents are sent again to a client that has them";
            subject.violates(Rule::NotModified, &place, text);
        }
        Err(error) if !is_not_modified(&error) => {
            subject.violates(Rule::NotModifiedCode, &place, error);
        }
        _ => {}
    }
    if let Err(error) = get(subject, uri, Some(OTHER_VERSION)).await {
        subject.violates(Rule::OldVersion, &place, error);
    }
    let read = request(subject.client, "resources/read", &of(uri)).await;
    let stated = [("the list", resource.entry.clone())];
    let described = request(subject.client, "resources/metadata", &of(uri)).await;
    let described = described.map(|result| ("the metadata", object(&result, "resource")));
    // A resource that changes all the time has other contents and versions now.
    let last = get(subject, uri, None).await.ok();
    let last = last.map(|result| object(&result, "resource"));
    if last.is_none_or(|last| text(&last, "version") != Some(version)) {
        return;
    }
    for (at, entry) in stated.into_iter().chain(described) {
        if let Some(other) = text(&entry, "version").filter(|other| *other != version)
            && !(at == "the list" && has_changed(subject, resource).await)
        {
            let text = format!("the version is `{other}` in {at}, and `{version}` in the result");
            subject.violates(Rule::VersionsAgree, &place, text);
        }
    }
    let Ok(read) = read else {
        return;
    };
    let wanted = bytes(&own, "content");
    let media_type = text(&own, "contentType").map(essence);
    let is_own = |one: &Object| text(one, "uri").is_some_and(|of| is_same(of, uri));
    let mut read = objects(&read, "contents");
    read.retain(is_own);
    // That it has no contents is a violation of its own.
    if read.is_empty() {
        return;
    }
    let mut same = read.iter().filter(|one| {
        let other = text(one, "mimeType").map(essence);
        other.is_none() || other == media_type
    });
    if !same.any(|one| bytes(one, "text") == wanted) {
        let text = "no element of `resources/read` of this type has these contents";
        subject.violates(Rule::GetContents, place, text);
    }
}

/// Returns `true` for the error "Not Modified", whose code no document defines.
fn is_not_modified(error: &CallError) -> bool {
    let text = error.to_string().to_ascii_lowercase();
    error.code() == Some(NOT_MODIFIED) || text.contains("not modified")
}

/// Returns `true` if a list no longer says of a resource what it said.
async fn has_changed(subject: &Subject<'_>, resource: &Listed) -> bool {
    let now = subject.resources(&Object::new()).await.ok();
    // A part of the list may lack the resource, so it may have changed.
    let Some(now) = now.filter(|now| !now.is_cut) else {
        return true;
    };
    let same = |entry: &&Object| text(entry, "uri") == Some(&resource.uri);
    let now = now.entries.iter().find(same);
    // Members of collections are not in this list.
    now.is_some_and(|now| now.get("version") != resource.entry.get("version"))
}

async fn filters(subject: &Subject<'_>) {
    let uris = |list: &[Object]| -> BTreeSet<String> {
        let uris = list.iter().filter_map(|entry| text(entry, "uri"));
        uris.map(|uri| canonical(uri).into_owned()).collect()
    };
    let filtered = async |filter: Object| {
        let params = Object::from([("filter", filter)]);
        subject.resources(&params).await
    };
    let Ok(all) = subject.resources(&Object::new()).await else {
        return;
    };
    // A part of a list does not show what a filter should select.
    if all.is_cut || all.repeats {
        return;
    }
    let unknown = Object::from([(UNKNOWN_CRITERION, true)]);
    if let Ok(found) = filtered(unknown).await
        && !found.entries.is_empty()
    {
        let text = "a filter with an unknown criterion is accepted, and selects resources";
        subject.violates(Rule::FilterUnknown, "resources/list", text);
        // The server may ignore the kind, too.
        return;
    }
    let kinds: BTreeSet<&str> = all
        .entries
        .iter()
        .filter_map(|entry| text(entry, "kind"))
        .collect();
    for kind in kinds.into_iter().take(KINDS) {
        let found = match filtered(Object::from([("kind", kind)])).await {
            Ok(found) => uris(&found.entries),
            // The server defines the criteria.
            Err(_) => return,
        };
        let of_kind = |entry: &Object| text(entry, "kind") == Some(kind);
        let expected: Vec<Object> = all
            .entries
            .iter()
            .filter(|it| of_kind(it))
            .cloned()
            .collect();
        let expected = uris(&expected);
        if found != expected
            && subject
                .resources(&Object::new())
                .await
                .is_ok_and(|again| again.entries == all.entries)
        {
            let missing = expected.difference(&found).next();
            let other = found.difference(&expected).next();
            let text = match (missing, other) {
                (Some(uri), _) => format!("the filter for the kind `{kind}` misses `{uri}`"),
                (_, Some(uri)) => format!("the filter for the kind `{kind}` selects `{uri}`"),
                _ => continue,
            };
            subject.violates(Rule::FilterKind, "resources/list", text);
        }
    }
}
