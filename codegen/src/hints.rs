//! What a schema cannot say, as data: names for inline types, native types, how to decide unions.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Data beside a schema that steers the generator; every table may be empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Hints {
    /// Definitions that hand-written types stand for: published name to the type's name.
    pub native: BTreeMap<String, String>,
    /// Names for inline types, by the name that the generator would give.
    pub inline: BTreeMap<String, String>,
    /// Names for inline types of one revision only; they win over `inline`.
    pub inline_in: BTreeMap<String, BTreeMap<String, String>>,
    /// Names of union variants: `Union` to type name to variant name.
    pub variants: BTreeMap<String, BTreeMap<String, String>>,
    /// How to tell union members apart that look alike: `Union` to rules.
    pub decide: BTreeMap<String, Decide>,
    /// Which members name a message, and where its parts are.
    pub messages: Messages,
    /// Required members that a constructor fills in: `Type.member` or `*.member` to a JSON value.
    pub defaults: BTreeMap<String, Value>,
    /// Values for members that an upgrade has to invent: revision to `Type.member` to a JSON value.
    pub upgrades: BTreeMap<String, BTreeMap<String, Value>>,
    /// The same for a downgrade to a revision.
    pub downgrades: BTreeMap<String, BTreeMap<String, Value>>,
    /// Members that a downgrade keeps in `extra` although the older definition does not declare
    /// them: `Type.member` or `*.member`.
    pub kept: Vec<String>,
    /// Pairs of definitions of different names that stand in the same place in two revisions and
    /// are converted by way of JSON.
    pub alike: Vec<(String, String)>,
    /// Definitions that got another name: newer revision to old name to new name.
    pub renamed: BTreeMap<String, BTreeMap<String, String>>,
    /// Where a definition is described, by revision; `{type}` is its name in lower case.
    pub sources: BTreeMap<String, String>,
    /// Members whose one-string form is read as a list: `Type.member`.
    pub one_or_many: Vec<String>,
}

/// How to decide between members of a union.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Decide {
    /// Members that must be present for a variant to be chosen, beyond its required ones.
    pub when: BTreeMap<String, Vec<String>>,
    /// Variants that look alike are tried in this order, whatever is specific.
    pub order: Vec<String>,
    /// Why.
    pub reason: String,
}

/// How messages are recognised.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Messages {
    /// The member whose constant names the message.
    pub tag: String,
    /// The member that holds the parameters.
    pub params: String,
    /// Name endings of requests and of their results.
    pub request: String,
    /// Name ending of notifications.
    pub notification: String,
    /// Name ending of results.
    pub result: String,
    /// Name ending of responses, whose member `result` says what a request is answered with.
    pub response: String,
    /// Result definitions that do not follow from the request's name: revision or `*` to request
    /// to result.
    pub results: BTreeMap<String, BTreeMap<String, String>>,
    /// Unions whose members a client sends.
    pub client: Vec<String>,
    /// Unions whose members a server sends.
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
    /// The name of an inline type.
    #[must_use]
    pub fn inline_name(&self, revision: &str, default: &str) -> String {
        self.inline_in
            .get(revision)
            .and_then(|names| names.get(default))
            .or_else(|| self.inline.get(default))
            .map_or_else(|| default.to_owned(), Clone::clone)
    }

    /// The value with which a constructor fills a required member.
    #[must_use]
    pub fn default_of(&self, owner: &str, member: &str) -> Option<&Value> {
        lookup(&self.defaults, owner, member)
    }

    /// The value that a conversion to a revision invents for a required member.
    #[must_use]
    pub fn invented(&self, upward: bool, to: &str, owner: &str, member: &str) -> Option<&Value> {
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
    /// Whether two definitions are converted by way of JSON.
    #[must_use]
    pub fn are_alike(&self, a: &str, b: &str) -> bool {
        self.alike
            .iter()
            .any(|(x, y)| (x == a && y == b) || (x == b && y == a))
    }

    /// Whether a downgrade keeps a member that the older definition does not declare.
    #[must_use]
    pub fn keeps(&self, owner: &str, member: &str) -> bool {
        [owner, "*"]
            .iter()
            .any(|owner| self.kept.contains(&format!("{owner}.{member}")))
    }
}

/// `Type.member` wins over `*.member`.
fn lookup<'a>(table: &'a BTreeMap<String, Value>, owner: &str, member: &str) -> Option<&'a Value> {
    table
        .get(&format!("{owner}.{member}"))
        .or_else(|| table.get(&format!("*.{member}")))
}
