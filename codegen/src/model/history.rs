//! The revisions that have each part of the schemas.

use super::{Family, Kind, Model, Ty};
use crate::hints::Hints;
use std::collections::BTreeMap;

/// The maximum number of revisions.
pub const MOST_REVISIONS: usize = 32;

/// The revisions that have each definition, member, value, variant and method of a family of
/// models.
///
/// A definition that was renamed is one part, with the newest of its names. Revisions in which only
/// proposals have a part do not count. The draft adds no parts: for each part of a revision, the
/// history only knows whether the draft has it.
#[derive(Debug)]
pub struct History {
    revisions: Vec<String>,
    /// For each model: the name of a type to the newest name of the same definition.
    newest_names: Vec<BTreeMap<String, String>>,
    parts: BTreeMap<String, Presence>,
    /// The proposals that have a part in a revision, by the name of the part and the index of the
    /// model.
    proposed: BTreeMap<(String, usize), Vec<String>>,
}

/// A set of revisions. Bit 0 stands for the oldest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence(u32);

impl Presence {
    /// Returns the set as bits. Bit 0 stands for the oldest revision.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Returns the set without the draft, which follows the revisions.
    fn published(self, revisions: usize) -> Self {
        Self(self.0 & all(revisions).0)
    }

    fn has(self, at: usize) -> bool {
        self.0 >> at & 1 == 1
    }

    /// Returns the index of the oldest revision in the set, and that of the revision after the
    /// newest.
    fn range(self) -> (u32, u32) {
        (self.0.trailing_zeros(), u32::BITS - self.0.leading_zeros())
    }
}

/// Returns the set of all of a number of revisions.
fn all(revisions: usize) -> Presence {
    Presence((0..revisions).fold(0, |bits, at| bits | 1 << at))
}

