//! The rules of SEP-2093: metadata, types, collections, and several contents.

use mcp_client::types::json::{Object, Value};

use super::{Listed, Subject, UNKNOWN_URI, differs, other_uri};
use crate::commands::json_requests::{bytes, essence, is_same, object, objects, of, request, text};
use crate::failure::refers_to_url;
use crate::wire::rules::Rule;

/// The members that lists and metadata have alike.
const MEMBERS: [&str; 10] = [
    "name",
    "title",
    "description",
    "mimeType",
    "icons",
    "annotations",
    "size",
    "resourceType",
    "kind",
    "metadata",
];

/// The members of contents that are those of the resource.
const CONTENTS: [&str; 5] = [
    "name",
    "title",
    "description",
    "annotations",
    "resourceType",
];

/// The number of documents whose members are requested.
const DOCUMENTS: usize = 5;

/// The number of prompts that are looked at for embedded resources.
const PROMPTS: usize = 20;

pub(super) async fn check(subject: &Subject<'_>, resources: &[Listed]) {
    for resource in resources {
        if text(&resource.entry, "resourceType").is_none() {
            let text = "no `resourceType`: clients cannot tell documents from collections";
            subject.violates(Rule::TypeIsSet, resource.place(), text);
        }
        metadata(subject, resource).await;
        contents(subject, resource).await;
    }
    let is_document =
        |resource: &&Listed| text(&resource.entry, "resourceType") == Some("document");
    for document in resources.iter().filter(is_document).take(DOCUMENTS) {
        let members = request(subject.client, "resources/list", &of(&document.uri)).await;
        let members = members.map_or_else(|_| Vec::new(), |it| objects(&it, "resources"));
        if !members.is_empty() {
            let text = format!("a list of {} members", members.len());
            subject.violates(Rule::DocumentList, document.place(), text);
        }
    }
    unknown(subject).await;
    embedded(subject).await;
}

async fn metadata(subject: &Subject<'_>, resource: &Listed) {
    let place = resource.place();
    let described =
        async || request(subject.client, "resources/metadata", &of(&resource.uri)).await;
    let result = match described().await {
        Ok(result) => result,
        Err(error) => return subject.violates(Rule::MetadataAnswers, place, error),
    };
    let found = object(&result, "resource");
    if let Some(text) = other_uri(resource, &found) {
        return subject.violates(Rule::MetadataUri, place, text);
    }
    let faults: Vec<_> = MEMBERS
        .iter()
        .filter_map(|member| differs(member, &resource.entry, "the list", &found, "the metadata"))
        .collect();
    // What changes all the time may differ.
    if faults.is_empty() || described().await.is_ok_and(|again| again != result) {
        return;
    }
    for text in faults {
        subject.violates(Rule::MetadataAgree, &place, text);
    }
}

