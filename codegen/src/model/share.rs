//! Finds the types of several revisions that can be one Rust type.

use crate::hints::Hints;

use super::{Kind, Message, MessageKind, Model, Ty};
use std::collections::{BTreeMap, BTreeSet};

/// The models of several revisions, oldest first, and the module of each type. The draft of the
/// next revision, if there is one, is the last.
#[derive(Debug)]
pub struct Family {
    /// The models, oldest first, then the draft.
    pub models: Vec<Model>,
    /// For each model: type name to the index of the model whose module defines the Rust type.
    homes: Vec<BTreeMap<String, usize>>,
}

impl Family {
    /// Returns the models of the revisions, oldest first, without the draft.
    #[must_use]
    pub fn revisions(&self) -> &[Model] {
        match self.models.split_last() {
            Some((last, before)) if last.is_draft() && !before.is_empty() => before,
            _ => &self.models,
        }
    }

    /// Returns the index of the newest revision.
    #[must_use]
    pub fn newest(&self) -> usize {
        self.revisions().len().saturating_sub(1)
    }

    /// Returns the index of the draft.
    #[must_use]
    pub fn draft(&self) -> Option<usize> {
        let at = self.newest() + 1;
        (at < self.models.len()).then_some(at)
    }

    /// Returns `true` if a type is the same in the next model.
    #[must_use]
    pub fn is_shared_upwards(&self, older: usize, name: &str) -> bool {
        let newer = self.models.get(older + 1);
        newer.is_some_and(|model| model.get(name).is_some())
            && self.home(older, name) == self.home(older + 1, name)
    }

    /// Returns the index of the model whose module defines a type: the newest revision that has the
    /// same type. The draft defines only types that no revision has.
    #[must_use]
    pub fn home(&self, model: usize, name: &str) -> usize {
        self.homes[model].get(name).copied().unwrap_or(model)
    }

    /// Returns the names of a definition in a model and in all newer and then all older ones, each
    /// with the index of the model.
    pub fn names_of<'a>(
        &'a self,
        model: usize,
        name: &'a str,
        hints: &'a Hints,
    ) -> impl Iterator<Item = (usize, &'a str)> {
        let mut newer = name;
        let upwards = (model..self.models.len()).map(move |level| {
            if level > model {
                newer = hints.new_name(&self.models[level].revision, newer);
            }
            (level, newer)
        });
        let revision = &self.models[model].revision;
        let older = hints.old_names(revision, name).into_iter();
        let names: Vec<&str> = std::iter::once(name).chain(older).collect();
        let downwards = (0..model).rev();
        upwards.chain(
            downwards
                .flat_map(move |level| names.clone().into_iter().map(move |name| (level, name))),
        )
    }

    /// Returns `true` if a type is defined in the module of the model.
    #[must_use]
    pub fn is_home(&self, model: usize, name: &str) -> bool {
        self.home(model, name) == model
    }
}

/// Finds the types that are identical in adjacent revisions, including everything that they refer
/// to.
///
/// Each type is defined in the newest revision of an unbroken sequence of revisions that have it.
/// The draft re-exports the types that it shares with the newest revision, so that no type of a
/// revision depends on the draft. A request is compared together with its result type, because a
/// Rust type can only be one request, with one result type.
#[must_use]
pub fn share(models: Vec<Model>) -> Family {
    let homes: Vec<BTreeMap<String, usize>> = vec![BTreeMap::new(); models.len()];
    let mut family = Family { models, homes };
    let newest = family.newest();
    for older in (0..newest).rev() {
        let newer = older + 1;
        for name in same(&family.models[older], &family.models[newer]) {
            let home = family.home(newer, &name);
            family.homes[older].insert(name, home);
        }
    }
    if let Some(draft) = family.draft() {
        for name in same(&family.models[draft], &family.models[newest]) {
            family.homes[draft].insert(name, newest);
        }
    }
    family
}

