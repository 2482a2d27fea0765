//! `mcp check --proposals`: whether a server does what the proposals for resources say.
//!
//! Each finding names a [`Rule`], which is a statement of a proposal. Requests are sent as JSON, so a
//! check sees what any other client would see.

mod changes;
mod icons;
mod metadata;
mod urls;
mod versions;

use std::collections::HashSet;
use std::fmt::Display;

use mcp_client::types::json::Object;
use mcp_client::types::uri::canonical;
use mcp_client::{CallError, Client, Proposal};

use crate::args::Check;
use crate::commands::json_requests::{Budget, Listing, is_same, list, of, text};
use crate::wire::Wire;
use crate::wire::rules::Rule;

/// The maximum number of resources that are checked.
const RESOURCES: usize = 500;

/// A URI that no server has.
const UNKNOWN_URI: &str = "mcp-check://unknown/resource";

/// A server that is checked.
pub(super) struct Subject<'a> {
    client: &'a Client,
    wire: &'a Wire,
    budget: &'a Budget,
}

/// A resource as a list shows it.
struct Listed {
    uri: String,
    entry: Object,
}

impl Listed {
    fn is_collection(&self) -> bool {
        text(&self.entry, "resourceType") == Some("collection")
    }

    fn place(&self) -> String {
        format!("resource `{}`", self.uri)
    }
}

impl Subject<'_> {
    /// Requests a list of resources.
    async fn resources(&self, params: &Object) -> Result<Listing, CallError> {
        let what = ("resources/list", "resources");
        list(self.client, what, params, RESOURCES, self.budget).await
    }

    /// Says what was not checked, or could be better.
    fn hint(&self, place: impl Into<String>, text: impl Display) {
        self.wire.seen().findings.hint(place, text.to_string());
    }

    /// Notes what does not work.
    fn error(&self, place: impl Into<String>, text: impl Display) {
        self.wire.seen().findings.error(place, text.to_string());
    }

    /// Notes a violation.
    fn violates(&self, rule: Rule, place: impl Into<String>, text: impl Display) {
        self.wire
            .seen()
            .findings
            .rule(rule, place, text.to_string());
    }
}

/// Checks what the server does of each proposal that it has announced, and its icons.
pub(super) async fn check(client: &Client, args: &Check, write: Option<&(&str, Object)>) {
    let budget = Budget::new();
    let subject = Subject {
        client,
        wire: &args.wire,
        budget: &budget,
    };
    icons::check(&subject).await;
    if client.server_capabilities().resources.is_none() {
        return;
    }
    for proposal in Proposal::ALL {
        if !client.negotiated(*proposal) {
            let text = format!(
                "`{}` is not announced, so it is not checked",
                proposal.as_str()
            );
            subject.hint("server", text);
        }
    }
    let resources = walk(&subject).await;
    if client.negotiated(Proposal::Sep2093) {
        metadata::check(&subject, &resources).await;
    }
    if client.negotiated(Proposal::VersionedResources) {
        versions::check(&subject, &resources).await;
        if let Some(write) = write {
            changes::check(&subject, &resources, write).await;
        }
    }
    if client.negotiated(Proposal::HttpsUrl) {
        urls::check(&subject, &resources, args.wait).await;
    }
}

/// Returns the resources of the list, and those of all collections in it.
async fn walk(subject: &Subject<'_>) -> Vec<Listed> {
    let mut all = Vec::new();
    let mut known = HashSet::new();
    match subject.resources(&Object::new()).await {
        Ok(found) => add(subject, "resources/list", found, &mut known, &mut all),
        Err(error) => {
            subject.error("resources/list", format!("the list fails: {error}"));
        }
    }
    let has_members = subject.client.negotiated(Proposal::Sep2093);
    let mut next = 0;
    while has_members
        && all.len() < RESOURCES
        && let Some(resource) = all.get(next)
    {
        next += 1;
        if !resource.is_collection() {
            continue;
        }
        let (uri, place) = (resource.uri.clone(), resource.place());
        match subject.resources(&of(&uri)).await {
            Ok(found) => add(subject, &place, found, &mut known, &mut all),
            Err(error) => subject.violates(Rule::CollectionList, place, error),
        }
    }
    if all.len() >= RESOURCES || subject.budget.is_used_up() {
        let text = format!("only the first {} resources are checked", all.len());
        subject.hint("resources/list", text);
    }
    all
}

fn add(
    subject: &Subject<'_>,
    place: &str,
    found: Listing,
    known: &mut HashSet<String>,
    all: &mut Vec<Listed>,
) {
    if found.repeats {
        subject.violates(Rule::CollectionPages, place, "a cursor occurs twice");
    }
    let mut listed = HashSet::new();
    for entry in found.entries {
        let uri = text(&entry, "uri").unwrap_or_default().to_owned();
        let canonical = canonical(&uri).into_owned();
        if !listed.insert(canonical.clone()) {
            subject.violates(Rule::CollectionOnce, place, format!("it has `{uri}` twice"));
        }
        if all.len() < RESOURCES && known.insert(canonical) {
            all.push(Listed { uri, entry });
        }
    }
}

/// Returns the text of a difference between two descriptions of a resource.
fn differs(member: &str, one: &Object, at: &str, other: &Object, there: &str) -> Option<String> {
    let (here, found) = (one.get(member), other.get(member));
    let written = |value: Option<&mcp_client::types::json::Value>| {
        value.map_or_else(|| "absent".to_owned(), ToString::to_string)
    };
    // One of them may say more.
    let differs = here.is_some() && found.is_some() && here != found;
    differs.then(|| {
        let (here, found) = (written(here), written(found));
        format!("`{member}` is {here} in {at}, and {found} in {there}")
    })
}

/// Returns the text of the difference if a description is not that of a resource.
fn other_uri(resource: &Listed, found: &Object) -> Option<String> {
    let uri = text(found, "uri").unwrap_or_default();
    (!is_same(uri, &resource.uri)).then(|| format!("the `uri` is `{uri}`"))
}