async fn contents(subject: &Subject<'_>, resource: &Listed) {
    let place = resource.place();
    let is_document = text(&resource.entry, "resourceType") == Some("document");
    let result = match request(subject.client, "resources/read", &of(&resource.uri)).await {
        Ok(result) => result,
        Err(error) => {
            let is_url = refers_to_url(&error) && resource.entry.contains_key("httpUrl");
            if !is_url && is_document {
                subject.violates(Rule::DocumentContents, place, error);
            }
            return;
        }
    };
    let contents = objects(&result, "contents");
    if is_document && contents.is_empty() {
        return subject.violates(Rule::DocumentContents, place, "it has no contents");
    }
    let uri = |one: &Object| text(one, "uri").unwrap_or_default().to_owned();
    if is_document {
        for other in contents.iter().map(uri) {
            if !is_same(&other, &resource.uri) {
                let text = format!("an element of its contents has the URI `{other}`");
                subject.violates(Rule::DocumentUri, &place, text);
            }
        }
    }
    for one in &contents {
        if text(one, "name").is_none_or(str::is_empty) {
            let text = format!("the contents of `{}` have no `name`", uri(one));
            subject.violates(Rule::ContentsName, &place, text);
        }
        let found = bytes(one, "text").map(|bytes| bytes.len() as u64);
        let stated = one.get("size").and_then(Value::as_u64);
        if let (Some(stated), Some(found)) = (stated, found)
            && stated != found
        {
            let text = format!("`size` of contents is {stated}, and they have {found} bytes");
            subject.violates(Rule::ContentsSize, &place, text);
        }
    }
    let own: Vec<&Object> = contents
        .iter()
        .filter(|one| is_same(&uri(one), &resource.uri))
        .collect();
    for one in &own {
        let faults = CONTENTS.iter().filter(|member| one.contains_key(member));
        let faults = faults
            .filter_map(|member| differs(member, &resource.entry, "the list", one, "the contents"));
        for text in faults {
            subject.violates(Rule::ContentsAgree, &place, text);
        }
    }
    // The type and the size of a collection are not those of its index.
    if resource.is_collection() {
        return;
    }
    let stated = text(&resource.entry, "mimeType");
    let mut types = own.iter().map(|one| text(one, "mimeType").map(essence));
    if let Some(stated) = stated.filter(|_| !own.is_empty())
        && !types.any(|found| found == Some(essence(stated)))
    {
        let text =
            format!("the list has the type `{stated}`, and no element of the contents has it");
        subject.violates(Rule::ContentsType, &place, text);
    }
    if let [only] = &*own
        && let (Some(stated), Some(found)) = (
            resource.entry.get("size").and_then(Value::as_u64),
            bytes(only, "text"),
        )
        && stated != found.len() as u64
        && is_still_listed(subject, resource).await
    {
        let text = format!(
            "`size` in the list is {stated}, and the contents have {} bytes",
            found.len()
        );
        subject.violates(Rule::ContentsSize, &place, text);
    }
}

/// Returns `true` if the size of a resource has not changed since it was listed.
async fn is_still_listed(subject: &Subject<'_>, resource: &Listed) -> bool {
    let result = request(subject.client, "resources/metadata", &of(&resource.uri)).await;
    result.is_ok_and(|result| object(&result, "resource").get("size") == resource.entry.get("size"))
}

async fn unknown(subject: &Subject<'_>) {
    let code = async |method| match request(subject.client, method, &of(UNKNOWN_URI)).await {
        Ok(_) => Ok(()),
        Err(error) => Err(error.code()),
    };
    let (read, metadata) = (
        code("resources/read").await,
        code("resources/metadata").await,
    );
    if metadata.is_ok() || metadata != read {
        let shown = |outcome: Result<(), Option<i64>>| match outcome {
            Ok(()) => "a result".to_owned(),
            Err(Some(code)) => format!("the error {code}"),
            Err(None) => "no answer".to_owned(),
        };
        let (read, metadata) = (shown(read), shown(metadata));
        let text = format!("`resources/metadata` returns {metadata}, and `resources/read` {read}");
        subject.violates(Rule::MetadataUnknown, "an unknown resource", text);
    }
    let members = request(subject.client, "resources/list", &of(UNKNOWN_URI)).await;
    if members.is_ok_and(|members| !objects(&members, "resources").is_empty()) {
        let text = "`resources/list` returns members";
        subject.violates(Rule::UnknownList, "an unknown resource", text);
    }
}

/// Looks for embedded resources in the prompts that need no arguments.
async fn embedded(subject: &Subject<'_>) {
    if subject.client.server_capabilities().prompts.is_none() {
        return;
    }
    let Ok(list) = request(subject.client, "prompts/list", &Object::new()).await else {
        return;
    };
    let is_required = |argument: &Object| argument.get("required") == Some(&Value::Bool(true));
    let prompts = objects(&list, "prompts").into_iter();
    let prompts = prompts.filter(|prompt| !objects(prompt, "arguments").iter().any(is_required));
    for prompt in prompts.take(PROMPTS) {
        let name = text(&prompt, "name").unwrap_or_default().to_owned();
        let params = Object::from([("name", name.as_str())]);
        let Ok(result) = request(subject.client, "prompts/get", &params).await else {
            continue;
        };
        for message in objects(&result, "messages") {
            let block = object(&message, "content");
            if text(&block, "type") == Some("resource") && block.contains_key("annotations") {
                let text = "the block of an embedded resource has `annotations`";
                subject.violates(Rule::EmbeddedAnnotations, format!("prompt `{name}`"), text);
            }
        }
    }
}
