//! Hints: information that a schema does not contain, such as names for inline types, native types
//! and rules to select the variants of unions.

mod areas;
mod crates;
mod messages;

pub(crate) use areas::category_matches;
pub use areas::{Area, Areas};
pub use crates::{Client, Crates};
pub use messages::Messages;

use crate::schema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Bound;

/// The text of a hint that stands for the revision at which a conversion started.
pub const ORIGIN: &str = "{from}";

/// Data that controls the generator. Every table may be empty.
///
/// A key of a table that starts with `<revision>/` applies to this revision only, and takes
/// precedence over the same key without it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Hints {
    /// Definitions that are implemented by hand-written types: published name to the name of the
    /// type.
    pub native: BTreeMap<String, String>,
    /// Names for inline types, by the name that the generator would choose.
    pub inline: BTreeMap<String, String>,
    /// Names of union variants: `Union` to type name to variant name.
    pub variants: BTreeMap<String, BTreeMap<String, String>>,
    /// Rules to select between variants that look alike: `Union` to rules.
    pub decide: BTreeMap<String, VariantRules>,
    /// How messages and their parts are recognized.
    pub messages: Messages,
    /// Required members that a constructor sets: `Type.member` or `*.member` to a JSON value.
    pub defaults: BTreeMap<String, Value>,
    /// Members whose form follows the revision: `Type.member`, `Type.*` or `*.member`. A required one
    /// is a parameter of the constructor, and its field is no `Option`. All others keep the form that
    /// they have in the revision before, if that has the definition.
    pub follow: Vec<String>,
    /// Values of required members for conversions to a newer revision: `Type.member` or `*.member`
    /// to a JSON value, or to `null` if a conversion without the member is an error. The revision
    /// of a key is the newer one. A text `{from}` ([`ORIGIN`]) stands for the revision at which the
    /// conversion started, which may be older than the one before.
    pub upgrades: BTreeMap<String, Value>,
    /// The same for conversions to an older revision. The revision of a key is the older one. The
    /// text `{from}` is an error.
    pub downgrades: BTreeMap<String, Value>,
    /// Replacements for variants that the other revision does not have, by union.
    pub fallbacks: BTreeMap<String, Fallback>,
    /// Definitions other than params and results that can be encoded and decoded at every revision.
    pub versioned: Vec<String>,
    /// Members that a conversion to an older revision keeps in `extra` although the older
    /// definition does not declare them: `Type.member` or `*.member`.
    pub kept: Vec<String>,
    /// Definitions of JSON Schemas that users write. A conversion never changes what such a schema
    /// says: it keeps every member, and fails if the other revision cannot represent one. An
    /// optional member that contains such a schema is then left out.
    pub schemas: Vec<String>,
    /// Pairs of definitions with different names that correspond to each other in two revisions and
    /// are converted through JSON.
    pub alike: Vec<(String, String)>,
    /// Renamed definitions: `<newer revision>/OldName` to the new name.
    pub renamed: BTreeMap<String, String>,
    /// Members that a revision writes out in definitions which had them before, because a more
    /// general definition has them: `<revision>/Type.member` or `<revision>/*.member` to `true`, or
    /// to `false` for an exception. They are not new in that revision.
    pub restated: BTreeMap<String, bool>,
    /// The address of a definition's description, by revision. `{type}` is replaced by its name in
    /// lower case. A revision without an address has that of the revision before, with its own
    /// name in it.
    pub sources: BTreeMap<String, String>,
    /// Lists that are also decoded from one string of words: `Type.member`.
    pub one_or_many: Vec<String>,
    /// `true` if `null` stands for an absent member: the decoder accepts it although the schema of an
    /// optional member does not, and the encoder leaves the member out. Otherwise it is an error.
    pub null_as_absent: bool,
    /// Optional members whose value is stored in a box, `Type.member`: large ones that few messages
    /// have, in types that stand in lists.
    pub boxed: Vec<String>,
    /// The constant with the name of a revision as it is written in messages. The draft has the
    /// name in it, unless that is the name of a revision.
    pub version_constant: String,
    /// The areas of the specification, each of which becomes a file.
    pub areas: Areas,
    /// How programs use each message, by its name.
    pub usage: BTreeMap<String, Usage>,
    /// The crates for which sources are generated.
    pub crates: Crates,
}