/// A part of a definition.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// The definition itself.
    Whole,
    /// A member of an object: its name in JSON.
    Member(&'a str),
    /// A value of an enumeration.
    Value(&'a str),
    /// The type of a variant of a union.
    Variant(&'a Ty),
}

impl Part<'_> {
    /// Returns the name of the part of the definition `owner`.
    fn name(self, owner: &str, type_name: &dyn Fn(&str) -> String) -> String {
        match self {
            Part::Whole => owner.to_owned(),
            Part::Member(json) => format!("{owner}.{json}"),
            Part::Value(text) => format!("{owner}={text}"),
            Part::Variant(ty) => format!("{owner}|{}", shape(ty, type_name)),
        }
    }
}

impl History {
    /// Finds the parts of all models.
    ///
    /// Revisions beyond [`MOST_REVISIONS`] are ignored.
    #[must_use]
    pub fn new(family: &Family, hints: &Hints) -> Self {
        let models = family.revisions();
        let models = &models[..models.len().min(MOST_REVISIONS)];
        let mut history = Self {
            revisions: models.iter().map(|model| model.revision.clone()).collect(),
            newest_names: newest_names(models, hints),
            parts: BTreeMap::new(),
            proposed: BTreeMap::new(),
        };
        for (at, model) in models.iter().enumerate() {
            history.add(at, model);
        }
        for (at, model) in models.iter().enumerate() {
            history.add_restated(at, model, hints);
        }
        if let Some(draft) = family.draft().filter(|at| *at < MOST_REVISIONS) {
            history.add_draft(draft, &family.models[draft], hints);
        }
        for (at, model) in models.iter().enumerate() {
            history.add_old_names(at, model);
        }
        history
    }

    /// Marks the parts of the newest revision that the draft has, too.
    fn add_draft(&mut self, at: usize, draft: &Model, hints: &Hints) {
        let newest = self.newest_names.last().into_iter().flatten();
        let before: BTreeMap<&str, &str> = newest
            .map(|(name, _)| (hints.new_name(&draft.revision, name), name.as_str()))
            .collect();
        let newest = |name: &str| before.get(name).copied().unwrap_or(name).to_owned();
        let names = parts_of(draft).into_iter();
        let names = names.filter(|(_, _, features)| features.is_empty());
        let names = names.map(|(owner, part, _)| part.name(&newest(owner), &newest));
        let methods = own_methods(draft).map(str::to_owned);
        let names: Vec<String> = names.chain(methods).collect();
        for name in names {
            if let Some(presence) = self.parts.get_mut(&name) {
                presence.0 |= 1 << at;
            }
        }
    }

    fn add(&mut self, at: usize, model: &Model) {
        let names = &self.newest_names[at];
        let newest = |name: &str| newest_name(names, name).to_owned();
        for (owner, part, features) in parts_of(model) {
            let name = part.name(&newest(owner), &newest);
            if features.is_empty() {
                self.parts.entry(name).or_default().0 |= 1 << at;
            } else {
                self.proposed.insert((name, at), features.to_vec());
            }
        }
        for method in own_methods(model) {
            self.parts.entry(method.to_owned()).or_default().0 |= 1 << at;
        }
    }

    /// Adds members that a revision adds to a definition to its older revisions, if a general
    /// definition had them there.
    fn add_restated(&mut self, at: usize, model: &Model, hints: &Hints) {
        let names = &self.newest_names[at];
        let newest = |name: &str| newest_name(names, name).to_owned();
        for (owner, part, features) in parts_of(model) {
            let Part::Member(json) = part else { continue };
            let restated = hints.is_restated(&model.revision, owner, json);
            if !restated || !features.is_empty() {
                continue;
            }
            let whole = self.parts.get(&newest(owner)).copied().unwrap_or_default();
            let member = self.parts.entry(part.name(&newest(owner), &newest));
            let member = member.or_default();
            let is_added = at.checked_sub(1).is_some_and(|before| !member.has(before));
            if is_added {
                member.0 |= whole.0 & ((1 << at) - 1);
            }
        }
    }

    /// Adds the names that parts had before they were renamed. A name that passed to another
    /// definition means that one.
    fn add_old_names(&mut self, at: usize, model: &Model) {
        let names = &self.newest_names[at];
        let newest = |name: &str| newest_name(names, name).to_owned();
        for (owner, part, _) in parts_of(model) {
            let old_name = part.name(owner, &str::to_owned);
            let name = part.name(&newest(owner), &newest);
            let reused = newest(owner) != owner
                && self
                    .newest_names
                    .iter()
                    .any(|names| names.values().any(|newest| newest == owner));
            if let Some(presence) = self.parts.get(&name).copied().filter(|_| !reused) {
                self.parts.entry(old_name).or_insert(presence);
            }
        }
    }

    /// Returns all parts by name, in ascending order. Renamed parts have each of their names,
    /// unless a newer revision uses an old name for something else.
    pub fn parts(&self) -> impl Iterator<Item = (&str, Presence)> {
        self.parts
            .iter()
            .map(|(name, presence)| (name.as_str(), *presence))
    }

    /// Returns a text about the revisions that have a part of a type, if others lack it. A part
    /// that appeared or disappeared together with its type is not mentioned.
    #[must_use]
    pub fn sentence(&self, at: usize, owner: &str, part: Part<'_>) -> Option<String> {
        let names = self.newest_names.get(at)?;
        let newest = |name: &str| newest_name(names, name).to_owned();
        let owner = newest(owner);
        let name = part.name(&owner, &newest);
        let presence = *self.parts.get(&name)?;
        let whole = match part {
            Part::Whole => all(self.revisions.len()),
            _ => *self.parts.get(&owner)?,
        };
        self.compare(&name, presence, whole)
    }

    /// Returns a text about the revisions that have a method, if others lack it.
    #[must_use]
    pub fn method_sentence(&self, method: &str) -> Option<String> {
        let presence = *self.parts.get(method)?;
        self.compare(method, presence, all(self.revisions.len()))
    }

    fn compare(&self, name: &str, presence: Presence, whole: Presence) -> Option<String> {
        let count = self.revisions.len();
        let (presence, whole) = (presence.published(count), whole.published(count));
        let ((since, until), (first, end)) = (presence.range(), whole.range());
        let missing = (since..until).filter(|at| {
            let at = *at as usize;
            whole.has(at) && !presence.has(at)
        });
        let missing: Vec<&str> = missing.map(|at| self.revision(at)).collect();
        let mut sentences = Vec::new();
        if since != first {
            sentences.push(format!("Since {}.", self.revision(since)));
        }
        if !missing.is_empty() {
            sentences.push(format!("Not in {}.", missing.join(" and ")));
        }
        if until != end {
            sentences.push(self.ending(name, until));
        }
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// Returns a sentence about the last revision with a part, given the index of the next
    /// revision.
    fn ending(&self, name: &str, until: u32) -> String {
        match self.proposed.get(&(name.to_owned(), until as usize)) {
            Some(features) => {
                let (features, revision) = (features.join("` or `"), self.revision(until));
                format!("Behind the feature `{features}` since {revision}.")
            }
            None => format!("Until {}.", self.revision(until.saturating_sub(1))),
        }
    }

    fn revision(&self, at: u32) -> &str {
        self.revisions.get(at as usize).map_or("", String::as_str)
    }
}

/// Returns for each model the newest name of each type.
fn newest_names(models: &[Model], hints: &Hints) -> Vec<BTreeMap<String, String>> {
    let mut newer: Option<(&Model, BTreeMap<String, String>)> = None;
    let mut found = Vec::new();
    for model in models.iter().rev() {
        let names: BTreeMap<String, String> = own_types(model)
            .map(|name| {
                let newest = newer.as_ref().and_then(|(model, names)| {
                    names.get(hints.new_name(&model.revision, name)).cloned()
                });
                (name.to_owned(), newest.unwrap_or_else(|| name.to_owned()))
            })
            .collect();
        found.push(names.clone());
        newer = Some((model, names));
    }
    found.reverse();
    found
}

fn newest_name<'a>(names: &'a BTreeMap<String, String>, name: &'a str) -> &'a str {
    names.get(name).map_or(name, String::as_str)
}

fn own_types(model: &Model) -> impl Iterator<Item = &str> {
    let own = model.types.iter().filter(|def| def.features.is_empty());
    own.map(|def| def.name.as_str())
}

/// Returns the methods of a schema itself, without those of proposals.
fn own_methods(model: &Model) -> impl Iterator<Item = &str> {
    let own = |name: &str| model.get(name).is_some_and(|def| def.features.is_empty());
    let messages = model.messages.iter();
    messages
        .filter(move |message| own(&message.name))
        .map(|message| message.method.as_str())
}

/// Returns the types of a model with their parts, and the proposals that add each of them.
fn parts_of(model: &Model) -> Vec<(&str, Part<'_>, &[String])> {
    let mut found = Vec::new();
    for def in &model.types {
        let owner = def.name.as_str();
        let mut push = |part, features| match def.features.as_slice() {
            [] => found.push((owner, part, features)),
            of_type => found.push((owner, part, of_type)),
        };
        push(Part::Whole, &[]);
        match &def.kind {
            Kind::Object(object) => {
                for member in &object.members {
                    push(Part::Member(&member.json), &member.features);
                }
            }
            Kind::Union(union) => {
                for variant in &union.variants {
                    push(Part::Variant(&variant.ty), &variant.features);
                }
            }
            Kind::Enum(known) => {
                for (value, _) in &known.values {
                    push(Part::Value(value), &[]);
                }
            }
            Kind::Alias(_) | Kind::Native(_) => {}
        }
    }
    found
}

/// Returns a type as it is written in names of variants.
fn shape(ty: &Ty, type_name: &dyn Fn(&str) -> String) -> String {
    match ty {
        Ty::Any => "any".into(),
        Ty::AnyObject | Ty::EmptyObject | Ty::Map(_) => "object".into(),
        Ty::Null => "null".into(),
        Ty::Bool => "boolean".into(),
        Ty::Int(_) => "integer".into(),
        Ty::Number(_) => "number".into(),
        Ty::String(_) | Ty::Base64 => "string".into(),
        Ty::Array(item, _) => format!("{}[]", shape(item, type_name)),
        Ty::Nullable(inner) => shape(inner, type_name),
        Ty::Const(value) => value.to_string(),
        Ty::Named(name) => type_name(name),
    }
}
