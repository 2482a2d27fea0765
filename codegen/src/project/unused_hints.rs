//! Entries of the hints that have no effect on any schema.

use crate::hints::{Fallback, Hints, category_matches};
use crate::model::{Kind, Model};
use crate::schema::pointer::escape;
use std::collections::BTreeSet;
use std::fmt;

use HintTarget::{
    Category, Constant, Definition, FreeName, Inline, Member, Revision, Type, TypeName, Union,
    Variant,
};

/// What an entry of the hints should name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintTarget {
    /// A definition.
    Definition,
    /// A definition, or an inline type by its own name.
    Type,
    /// A union.
    Union,
    /// A definition, or a variant without a name.
    Variant,
    /// A member: `Type.member` or `*.member`.
    Member,
    /// An inline type, by the name that the generator would choose.
    Inline,
    /// A category of the published documentation. A `*` at the end stands for any text.
    Category,
    /// A constant.
    Constant,
    /// A revision.
    Revision,
    /// The name of a Rust type.
    TypeName,
    /// A name that no type of another form has.
    FreeName,
}

impl fmt::Display for HintTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Definition => "a definition of the schema",
            Self::Type => "a type of the schema",
            Self::Union => "a union of the schema",
            Self::Variant => "a variant of the schema",
            Self::Member => "a member of the schema",
            Self::Inline => "an inline type of the schema",
            Self::Category => "a category of the schema",
            Self::Constant => "a constant of the schema",
            Self::Revision => "a revision of the schema",
            Self::TypeName => "the name of a Rust type",
            Self::FreeName => "a name that no type of another form has",
        })
    }
}

/// An entry of the hints that has no effect on any schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedHint {
    /// JSON pointer to the entry.
    pub pointer: String,
    /// What the entry should name.
    pub expected: HintTarget,
    /// What was found instead.
    pub name: String,
}

impl fmt::Display for UnusedHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the hint at `{}` has no effect: expected {}, found `{}`",
            self.pointer, self.expected, self.name
        )
    }
}

/// What the rules for variants call an object without a name, and any value.
const UNNAMED: [&str; 2] = ["object", "any value"];

/// Returns the entries that name something which no model has, or give a name that no type can have.
pub(super) fn unused_hints(hints: &Hints, models: &[Model]) -> Vec<UnusedHint> {
    let mut check = Check {
        names: models.iter().map(Names::of).collect(),
        found: Vec::new(),
    };
    check.types_and_members(hints);
    check.unions(hints);
    check.messages(hints);
    check.found
}

/// The names in a model.
struct Names<'a> {
    model: &'a Model,
    types: BTreeSet<&'a str>,
    unions: BTreeSet<&'a str>,
    /// `Type.member` and `*.member`.
    members: BTreeSet<String>,
}

impl<'a> Names<'a> {
    fn of(model: &'a Model) -> Self {
        let mut names = Self {
            model,
            types: BTreeSet::new(),
            unions: BTreeSet::new(),
            members: BTreeSet::new(),
        };
        for def in &model.types {
            names.types.insert(&def.name);
            match &def.kind {
                Kind::Object(object) => {
                    for member in &object.members {
                        names
                            .members
                            .insert(format!("{}.{}", def.name, member.json));
                        names.members.insert(format!("*.{}", member.json));
                    }
                }
                Kind::Union(_) => {
                    names.unions.insert(&def.name);
                }
                _ => {}
            }
        }
        names
    }

    fn has(&self, expected: HintTarget, name: &str) -> bool {
        match expected {
            Definition => self.model.get(name).is_some_and(|def| def.published),
            Type => self.types.contains(name),
            Variant => self.types.contains(name) || UNNAMED.contains(&name),
            Union => self.unions.contains(name),
            Member => self.members.contains(name),
            Inline => self.model.inline.contains_key(name),
            Category => {
                let mut known = self.model.categories.values();
                known.any(|category| category_matches(name, category))
            }
            Constant => self.model.constants.contains_key(name),
            Revision => self.model.revision == name,
            TypeName => syn::parse_str::<syn::Ident>(name).is_ok(),
            FreeName => !self.types.contains(name),
        }
    }
}

struct Check<'a> {
    names: Vec<Names<'a>>,
    found: Vec<UnusedHint>,
}

