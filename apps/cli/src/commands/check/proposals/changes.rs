//! Whether versions change with contents: looks before and after a call of a tool that writes.

use std::collections::HashMap;

use mcp_client::types::json::{self, Object, Value};

use super::{Listed, Subject};
use crate::commands::json_requests::{object, of, request, text};
use crate::failure::Failure;
use crate::wire::rules::Rule;

/// What a resource was like.
#[derive(PartialEq)]
struct State {
    version: String,
    contents: Value,
}

/// A call of a tool that changes a resource.
pub(super) struct Write<'a> {
    tool: &'a str,
    params: Object,
}

impl<'a> Write<'a> {
    /// Reads the values of the option `--write`.
    pub(super) fn new(values: &'a [String]) -> Result<Self, Failure> {
        let [tool, arguments] = values else {
            let message = "`--write` needs a tool and its arguments";
            return Err(Failure::Usage(message.to_owned()));
        };
        let arguments: Object = json::from_str(arguments)
            .map_err(|error| Failure::Usage(format!("the arguments of `--write`: {error}")))?;
        let params = Object::from([
            ("name", Value::from(tool.as_str())),
            ("arguments", arguments.into()),
        ]);
        Ok(Self { tool, params })
    }
}

/// Calls a tool, and compares all resources before and after it.
pub(super) async fn check(subject: &Subject<'_>, resources: &[Listed], write: Write<'_>) {
    let Write { tool, params } = write;
    let before = states(subject, resources).await;
    let called = match request(subject.client, "tools/call", &params).await {
        Ok(called) => called,
        Err(error) => {
            let mut seen = subject.wire.seen();
            let text = format!("the call of `--write`: {error}");
            return seen.findings.error(format!("tool `{tool}`"), text);
        }
    };
    if called.get("isError") == Some(&Value::Bool(true)) {
        let text = "the call of `--write` failed, so nothing is compared";
        subject
            .wire
            .seen()
            .findings
            .error(format!("tool `{tool}`"), text);
        return;
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
        subject
            .wire
            .seen()
            .findings
            .hint(format!("tool `{tool}`"), text);
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
