//! Tables of checks: the keywords of a schema as data, for what its type does not express.

mod ecma;
mod list;
mod pattern;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use heck::ToShoutySnakeCase;
use serde_json::Value;

use crate::schema::{Dialect, Document, Warning, WarningKind, pointer};
use pattern::Patterns;

/// The checks of the types of a model.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    /// The names of the tables of the types that have one, by the names of their definitions.
    pub names: BTreeMap<String, String>,
    /// The tables as source text.
    pub tables: String,
}

/// Makes the tables for some definitions of a document, and for those to which they refer. Also
/// returns what these do not check. Without `exact`, patterns are not checked, because the output may
/// not use the crate `regex`. With `null_as_absent`, an optional member may be `null`, as if it were
/// absent.
#[must_use]
pub fn checks(
    document: &Document,
    checked: &BTreeSet<String>,
    exact: bool,
    null_as_absent: bool,
) -> (Checks, Vec<Warning>) {
    let compile = |loose: &BTreeSet<String>| {
        let mut compiler = Compiler {
            document,
            names: BTreeMap::new(),
            taken: BTreeSet::new(),
            waiting: Vec::new(),
            patterns: Patterns::new(exact),
            null_as_absent,
            warnings: Vec::new(),
            loose,
            left_out: 0,
            users: BTreeMap::new(),
            current: String::new(),
        };
        let (checks, found) = compiler.tables(checked);
        (checks, compiler.warnings, found, compiler.users)
    };
    // Whether a definition is compared in full is known after its table was made.
    let (checks, warnings, mut new, users) = compile(&BTreeSet::new());
    if new.is_empty() {
        return (checks, warnings);
    }
    let mut loose: BTreeSet<String> = new.iter().cloned().collect();
    while let Some(name) = new.pop() {
        let users = users.get(&name).into_iter().flatten();
        new.extend(users.filter(|user| loose.insert((*user).clone())).cloned());
    }
    let (checks, warnings, ..) = compile(&loose);
    (checks, warnings)
}

struct Compiler<'a> {
    document: &'a Document,
    /// The names of the tables, by definition.
    names: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    /// Definitions whose tables were not made yet.
    waiting: Vec<String>,
    patterns: Patterns,
    /// Whether `null` is accepted for an optional member.
    null_as_absent: bool,
    warnings: Vec<Warning>,
    /// The definitions whose tables accept more than their schemas.
    loose: &'a BTreeSet<String>,
    /// How many restrictions were left out, or are left out where a reference leads.
    left_out: usize,
    /// The definitions that refer to each one.
    users: BTreeMap<String, BTreeSet<String>>,
    /// The definition whose table is made.
    current: String,
}

impl Compiler<'_> {
    /// Makes the tables. Also returns the definitions whose tables accept more than their schemas.
    fn tables(&mut self, checked: &BTreeSet<String>) -> (Checks, Vec<String>) {
        let mut tables = String::new();
        let mut loose = Vec::new();
        let names = checked.iter().map(|name| (name.clone(), self.name(name)));
        let names = names.collect();
        while let Some(name) = self.waiting.pop() {
            let table = self.name(&name);
            let schema = self.document.definitions.get(&name);
            let schema = schema.cloned().unwrap_or_default();
            let before = self.left_out;
            self.current.clone_from(&name);
            let list = self.list(&schema, &format!("/{}", pointer::escape(&name)));
            if self.left_out > before {
                loose.push(name);
            }
            tables.push_str(&format!(
                "\npub(super) static {table}: codec::Checks = {list};\n"
            ));
        }
        tables.push_str(&std::mem::take(&mut self.patterns).functions());
        (Checks { names, tables }, loose)
    }

    /// Makes a part of a table that must not accept more than its schema, because the rest follows
    /// from what it does not accept. Returns `None` if it does.
    fn exactly(
        &mut self,
        at: &str,
        keyword: &str,
        part: impl FnOnce(&mut Self) -> String,
    ) -> Option<String> {
        let before = self.left_out;
        let text = part(self);
        if self.left_out > before {
            self.unchecked(at, keyword);
            return None;
        }
        Some(text)
    }

    /// Returns the name of the table of a definition.
    fn name(&mut self, definition: &str) -> String {
        if let Some(name) = self.names.get(definition) {
            return name.clone();
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = definition
            .replace(|c| !plain(c), " ")
            .to_shouty_snake_case();
        let wanted = if words.starts_with(|c: char| c.is_ascii_alphabetic()) {
            words
        } else {
            format!("CHECKS_{words}")
        };
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut candidates = std::iter::once(wanted.clone()).chain(numbered);
        let free = candidates.find(|name| !self.taken.contains(name));
        let name = free.unwrap_or(wanted);
        self.taken.insert(name.clone());
        self.names.insert(definition.to_owned(), name.clone());
        self.waiting.push(definition.to_owned());
        name
    }

    /// Returns the expression for a value.
    fn literal(&self, value: &Value) -> String {
        values::literal(value, &self.document.numbers)
    }

    fn warn(&mut self, at: &str, kind: WarningKind) {
        let pointer = at.to_owned();
        self.warnings.push(Warning { pointer, kind });
    }

    fn unchecked(&mut self, at: &str, keyword: &str) {
        let keyword = keyword.to_owned();
        self.left_out += 1;
        self.warn(at, WarningKind::Unchecked { keyword });
    }

    fn is_draft07(&self) -> bool {
        self.document.dialect == Dialect::Draft07
    }
}

/// Returns the definitions whose types may accept more than their schemas although each keyword is
/// expressed: several alternatives of which exactly one may fit, and schemas for the same object that
/// tell different things about its members.
#[must_use]
pub fn combined(document: &Document) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, schema) in &document.definitions {
        crate::schema::walk(schema, "", &mut |_, members| {
            let list = |keyword: &str| members.get(keyword).and_then(Value::as_array);
            let is_exclusive = list("oneOf").is_none_or(|all| {
                let differ = |at: usize| {
                    let mut others = all[at + 1..].iter();
                    others.all(|other| values::differ(document, &all[at], other))
                };
                (0..all.len()).all(differ)
            });
            let is_plain = !members.contains_key("allOf")
                || values::is_plain_object(
                    document,
                    members,
                    &mut BTreeMap::new(),
                    &mut BTreeSet::new(),
                );
            // What stands beside alternatives is merged with each of them.
            let is_union = list("anyOf").or_else(|| list("oneOf")).is_some();
            let is_merged = is_union
                && [
                    "properties",
                    "additionalProperties",
                    "unevaluatedProperties",
                ]
                .iter()
                .any(|keyword| members.contains_key(*keyword));
            let of_others = members.get("type").is_some_and(|ty| {
                let mut all = list("anyOf").into_iter().chain(list("oneOf")).flatten();
                !all.all(|part| values::is_of(document, part, ty))
            });
            if !is_exclusive || !is_plain || is_merged || of_others {
                found.insert(name.clone());
            }
        });
    }
    found
}
