//! Names of inline types.
//!
//! Several inline types may have the same name, as long as they are the same type. If they differ,
//! the definition or the form of most of them keeps the name. Each of the others gets the name that
//! follows from its position.

use super::inline_names::{Automatic, Position, Use};
use super::{BuildError, Builder};
use crate::model::{Kind, Note, StringEnum, Ty, type_ident, variant_ident};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The name that the generator chooses for an inline type, and the one that it gets.
#[derive(Clone)]
struct Names {
    chosen: String,
    name: String,
}

impl Builder<'_> {
    /// Returns the type of an inline schema. A type that needs a name becomes a definition.
    pub(super) fn inline(
        &mut self,
        default: &str,
        schema: &Value,
        pointer: &str,
    ) -> Result<Ty, BuildError> {
        let (name, position) = self.inline_name(default, pointer);
        let kind = self.kind(&name, schema, pointer)?;
        if let Kind::Alias(ty) = kind {
            return Ok(ty);
        }
        // An inline type has its own documentation, not that of the member that contains it.
        let mut bare = schema.clone();
        if !self.keeps_descriptions()
            && let Some(object) = bare.as_object_mut()
        {
            object.shift_remove("description");
        }
        Ok(self.named(name, position, &bare, kind))
    }

    /// Returns the type of an optional constant: an enumeration with one value.
    pub(super) fn single_value(
        &mut self,
        default: &str,
        schema: &Value,
        only: &str,
        pointer: &str,
    ) -> Ty {
        let (name, position) = self.inline_name(default, pointer);
        let docs = self.find_text(&name, &format!("={only}"), &[]);
        let kind = Kind::Enum(StringEnum {
            values: vec![(only.to_owned(), docs)],
            open: false,
        });
        self.named(name, position, schema, kind)
    }

    /// Returns the name of the inline type of a member: that of its owner and of the member, or only
    /// that of the member in the root of the file, unless a definition has it.
    pub(super) fn member_type_name(&self, owner: &str, json: &str) -> String {
        let member = variant_ident(json.rsplit('/').next().unwrap_or(json));
        let is_defined = || {
            let ident = type_ident(&member);
            let mut defined = self.source.definitions.keys();
            defined.any(|name| type_ident(name) == ident)
        };
        if self.source.root == Some(owner) && !is_defined() {
            return member;
        }
        format!("{owner}{member}")
    }

    fn inline_name(&self, default: &str, pointer: &str) -> (String, Position) {
        let same =
            |other: &&Use| other.position.pointer == pointer && other.position.default == default;
        let position = Position {
            pointer: pointer.to_owned(),
            default: default.to_owned(),
            before: self.uses.iter().filter(same).count(),
        };
        let name = match self.names.0.get(&position) {
            Some(automatic) => automatic.name.clone(),
            None => self.hints.inline_name(self.source.revision, default),
        };
        (name, position)
    }

    fn named(&mut self, name: String, position: Position, schema: &Value, kind: Kind) -> Ty {
        self.uses.push(Use {
            name: name.clone(),
            position,
            kind: kind.clone(),
        });
        let defined = self.source.definitions.contains_key(&name);
        if !defined && !self.index.contains_key(&name) {
            self.add(&name, schema, false, kind);
        }
        Ty::Named(name)
    }

    fn keeps_descriptions(&self) -> bool {
        let mut schemas = self.source.definitions.values();
        schemas.any(|schema| schema.get("description").is_some())
    }

    /// Chooses names for the inline types that differ from others of the same name. Returns `true`
    /// if there are any: then the model has to be built again.
    pub(super) fn name_clashes(&mut self) -> bool {
        // Names that differ in the schema may be the same in Rust.
        let mut groups: BTreeMap<String, Vec<&Use>> = BTreeMap::new();
        for one in &self.uses {
            groups.entry(type_ident(&one.name)).or_default().push(one);
        }
        let defined = self.source.definitions.keys();
        let defined: BTreeMap<String, &String> =
            defined.map(|name| (type_ident(name), name)).collect();
        let mut chosen: Vec<(&Use, Names)> = Vec::new();
        for (ident, uses) in groups {
            let Some((name, kept)) = self.kept_form(defined.get(&ident).copied(), &uses) else {
                continue;
            };
            for one in uses
                .iter()
                .filter(|it| it.name != *name || it.kind != *kept)
            {
                let same = |(other, _): &&(&Use, Names)| {
                    other.position.default == one.position.default && other.kind == one.kind
                };
                let names = match chosen.iter().find(same) {
                    Some((_, names)) => names.clone(),
                    None => self.free_names(&one.position.default, &chosen),
                };
                chosen.push((one, names));
            }
        }
        let chosen: Vec<(Position, Automatic)> = chosen
            .into_iter()
            .map(|(one, names)| {
                let automatic = Automatic {
                    name: names.name,
                    chosen: names.chosen,
                    hinted: self.names.hinted(&one.name).unwrap_or(&one.name).to_owned(),
                };
                (one.position.clone(), automatic)
            })
            .collect();
        let any = !chosen.is_empty();
        self.names.0.extend(chosen);
        any
    }

    /// Returns the name and the form that keep a name in Rust: those of the definition, or else of
    /// most inline types, or else of the revision before.
    fn kept_form<'a>(
        &'a self,
        defined: Option<&'a String>,
        uses: &[&'a Use],
    ) -> Option<(&'a String, &'a Kind)> {
        if let Some(name) = defined {
            let at = self.index.get(name)?;
            return Some((name, &self.types[*at].kind));
        }
        let rank = |(at, one): &(usize, &&Use)| {
            let count = uses.iter().filter(|other| other.kind == one.kind).count();
            let before = self.source.previous.and_then(|model| model.get(&one.name));
            let known = before.is_some_and(|def| def.kind == one.kind);
            (count, known, std::cmp::Reverse(*at))
        };
        let kept = uses.iter().enumerate().max_by_key(rank);
        kept.map(|(_, one)| (&one.name, &one.kind))
    }

    /// Returns a name that no other type has, and the one that the hints have for it.
    fn free_names(&self, default: &str, chosen: &[(&Use, Names)]) -> Names {
        let taken = |name: &String| {
            let ident = type_ident(name);
            let defined = self.source.definitions.keys();
            let others = chosen.iter().map(|(_, names)| &names.name);
            let automatic = self.names.0.values().map(|automatic| &automatic.name);
            let mut all = defined
                .chain(self.index.keys())
                .chain(others)
                .chain(automatic);
            all.any(|other| type_ident(other) == ident)
        };
        let numbered = (2..).map(|number| format!("{default}{number}"));
        let mut candidates = std::iter::once(default.to_owned()).chain(numbered);
        let free = candidates.find(|name| !taken(name));
        let chosen = free.unwrap_or_else(|| default.to_owned());
        let hinted = self.hints.inline_name(self.source.revision, &chosen);
        let name = if taken(&hinted) {
            chosen.clone()
        } else {
            hinted
        };
        Names { chosen, name }
    }

    /// Returns the names of the inline types without the hints, and those that they have.
    pub(super) fn inline_names(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for one in &self.uses {
            let automatic = self.names.0.get(&one.position);
            let keys = [Some(&one.position.default), automatic.map(|it| &it.chosen)];
            for key in keys.into_iter().flatten() {
                names
                    .entry(key.clone())
                    .or_default()
                    .insert(one.name.clone());
            }
        }
        names
    }

    /// Returns a note for each automatic name that is in use.
    pub(super) fn name_notes(&self) -> Vec<Note> {
        let named = |one: &Use| {
            let automatic = self.names.0.get(&one.position)?;
            Some(Note::Named {
                pointer: one.position.pointer.clone(),
                name: automatic.name.clone(),
                hinted: automatic.hinted.clone(),
            })
        };
        self.uses.iter().filter_map(named).collect()
    }
}
