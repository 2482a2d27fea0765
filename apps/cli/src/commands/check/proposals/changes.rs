//! Whether versions change with contents: looks before and after a call of a tool that writes.

use std::collections::HashMap;

use mcp_client::types::json::{Object, Value};

use super::{Listed, Subject};
use crate::commands::json_requests::{object, of, request, text};
use crate::wire::rules::Rule;

/// What a resource was like.
#[derive(PartialEq)]
struct State {
    version: String,
    contents: Value,
}

/// Calls a tool, and compares all resources before and after it.
pub(super) async fn check(subject: &Subject<'_>, resources: &[Listed], call: &(&str, Object)) {
    let (tool, arguments) = call;
    let params = Object::from([
        ("name", Value::from(*tool)),
        ("arguments", arguments.clone().into()),
    ]);
    let before = states(subject, resources).await;
    let called = match request(subject.client, "tools/call", &params).await {
        Ok(called) => called,
        Err(error) => {
            let text = format!("the call of `--write`: {error}");
            return subject.error(format!("tool `{tool}`"), text);
        }
    };
    if called.get("isError") == Some(&Value::Bool(true)) {
        let text = "the call of `--write` failed, so nothing is compared";
        return subject.error(format!("tool `{tool}`"), text);
    }
    let after = states(subject, resources).await;
    let mut changed = 0;
    for resource in resources {
        let (Some(before), Some(after)) = (before.get(&resource.uri), after.get(&resource.uri))
        else {
            continue;
        };
        let (is_new, is_changed) = (
            before.version != after.version,
            before.contents != after.contents,
        );
        changed += usize::from(is_changed);
        if is_changed && !is_new {
            let text = format!(
                "the contents changed, and the version is still `{}`",
                after.version
            );
            subject.violates(Rule::VersionChanges, resource.place(), text);
        } else if is_new && !is_changed {
            let text = format!(
                "the contents are the same, and the version is `{}` now",
                after.version
            );
            subject.violates(Rule::VersionStays, resource.place(), text);
        }
    }
    if changed == 0 {
        let text = "the call changed the contents of no listed resource";
        subject.hint(format!("tool `{tool}`"), text);
    }
}

async fn states(subject: &Subject<'_>, resources: &[Listed]) -> HashMap<String, State> {
    let mut states = HashMap::new();
    for resource in resources
        .iter()
        .filter(|resource| !resource.is_collection())
    {
        let Ok(result) = request(subject.client, "resources/get", &of(&resource.uri)).await else {
            continue;
        };
        if let Some(version) = text(&object(&result, "resource"), "version") {
            let state = State {
                version: version.to_owned(),
                contents: object(&result, "contents").into(),
            };
            states.insert(resource.uri.clone(), state);
        }
    }
    states
}
