//! Hints: information that a schema does not contain, such as names for inline types, native types
//! and rules to select the variants of unions.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Data that controls the generator. Every table may be empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Hints {
    /// Definitions that are implemented by hand-written types: published name to the name of the
    /// type.
    pub native: BTreeMap<String, String>,
    /// Names for inline types, by the name that the generator would choose.
    pub inline: BTreeMap<String, String>,
    /// Names for inline types of one revision only. They take precedence over `inline`.
    pub inline_in: BTreeMap<String, BTreeMap<String, String>>,
    /// Names of union variants: `Union` to type name to variant name.
    pub variants: BTreeMap<String, BTreeMap<String, String>>,
    /// Rules to select between variants that look alike: `Union` to rules.
    pub decide: BTreeMap<String, VariantRules>,
    /// How messages and their parts are recognized.
    pub messages: Messages,
    /// Required members that a constructor sets: `Type.member` or `*.member` to a JSON value.
    pub defaults: BTreeMap<String, Value>,
    /// Values of required members for conversions to a newer revision: revision to `Type.member` to
    /// a JSON value.
    pub upgrades: BTreeMap<String, BTreeMap<String, Value>>,
    /// The same for conversions to an older revision.
    pub downgrades: BTreeMap<String, BTreeMap<String, Value>>,
    /// Members that a conversion to an older revision keeps in `extra` although the older
    /// definition does not declare them: `Type.member` or `*.member`.
    pub kept: Vec<String>,
    /// Pairs of definitions with different names that correspond to each other in two revisions and
    /// are converted through JSON.
    pub alike: Vec<(String, String)>,
    /// Renamed definitions: newer revision to old name to new name.
    pub renamed: BTreeMap<String, BTreeMap<String, String>>,
    /// The address of a definition's description, by revision. `{type}` is replaced by its name in
    /// lower case.
    pub sources: BTreeMap<String, String>,
    /// Lists that are also decoded from one string of words: `Type.member`.
    pub one_or_many: Vec<String>,
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

/// How messages are recognized.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Messages {
    /// The member whose constant is the method.
    pub tag: String,
    /// The member that contains the params.
    pub params: String,
    /// The name suffix of requests.
    pub request: String,
    /// The name suffix of notifications.
    pub notification: String,
    /// The name suffix of results.
    pub result: String,
    /// The name suffix of responses, whose member `result` has the result type of the request.
    pub response: String,
    /// Result definitions that do not follow from the name of the request: revision or `*` to
    /// request to result.
    pub results: BTreeMap<String, BTreeMap<String, String>>,
    /// Unions whose members are sent by clients.
    pub client: Vec<String>,
    /// Unions whose members are sent by servers.
    pub server: Vec<String>,
}

impl Default for Messages {
    fn default() -> Self {
        Self {
            tag: "method".into(),
            params: "params".into(),
            request: "Request".into(),
            notification: "Notification".into(),
            result: "Result".into(),
            response: "ResultResponse".into(),
            results: BTreeMap::new(),
            client: Vec::new(),
            server: Vec::new(),
        }
    }
}

impl Hints {
    /// Returns the name of an inline type.
    #[must_use]
    pub fn inline_name(&self, revision: &str, default: &str) -> String {
        self.inline_in
            .get(revision)
            .and_then(|names| names.get(default))
            .or_else(|| self.inline.get(default))
            .map_or_else(|| default.to_owned(), Clone::clone)
    }

    /// Returns the value that a constructor sets for a required member.
    #[must_use]
    pub fn default_of(&self, owner: &str, member: &str) -> Option<&Value> {
        lookup(&self.defaults, owner, member)
    }

    /// Returns the value that a conversion to a revision sets for a required member.
    #[must_use]
    pub fn conversion_value(
        &self,
        upward: bool,
        to: &str,
        owner: &str,
        member: &str,
    ) -> Option<&Value> {
        let table = if upward {
            &self.upgrades
        } else {
            &self.downgrades
        };
        table
            .get(to)
            .and_then(|values| lookup(values, owner, member))
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
        [owner, "*"]
            .iter()
            .any(|owner| self.kept.contains(&format!("{owner}.{member}")))
    }
}

/// Looks up a member. `Type.member` takes precedence over `*.member`.
fn lookup<'a>(table: &'a BTreeMap<String, Value>, owner: &str, member: &str) -> Option<&'a Value> {
    table
        .get(&format!("{owner}.{member}"))
        .or_else(|| table.get(&format!("*.{member}")))
}