/// How programs use a message, for its documentation. The crates of the functions need not be
/// dependencies, so they are shown as code and not as links.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Usage {
    /// The function of a server that handles or sends the message.
    pub server: String,
    /// The function of a client that sends or handles the message.
    pub client: String,
    /// The definitions of the errors with which it is often answered.
    pub errors: Vec<String>,
}

/// Rules to select between the variants of a union.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct VariantRules {
    /// Members that must be present for a variant to be selected, in addition to its required ones.
    pub when: BTreeMap<String, Vec<String>>,
    /// The order in which variants that look alike are tried.
    pub order: Vec<String>,
    /// The reason for the rules.
    pub reason: String,
}

/// The replacement for variants that the other revision does not have: another variant, with the
/// values of the lost one, or with a text that describes it.
///
/// In a template, `{member}` is replaced by the text of that member. Characters before the name, as
/// in `{, member}`, are written only if the member is present.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Fallback {
    /// The type of the other variant.
    pub variant: String,
    /// Its member for the text.
    pub member: String,
    /// The template of the text, by the type of the lost variant.
    pub texts: BTreeMap<String, String>,
    /// The template for all other types. If it is absent, their conversion is an error.
    pub otherwise: Option<String>,
    /// Members that both variants have and that are kept.
    pub kept: Vec<String>,
    /// Variants that lose nothing in the other one, by their type: a list of objects there is
    /// several lists of values here. This takes precedence over a text.
    pub columns: BTreeMap<String, Columns>,
}

/// A member that is a list of objects, and the members of another type that have the values of
/// these objects as lists.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Columns {
    /// The member with the list.
    pub list: String,
    /// The members of the objects, by the member that has the list of their values.
    pub members: BTreeMap<String, String>,
}

/// A file of hints is not valid: it is not JSON, has a member twice, or has an entry that is unknown
/// or of another type.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {source}")]
pub struct HintsError {
    /// The file.
    pub file: String,
    /// What is wrong, with the position.
    pub source: serde_json::Error,
}

impl Hints {
    /// Parses a file of hints. `file` is its name, for messages.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not JSON, has a member twice, or has an entry that is unknown
    /// or of another type.
    pub fn parse(file: &str, text: &str) -> Result<Self, HintsError> {
        schema::parse(text).map_err(|source| HintsError {
            file: file.to_owned(),
            source,
        })
    }

    /// Returns the name of an inline type.
    #[must_use]
    pub fn inline_name(&self, revision: &str, default: &str) -> String {
        scoped(&self.inline, revision, default).map_or_else(|| default.to_owned(), Clone::clone)
    }

    /// Returns the hand-written type that implements a definition.
    #[must_use]
    pub fn native_type(&self, revision: &str, name: &str) -> Option<&String> {
        scoped(&self.native, revision, name)
    }

    /// Returns the name of a union's variant.
    #[must_use]
    pub fn variant_name(&self, revision: &str, union: &str, member: &str) -> Option<&String> {
        let own = self.variants.get(&format!("{revision}/{union}"));
        own.and_then(|names| names.get(member))
            .or_else(|| self.variants.get(union)?.get(member))
    }

    /// Returns the rules to select between the variants of a union.
    #[must_use]
    pub fn rules_of(&self, revision: &str, union: &str) -> Option<&VariantRules> {
        scoped(&self.decide, revision, union)
    }

    /// Returns the value that a constructor sets for a required member.
    #[must_use]
    pub fn default_of(&self, revision: &str, owner: &str, member: &str) -> Option<&Value> {
        lookup(&self.defaults, revision, owner, member)
    }

    /// Returns `true` if the form of a member follows the revision, and not the one before. Members
    /// with a default do, because a constructor sets them.
    #[must_use]
    pub fn follows_revision(&self, revision: &str, owner: &str, member: &str) -> bool {
        let keys = [
            format!("{owner}.{member}"),
            format!("{owner}.*"),
            format!("*.{member}"),
        ];
        let listed = |key: &String| {
            let scoped = format!("{revision}/{key}");
            let mut listed = self.follow.iter();
            listed.any(|follow| *follow == *key || *follow == scoped)
        };
        self.default_of(revision, owner, member).is_some() || keys.iter().any(listed)
    }

    /// Returns the value that a conversion to a revision sets for a required member, where `null`
    /// stands for an error, and [`ORIGIN`] for the revision at which the conversion started.
    /// Returns `None` if the hints do not mention the member.
    #[must_use]
    pub fn conversion_value(
        &self,
        to: &str,
        upward: bool,
        owner: &str,
        member: &str,
    ) -> Option<&Value> {
        let table = if upward {
            &self.upgrades
        } else {
            &self.downgrades
        };
        lookup(table, to, owner, member)
    }