/// Returns the names that mean the same type in both models.
fn same(a: &Model, b: &Model) -> BTreeSet<String> {
    let mut same: BTreeSet<String> = a
        .types
        .iter()
        .filter(|def| {
            b.get(&def.name).is_some_and(|other| {
                other.features == def.features
                    && plain(a, &def.kind) == plain(b, &other.kind)
                    && has_additions_of(b, &other.kind, a, &def.kind)
            })
        })
        .filter(|def| message(a, &def.name) == message(b, &def.name))
        .map(|def| def.name.clone())
        .collect();
    loop {
        let broken: Vec<String> = same
            .iter()
            .filter(|name| needs(a, name).iter().any(|need| !same.contains(need)))
            .cloned()
            .collect();
        if broken.is_empty() {
            return same;
        }
        for name in broken {
            same.remove(&name);
        }
    }
}

/// Returns a kind without the additions of proposals, and with aliases of plain types replaced.
fn plain(model: &Model, kind: &Kind) -> Kind {
    let mut kind = kind.clone();
    match &mut kind {
        Kind::Object(object) => object.members.retain(|member| member.features.is_empty()),
        Kind::Union(union) => union.variants.retain(|variant| variant.features.is_empty()),
        _ => {}
    }
    whole(model, &kind)
}

/// Returns `true` if a newer kind has all additions of proposals that an older one has. An older
/// revision may lack additions: proposals apply from some revision on.
fn has_additions_of(newer: &Model, new: &Kind, older: &Model, old: &Kind) -> bool {
    match (whole(newer, new), whole(older, old)) {
        (Kind::Object(new), Kind::Object(old)) => {
            let mut added = old.members.iter().filter(|it| !it.features.is_empty());
            added.all(|member| {
                let mut others = new.members.iter();
                others.any(|other| other == member && other.features == member.features)
            })
        }
        (Kind::Union(new), Kind::Union(old)) => {
            let mut added = old.variants.iter().filter(|it| !it.features.is_empty());
            added.all(|variant| {
                let mut others = new.variants.iter();
                others.any(|other| other == variant && other.features == variant.features)
            })
        }
        _ => true,
    }
}

/// Returns a kind with aliases of plain types replaced.
fn whole(model: &Model, kind: &Kind) -> Kind {
    let mut kind = kind.clone();
    match &mut kind {
        Kind::Object(object) => {
            object
                .members
                .iter_mut()
                .for_each(|member| member.ty = written_out(model, &member.ty));
        }
        Kind::Union(union) => {
            union
                .variants
                .iter_mut()
                .for_each(|variant| variant.ty = written_out(model, &variant.ty));
        }
        Kind::Alias(ty) => *ty = written_out(model, ty),
        _ => {}
    }
    kind
}

fn written_out(model: &Model, ty: &Ty) -> Ty {
    match model.resolve(ty) {
        Ty::Array(item, bounds) => Ty::Array(Box::new(written_out(model, item)), bounds.clone()),
        Ty::Map(item) => Ty::Map(Box::new(written_out(model, item))),
        Ty::Nullable(inner) => Ty::Nullable(Box::new(written_out(model, inner))),
        other => other.clone(),
    }
}

fn message<'a>(model: &'a Model, name: &str) -> Option<&'a Message> {
    model.messages.iter().find(|message| message.name == name)
}

/// Returns the types that a type refers to, including the result of a request.
fn needs(model: &Model, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut note = |name: &str| {
        found.insert(name.to_owned());
    };
    match model.get(name).map(|def| whole(model, &def.kind)) {
        Some(Kind::Object(object)) => object.members.iter().for_each(|m| m.walk(&mut |n| note(n))),
        Some(Kind::Union(union)) => union
            .variants
            .iter()
            .for_each(|v| v.ty.walk(&mut |n| note(n))),
        Some(Kind::Alias(ty)) => ty.walk(&mut |n| note(n)),
        _ => {}
    }
    if let Some(Message {
        kind: MessageKind::Request(result),
        ..
    }) = message(model, name)
    {
        let result: &Ty = result;
        result.walk(&mut |n| note(n));
    }
    found
}
