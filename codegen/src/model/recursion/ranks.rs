//! [`Ranks`]: how deep the smallest values of types are.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Kind, Model, Recursion, Ty, Union};

/// How many types the smallest value of a type has inside one another.
pub(super) struct Ranks(BTreeMap<String, usize>);

impl Ranks {
    pub(super) fn of(model: &Model) -> Self {
        let mut users: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, def) in model.types.iter().enumerate() {
            for name in parts(&def.kind).filter_map(named) {
                users.entry(name).or_default().push(at);
            }
        }
        let mut ranks = Self(BTreeMap::new());
        let mut next: BTreeSet<usize> = (0..model.types.len()).collect();
        while !next.is_empty() {
            // Ranks of one round do not depend on each other, so that the order of the types does
            // not matter.
            let found: Vec<(&str, usize)> = next
                .into_iter()
                .map(|at| &model.types[at])
                .filter(|def| !ranks.0.contains_key(&def.name))
                .filter_map(|def| Some((def.name.as_str(), ranks.of_kind(&def.kind)? + 1)))
                .collect();
            // Others get one only if a type that they refer to has one now.
            let names = found.iter().filter_map(|(name, _)| users.get(name));
            next = names.flatten().copied().collect();
            let found = found.into_iter();
            ranks
                .0
                .extend(found.map(|(name, rank)| (name.to_owned(), rank)));
        }
        ranks
    }

    pub(super) fn of_kind(&self, kind: &Kind) -> Option<usize> {
        match kind {
            Kind::Object(object) => {
                let required = object.members.iter().filter(|member| member.required);
                let ranks: Option<Vec<usize>> =
                    required.map(|member| self.of_type(&member.ty)).collect();
                Some(ranks?.into_iter().max().unwrap_or(0))
            }
            Kind::Union(union) => {
                let ranks = union
                    .variants
                    .iter()
                    .map(|variant| self.of_type(&variant.ty));
                ranks.flatten().min()
            }
            Kind::Alias(target) => self.of_type(target),
            Kind::Enum(_) | Kind::Native(_) => Some(0),
        }
    }

    pub(super) fn of_type(&self, ty: &Ty) -> Option<usize> {
        match ty {
            Ty::Named(name) => self.0.get(name).copied(),
            Ty::Array(item, bounds) => {
                let least = bounds.min.as_ref().and_then(serde_json::Number::as_f64);
                if least.is_some_and(|least| least > 0.0) {
                    self.of_type(item)
                } else {
                    Some(0)
                }
            }
            _ => Some(0),
        }
    }

    /// Returns the number of the first variant that cannot contain another value of the union, or
    /// else of the one with the smallest value. Variants that exist with any set of features are
    /// preferred.
    pub(super) fn simplest(&self, union: &Union) -> usize {
        let variants = union.variants.iter().enumerate();
        let best = variants.min_by_key(|(_, variant)| {
            let is_added = !variant.features.is_empty();
            match self.of_type(&variant.ty) {
                None => (2, is_added, 0),
                Some(_) if variant.recursion == Recursion::None => (0, is_added, 0),
                Some(rank) => (1, is_added, rank),
            }
        });
        best.map_or(0, |(at, _)| at)
    }
}

/// Returns the types on which the rank of a type depends.
fn parts(kind: &Kind) -> Box<dyn Iterator<Item = &Ty> + '_> {
    match kind {
        Kind::Object(object) => Box::new(object.members.iter().map(|member| &member.ty)),
        Kind::Union(union) => Box::new(union.variants.iter().map(|variant| &variant.ty)),
        Kind::Alias(target) => Box::new(std::iter::once(target)),
        Kind::Enum(_) | Kind::Native(_) => Box::new(std::iter::empty()),
    }
}

fn named(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Named(name) => Some(name),
        Ty::Array(item, _) => named(item),
        _ => None,
    }
}