    /// Returns `true` if a member that a revision adds to a definition was in it before, in the
    /// older revisions that have the definition.
    #[must_use]
    pub fn is_restated(&self, revision: &str, owner: &str, member: &str) -> bool {
        lookup(&self.restated, revision, owner, member)
            .copied()
            .unwrap_or_default()
    }

    /// Returns the name of an older definition in a newer revision.
    #[must_use]
    pub fn new_name<'a>(&'a self, newer: &str, old: &'a str) -> &'a str {
        scoped(&self.renamed, newer, old).map_or(old, String::as_str)
    }

    /// Returns the names that a definition had before it was renamed, newest first.
    #[must_use]
    pub fn old_names(&self, revision: &str, name: &str) -> Vec<&str> {
        let renamed = self.renamed.iter().rev().filter_map(|(key, new)| {
            let (since, old) = key.split_once('/')?;
            (new == name && since <= revision).then_some(old)
        });
        renamed.collect()
    }

    /// Returns `true` if a list is also decoded from one string of words.
    #[must_use]
    pub fn is_one_or_many(&self, revision: &str, owner: &str, member: &str) -> bool {
        let key = format!("{owner}.{member}");
        self.one_or_many.contains(&key) || self.one_or_many.contains(&format!("{revision}/{key}"))
    }

    /// Returns `true` if an optional member is stored in a box.
    #[must_use]
    pub fn is_boxed(&self, owner: &str, member: &str) -> bool {
        self.boxed.contains(&format!("{owner}.{member}"))
    }

    /// Returns the address of a definition's description. A revision without an address in the
    /// hints has that of the newest revision before it, with its own name in it.
    #[must_use]
    pub fn source(&self, revision: &str, name: &str) -> Option<String> {
        let (known, address) = self
            .sources
            .range::<str, _>((Bound::Unbounded, Bound::Included(revision)))
            .next_back()?;
        let address = address.replace(known.as_str(), revision);
        Some(address.replace("{type}", &name.to_lowercase()))
    }
}

impl Hints {
    /// Returns `true` if two definitions are converted through JSON.
    #[must_use]
    pub fn are_alike(&self, a: &str, b: &str) -> bool {
        self.alike
            .iter()
            .any(|(x, y)| (x == a && y == b) || (x == b && y == a))
    }

    /// Returns `true` if a conversion to an older revision keeps a member that the older definition
    /// does not declare.
    #[must_use]
    pub fn keeps(&self, owner: &str, member: &str) -> bool {
        self.is_schema(owner)
            || [owner, "*"]
                .iter()
                .any(|owner| self.kept.contains(&format!("{owner}.{member}")))
    }

    /// Returns `true` if the values of a definition are JSON Schemas that users write.
    #[must_use]
    pub fn is_schema(&self, name: &str) -> bool {
        self.schemas.iter().any(|schema| schema == name)
    }
}

/// Looks up a key. `<revision>/key` takes precedence over `key`.
pub(crate) fn scoped<'a, T>(
    table: &'a BTreeMap<String, T>,
    revision: &str,
    key: &str,
) -> Option<&'a T> {
    table
        .get(&format!("{revision}/{key}"))
        .or_else(|| table.get(key))
}

/// Looks up a member. `Type.member` takes precedence over `*.member`.
fn lookup<'a, T>(
    table: &'a BTreeMap<String, T>,
    revision: &str,
    owner: &str,
    member: &str,
) -> Option<&'a T> {
    scoped(table, revision, &format!("{owner}.{member}"))
        .or_else(|| scoped(table, revision, &format!("*.{member}")))
}

/// Returns the value that a conversion sets if it starts at the revision `from`.
#[must_use]
pub fn with_origin(value: &Value, from: &str) -> Value {
    let mut value = value.clone();
    replace_text(&mut value, ORIGIN, from);
    value
}

/// Replaces each text of a JSON value that is equal to `placeholder`.
fn replace_text(value: &mut Value, placeholder: &str, text: &str) {
    match value {
        Value::String(found) if found == placeholder => text.clone_into(found),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| replace_text(item, placeholder, text)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| replace_text(member, placeholder, text)),
        _ => {}
    }
}
