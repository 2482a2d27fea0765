//! The texts of all messages, made from the examples of the documentation.

use anyhow::{Context, Result};
use mcp_types::Revision;
use mcp_types::json::{self, Value};
use mcp_types::registry;

use super::SMALLEST;
use crate::corpus::{self, Kind};

/// The unions of messages, by the ends of their names, with the ends of the names of what they consist
/// of. A union may accept other objects, too, because results may have any members.
const UNIONS: [(&[&str], &[&str]); 5] = [
    (&["ClientRequest", "ServerRequest"], &["Request"]),
    (
        &["ClientNotification", "ServerNotification"],
        &["Notification"],
    ),
    (&["ClientResult", "ServerResult", "Outcome"], &["Result"]),
    (
        &["JSONRPCMessage"],
        &["Request", "Notification", "Response"],
    ),
    (&["JSONRPCResponse"], &["Response"]),
];

/// Returns `true` if a type is a union of messages that another type may belong to.
pub(super) fn is_union_of(union: &str, name: &str) -> bool {
    let ends = |name: &str, ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    union != name
        && UNIONS
            .iter()
            .any(|(unions, variants)| ends(union, unions) && ends(name, variants))
}

const EXAMPLES: &str = include_str!("../../../../schema/examples.json");

/// The text of a message.
pub(super) struct Sample {
    /// The name of its type.
    pub(super) name: String,
    /// The description in the table.
    pub(super) source: String,
    pub(super) text: String,
}

/// Returns the texts of all messages that a revision has, and of all results as responses.
pub(super) fn texts(revision: Revision) -> Result<Vec<Sample>> {
    let mut texts = Vec::new();
    let examples: json::Object = json::from_str(EXAMPLES)?;
    for (key, example) in &examples {
        let (from, name) = origin(key)?;
        let convert = |from| {
            let source = json::to_string(example).ok()?;
            let name = registry::convert_name(from, revision, name)?;
            let text = registry::convert_text(from, revision, registry_name(from, key)?, &source);
            Some((name, text.ok()?))
        };
        // Not every revision has the message, or can express its example.
        let Some((name, text)) = convert(from) else {
            continue;
        };
        let response = format!("{name}Response");
        if registry::find(revision, &response).is_some() {
            let text = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{text}}}"#);
            texts.push(Sample {
                source: response.clone(),
                name: response,
                text,
            });
        }
        texts.push(Sample {
            name: name.to_owned(),
            source: name.to_owned(),
            text,
        });
    }
    texts.extend(of_corpus(revision));
    texts.retain(|text| text.text.len() >= SMALLEST);
    Ok(texts)
}

/// Returns the revision and the name of the type of an example.
fn origin(key: &str) -> Result<(Revision, &str)> {
    Ok(match key.split_once('/') {
        Some((revision, name)) => (revision.parse().ok().context("not a revision")?, name),
        None => (Revision::LATEST, key),
    })
}

fn registry_name(revision: Revision, key: &str) -> Option<&'static str> {
    let name = key.rsplit('/').next()?;
    registry::find(revision, name).map(registry::Entry::name)
}

/// The messages of the other table.
fn of_corpus(revision: Revision) -> impl Iterator<Item = Sample> {
    let of_revision = move |message: &corpus::Message| message.revision == revision.as_str();
    corpus::messages()
        .into_iter()
        .filter(of_revision)
        .filter_map(move |message| {
            let name = match message.kind {
                Kind::CallRequest => "CallToolRequest",
                Kind::CallResult => "CallToolResult",
                Kind::ListResult => "ListToolsResult",
                Kind::ReadResult => "ReadResourceResult",
            };
            let response = format!("{name}Response");
            let (name, text) = if message.kind == Kind::CallRequest {
                (name.to_owned(), message.text)
            } else if registry::find(revision, &response).is_some() {
                (response, message.text)
            } else {
                let envelope: Value = json::from_str(&message.text).ok()?;
                (name.to_owned(), envelope.get("result")?.to_string())
            };
            Some(Sample {
                name,
                source: message.name.to_owned(),
                text,
            })
        })
}
