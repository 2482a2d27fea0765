//! Checks the lists of a server: all pages of all of them.

use std::collections::HashSet;

use mcp_client::types::json::Value;
use mcp_client::types::{
    ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    Request, Resource, rpc,
};
use mcp_client::{CallError, Client, List, Paged};

use super::schemas::is_blank;
use crate::output::exact::to_json;
use crate::wire::Wire;
use crate::wire::finding::Findings;

/// Reads a list. Returns its valid elements.
async fn all<R: Paged>(client: &Client, wire: &Wire, mut list: List<R>) -> Vec<R::Item> {
    let method = R::METHOD;
    let capability = method.split('/').next().unwrap_or_default();
    let declared = to_json(&client.server_capabilities());
    let is_declared = declared.get(capability).is_some();
    // The capability includes the templates, but a server may have none.
    let is_optional = !is_declared || method == ListResourceTemplatesRequest::METHOD;
    let mut items = Vec::new();
    while let Some(element) = list.next().await {
        match element {
            Ok(item) => items.push(item),
            // The message was found invalid.
            Err(CallError::Element { .. } | CallError::Answer { .. }) => {}
            Err(error) if items.is_empty() && error.code() == Some(rpc::METHOD_NOT_FOUND) => {
                if !is_optional {
                    let text = format!("the server declares `{capability}`, but refuses the list");
                    wire.seen().findings.error(method, text);
                }
            }
            Err(error) if items.is_empty() && !is_declared && error.code().is_some() => {}
            Err(error) => wire.seen().findings.error(method, error.to_string()),
        }
    }
    if !is_declared && !items.is_empty() {
        let text =
            format!("the server has a list, but does not declare the capability `{capability}`");
        wire.seen().findings.error(method, text);
    }
    items
}

/// Reads the list of tools, which are checked as the server sent them.
pub(super) async fn tools(client: &Client, wire: &Wire) {
    all::<ListToolsRequest>(client, wire, client.tools()).await;
}

pub(super) async fn prompts(client: &Client, wire: &Wire) {
    let prompts = all::<ListPromptsRequest>(client, wire, client.prompts()).await;
    let mut seen = wire.seen();
    let mut names = HashSet::new();
    for prompt in &prompts {
        let place = format!("prompt `{}`", prompt.name);
        let prompt_json = to_json(prompt);
        unique(&mut seen.findings, &mut names, &place, &prompt.name);
        described(&mut seen.findings, &place, &prompt_json);
        let mut arguments = HashSet::new();
        for argument in prompt.arguments.iter().flatten() {
            let place = format!("{place} argument `{}`", argument.name);
            unique(&mut seen.findings, &mut arguments, &place, &argument.name);
            if is_blank(to_json(argument).get("description")) {
                seen.findings.hint(place, "no description");
            }
        }
    }
}

/// Returns the resources.
pub(super) async fn resources(client: &Client, wire: &Wire) -> Vec<Resource> {
    let resources = all::<ListResourcesRequest>(client, wire, client.resources()).await;
    let templates = client.resource_templates();
    let templates = all::<ListResourceTemplatesRequest>(client, wire, templates).await;
    let mut seen = wire.seen();
    let mut names = HashSet::new();
    for resource in &resources {
        let place = format!("resource `{}`", resource.uri);
        unique(&mut seen.findings, &mut names, &place, &resource.uri);
        described(&mut seen.findings, &place, &to_json(resource));
        if !has_scheme(&resource.uri) {
            let text = "the URI has no scheme: expected one such as `file:` or `https:`";
            seen.findings.error(&place, text);
        }
        if resource.mime_type.is_none() {
            seen.findings.hint(place, "no `mimeType`");
        }
    }
    let mut names = HashSet::new();
    for template in &templates {
        let text = &template.uri_template;
        let place = format!("resource template `{text}`");
        unique(&mut seen.findings, &mut names, &place, text);
        described(&mut seen.findings, &place, &to_json(template));
        if !is_balanced(text) {
            let text = "the braces of the template do not match";
            seen.findings.error(&place, text);
        } else if !text.contains('{') {
            let text = "the template has no variables: a resource would do";
            seen.findings.warning(place, text);
        }
    }
    resources
}

fn unique<'a>(findings: &mut Findings, names: &mut HashSet<&'a str>, place: &str, name: &'a str) {
    if !names.insert(name) {
        findings.error(place, "the list has it twice");
    }
}

fn described(findings: &mut Findings, place: &str, element: &Value) {
    if is_blank(element.get("description")) {
        findings.hint(place, "no description");
    }
    if is_blank(element.get("title")) {
        findings.hint(place, "no `title`: hosts show the name");
    }
}

fn has_scheme(uri: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_part)
    })
}

fn is_balanced(template: &str) -> bool {
    let mut is_open = false;
    for c in template.chars() {
        match c {
            '{' if is_open => return false,
            '}' if !is_open => return false,
            '{' | '}' => is_open = !is_open,
            _ => {}
        }
    }
    !is_open
}