impl Check<'_> {
    fn entry(&mut self, (table, key): (&str, &str), name: &str, expected: HintTarget) {
        self.check_name(&format!("/{table}/{}", escape(key)), name, expected);
    }

    /// Adds the entry at a JSON pointer unless a model has what `name` stands for, with or without its
    /// revision.
    fn check_name(&mut self, pointer: &str, name: &str, expected: HintTarget) {
        let is_known = self.names.iter().any(|names| {
            let scoped = name.strip_prefix(&names.model.revision);
            let scoped = scoped.and_then(|name| name.strip_prefix('/'));
            names.has(expected, name) || scoped.is_some_and(|name| names.has(expected, name))
        });
        if !is_known {
            self.found.push(UnusedHint {
                pointer: pointer.to_owned(),
                expected,
                name: name.to_owned(),
            });
        }
    }

    /// Checks entries that are the names themselves.
    fn keys<'k>(
        &mut self,
        table: &str,
        keys: impl IntoIterator<Item = &'k String>,
        expected: HintTarget,
    ) {
        for key in keys {
            self.entry((table, key), key, expected);
        }
    }

    fn list<'k>(
        &mut self,
        list: &str,
        names: impl IntoIterator<Item = &'k String>,
        expected: HintTarget,
    ) {
        for (at, name) in names.into_iter().enumerate() {
            self.entry((list, &at.to_string()), name, expected);
        }
    }

    fn types_and_members(&mut self, hints: &Hints) {
        self.keys("native", hints.native.keys(), Definition);
        self.keys("inline", hints.inline.keys(), Inline);
        for (key, name) in &hints.inline {
            self.inline_name(key, name);
        }
        let values = [
            ("defaults", &hints.defaults),
            ("upgrades", &hints.upgrades),
            ("downgrades", &hints.downgrades),
        ];
        for (table, values) in values {
            self.keys(table, values.keys(), Member);
        }
        self.keys("restated", hints.restated.keys(), Member);
        self.list("versioned", &hints.versioned, Type);
        let lists = [
            ("kept", &hints.kept),
            ("oneOrMany", &hints.one_or_many),
            ("boxed", &hints.boxed),
        ];
        for (table, members) in lists {
            self.list(table, members, Member);
        }
        for (at, (a, b)) in hints.alike.iter().enumerate() {
            self.list(&format!("alike/{at}"), [a, b], Type);
        }
        for (key, new) in &hints.renamed {
            let old = key.split_once('/').map_or(key.as_str(), |(_, old)| old);
            self.entry(("renamed", key), old, Type);
            self.entry(("renamed", key), new, Type);
        }
        for (at, area) in hints.areas.list.iter().enumerate() {
            for (list, names) in [("types", &area.types), ("main", &area.main)] {
                let list = format!("areas/list/{at}/{list}");
                self.list(&list, names, Type);
            }
            let list = format!("areas/list/{at}/categories");
            self.list(&list, &area.categories, Category);
        }
        self.keys("sources", hints.sources.keys(), Revision);
        if !hints.version_constant.is_empty() {
            self.check_name("/versionConstant", &hints.version_constant, Constant);
        }
        for member in hints.crates.client.supplied.keys() {
            let place = ("crates/client/supplied", member.as_str());
            self.entry(place, &format!("*.{member}"), Member);
        }
    }

    /// Checks the name of an inline type, which another type may have.
    fn inline_name(&mut self, key: &str, name: &str) {
        let has_name = |names: &Names<'_>| {
            let scoped = key.strip_prefix(&names.model.revision);
            let scoped = scoped.and_then(|key| key.strip_prefix('/'));
            let inline = &names.model.inline;
            let found = inline.get(key).or_else(|| inline.get(scoped?));
            found.map(|names| names.contains(name))
        };
        let known: Vec<bool> = self.names.iter().filter_map(has_name).collect();
        if known.is_empty() {
            return;
        }
        let before = self.found.len();
        self.entry(("inline", key), name, TypeName);
        if self.found.len() == before && !known.contains(&true) {
            self.entry(("inline", key), name, FreeName);
        }
    }

    fn unions(&mut self, hints: &Hints) {
        self.keys("variants", hints.variants.keys(), Union);
        for (union, names) in &hints.variants {
            let table = format!("variants/{}", escape(union));
            self.keys(&table, names.keys(), Type);
        }
        self.keys("decide", hints.decide.keys(), Union);
        for (union, rules) in &hints.decide {
            let place = format!("decide/{}", escape(union));
            for (name, members) in &rules.when {
                for (at, member) in members.iter().enumerate() {
                    let list = format!("{place}/when/{}", escape(name));
                    let member = format!("{name}.{member}");
                    self.entry((&list, &at.to_string()), &member, Member);
                }
            }
            self.list(&format!("{place}/order"), &rules.order, Variant);
        }
        self.keys("fallbacks", hints.fallbacks.keys(), Union);
        for (union, fallback) in &hints.fallbacks {
            self.fallback(&format!("fallbacks/{}", escape(union)), fallback);
        }
    }

    fn fallback(&mut self, place: &str, fallback: &Fallback) {
        let variant = &fallback.variant;
        self.entry((place, "variant"), variant, Type);
        let texts = format!("{place}/texts");
        self.keys(&texts, fallback.texts.keys(), Type);
        let columns = format!("{place}/columns");
        self.keys(&columns, fallback.columns.keys(), Type);
        let member = |member: &String| format!("{variant}.{member}");
        if !fallback.member.is_empty() {
            self.entry((place, "member"), &member(&fallback.member), Member);
        }
        let kept: Vec<String> = fallback.kept.iter().map(member).collect();
        self.list(&format!("{place}/kept"), &kept, Member);
    }

    fn messages(&mut self, hints: &Hints) {
        let messages = &hints.messages;
        for (request, result) in &messages.results {
            let place = ("messages/results", request.as_str());
            self.entry(place, request, Type);
            self.entry(place, result, Type);
        }
        let lists = [
            ("fallback", &messages.fallback),
            ("client", &messages.client),
            ("server", &messages.server),
            ("capabilities", &messages.capabilities),
        ];
        for (list, names) in lists {
            self.list(&format!("messages/{list}"), names, Type);
        }
        self.keys("usage", hints.usage.keys(), Type);
        for (message, usage) in &hints.usage {
            let list = format!("usage/{}/errors", escape(message));
            self.list(&list, &usage.errors, Type);
        }
    }
}
