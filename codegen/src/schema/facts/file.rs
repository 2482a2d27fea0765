//! The file of facts: parsing and printing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Facts, FactsError, Variant};
use crate::schema::duplicate;

impl Facts {
    /// Parses a file of facts.
    ///
    /// # Errors
    ///
    /// Returns [`FactsError::Form`].
    pub fn parse(file: &str, text: &str) -> Result<Self, FactsError> {
        let raw: RawFacts = duplicate::parse(text).map_err(|source| FactsError::Form {
            file: file.to_owned(),
            source,
        })?;
        let unions = raw.unions.into_iter();
        Ok(Self {
            file: file.to_owned(),
            revision: raw.revision,
            constants: raw.constants,
            members: raw.members,
            values: raw.values,
            known_values: raw.known_values,
            open: raw.open,
            references: raw.references,
            unions: unions
                .map(|(at, variants)| (at, variants.into_iter().map(Into::into).collect()))
                .collect(),
            nullable: raw.nullable,
            deprecated: raw.deprecated,
            categories: raw.categories,
        })
    }

    /// Returns the facts as a file, sorted by kind and place, with one fact per line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = format!("{{\n  \"revision\": {}", json!(self.revision));
        let unions = self.unions.iter().map(|(at, variants)| {
            let variants: Vec<Value> = variants
                .iter()
                .map(|variant| match variant {
                    Variant::Name(name) => json!(name),
                    Variant::Published(index) => json!(index),
                })
                .collect();
            (at, json!(variants))
        });
        table(&mut text, "constants", self.constants.iter());
        table(&mut text, "members", self.members.iter());
        table(&mut text, "values", self.values.iter());
        table(&mut text, "known_values", self.known_values.iter());
        list(&mut text, "open", &self.open);
        table(&mut text, "references", self.references.iter());
        table(&mut text, "unions", unions);
        list(&mut text, "nullable", &self.nullable);
        list(&mut text, "deprecated", &self.deprecated);
        table(&mut text, "categories", self.categories.iter());
        text.push_str("\n}\n");
        text
    }
}

fn table<'a, V: Serialize>(
    text: &mut String,
    name: &str,
    entries: impl Iterator<Item = (&'a String, V)>,
) {
    let lines: Vec<String> = entries
        .map(|(key, value)| format!("    {}: {}", json!(key), json!(value)))
        .collect();
    if !lines.is_empty() {
        let _ = write!(
            text,
            ",\n  {}: {{\n{}\n  }}",
            json!(name),
            lines.join(",\n")
        );
    }
}

fn list(text: &mut String, name: &str, places: &BTreeSet<String>) {
    let lines: Vec<String> = places
        .iter()
        .map(|at| format!("    {}", json!(at)))
        .collect();
    if !lines.is_empty() {
        let _ = write!(text, ",\n  {}: [\n{}\n  ]", json!(name), lines.join(",\n"));
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFacts {
    revision: String,
    #[serde(default)]
    constants: Map<String, Value>,
    #[serde(default)]
    members: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    values: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    known_values: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    open: BTreeSet<String>,
    #[serde(default)]
    references: BTreeMap<String, BTreeSet<String>>,
    #[serde(default)]
    unions: BTreeMap<String, Vec<RawVariant>>,
    #[serde(default)]
    nullable: BTreeSet<String>,
    #[serde(default)]
    deprecated: BTreeSet<String>,
    #[serde(default)]
    categories: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawVariant {
    Name(String),
    Published(usize),
}

impl From<RawVariant> for Variant {
    fn from(raw: RawVariant) -> Self {
        match raw {
            RawVariant::Name(name) => Self::Name(name),
            RawVariant::Published(index) => Self::Published(index),
        }
    }
}
