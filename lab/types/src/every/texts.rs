//! The texts of all messages, made from the examples of the documentation.

use anyhow::{Context, Result};
use mcp_types::Revision;
use mcp_types::json::{self, Value};
use mcp_types::registry;

use super::SMALLEST;
use crate::corpus::{self, Kind};

/// The unions of envelopes, and those of a request's results, with the ends of the names of what
/// they consist of.
const UNIONS: [(&str, &[&str]); 3] = [
    ("Outcome", &["Result"]),
    ("JSONRPCMessage", &["Request", "Notification", "Response"]),
    ("JSONRPCResponse", &["Response"]),
];

/// The unions of one side's messages, as the schema of a revision lists them.
pub(super) struct Unions(Value);

impl Unions {
    /// Reads the schema of a revision.
    pub(super) fn of(revision: Revision) -> Result<Self> {
        let (_, schema) = SCHEMAS
            .iter()
            .find(|(known, _)| *known == revision)
            .with_context(|| format!("no schema of {revision}"))?;
        Ok(Self(json::from_str(schema)?))
    }

    /// Returns `true` if a type is a union of messages that another type belongs to. A union may
    /// accept other objects, too, because results may have any members.
    pub(super) fn contain(&self, union: &str, name: &str) -> bool {
        let is_known = UNIONS.iter().any(|(end, variants)| {
            union.ends_with(end) && variants.iter().any(|variant| name.ends_with(variant))
        });
        union != name && (is_known || self.list(union, name).unwrap_or(false))
    }

    /// Returns whether the schema lists a type in one of the unions of a side's messages.
    fn list(&self, union: &str, name: &str) -> Option<bool> {
        let message = union
            .strip_prefix("Client")
            .or_else(|| union.strip_prefix("Server"))?;
        if !["Request", "Notification", "Result"].contains(&message) {
            return Some(false);
        }
        let schema = &self.0;
        let definitions = schema.get("$defs").or_else(|| schema.get("definitions"))?;
        let variants = definitions.get(union)?.get("anyOf")?.as_array()?;
        let mut targets = variants.iter().filter_map(|it| it.get("$ref")?.as_str());
        Some(targets.any(|target| target.rsplit('/').next() == Some(name)))
    }
}

const SCHEMAS: [(Revision, &str); 5] = [
    (
        Revision::V2024_11_05,
        include_str!("../../../../schema/2024-11-05/schema.json"),
    ),
    (
        Revision::V2025_03_26,
        include_str!("../../../../schema/2025-03-26/schema.json"),
    ),
    (
        Revision::V2025_06_18,
        include_str!("../../../../schema/2025-06-18/schema.json"),
    ),
    (
        Revision::V2025_11_25,
        include_str!("../../../../schema/2025-11-25/schema.json"),
    ),
    (
        Revision::V2026_07_28,
        include_str!("../../../../schema/2026-07-28/schema.json"),
    ),
];

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
