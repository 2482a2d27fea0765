//! Tables of checks: the keywords of a schema as data, for what its type does not express.

mod list;
mod pattern;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use heck::ToShoutySnakeCase;
use serde_json::Value;

use crate::model::type_ident;
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
/// returns what these do not check. Without `regex`, patterns are not checked.
#[must_use]
pub fn checks(document: &Document, checked: &BTreeSet<String>, regex: bool) -> (Checks, Vec<Warning>) {
    let mut compiler = Compiler {
        document,
        names: BTreeMap::new(),
        taken: BTreeSet::new(),
        waiting: Vec::new(),
        patterns: Patterns::new(regex),
        warnings: Vec::new(),
    };
    let mut tables = String::new();
    let names = checked.iter().map(|name| {
        let table = compiler.name(name);
        (name.clone(), table)
    });
    let names = names.collect();
    while let Some(name) = compiler.waiting.pop() {
        let table = compiler.name(&name);
        let schema = document.definitions.get(&name).cloned().unwrap_or_default();
        let list = compiler.list(&schema, &format!("/{}", pointer::escape(&name)));
        tables.push_str(&format!("\npub(super) static {table}: codec::Checks = {list};\n"));
    }
    tables.push_str(&compiler.patterns.functions());
    (Checks { names, tables }, compiler.warnings)
}

struct Compiler<'a> {
    document: &'a Document,
    /// The names of the tables, by definition.
    names: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    /// Definitions whose tables were not made yet.
    waiting: Vec<String>,
    patterns: Patterns,
    warnings: Vec<Warning>,
}

impl Compiler<'_> {
    /// Returns the name of the table of a definition.
    fn name(&mut self, definition: &str) -> String {
        if let Some(name) = self.names.get(definition) {
            return name.clone();
        }
        let wanted = type_ident(definition).to_shouty_snake_case();
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut candidates = std::iter::once(wanted.clone()).chain(numbered);
        let free = candidates.find(|name| !self.taken.contains(name));
        let name = free.unwrap_or(wanted);
        self.taken.insert(name.clone());
        self.names.insert(definition.to_owned(), name.clone());
        self.waiting.push(definition.to_owned());
        name
    }

    fn warn(&mut self, at: &str, kind: WarningKind) {
        let pointer = at.to_owned();
        self.warnings.push(Warning { pointer, kind });
    }

    fn unchecked(&mut self, at: &str, keyword: &str) {
        let keyword = keyword.to_owned();
        self.warn(at, WarningKind::Unchecked { keyword });
    }

    fn is_draft07(&self) -> bool {
        self.document.dialect == Dialect::Draft07
    }
}

/// Returns the definitions with alternatives of which exactly one may fit, unless types tell that:
/// if no value fits two of them.
#[must_use]
pub fn exclusive(document: &Document) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, schema) in &document.definitions {
        crate::schema::walk(schema, "", &mut |_, members| {
            let Some(Value::Array(all)) = members.get("oneOf") else {
                return;
            };
            let differ = |at: usize| {
                let mut others = all[at + 1..].iter();
                others.all(|other| values::differ(document, &all[at], other))
            };
            if !(0..all.len()).all(differ) {
                found.insert(name.clone());
            }
        });
    }
    found
}
