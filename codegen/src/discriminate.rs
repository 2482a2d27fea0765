//! Plans how a decoder selects the variant of a union.

mod leaves;

use crate::hints::{Hints, VariantRules};
use crate::model::{Kind, Model, Ty, Union};
use leaves::{Collector, Leaf};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How to decode a union: by the kind of the JSON value, and objects by a tag or by their shape.
#[derive(Debug)]
pub struct Plan {
    /// The variants for `null`, booleans, numbers, strings and arrays, by index, in the order in
    /// which they are tried.
    pub scalars: BTreeMap<JsonKind, Vec<usize>>,
    /// How the variant of an object is selected.
    pub objects: Objects,
    /// Messages about variants that cannot be distinguished.
    pub ambiguous: Vec<String>,
}

/// A kind of JSON value other than an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool,
    /// Numbers
    Number,
    /// Strings
    String,
    /// Arrays
    Array,
}

/// How the variant of an object is selected.
#[derive(Debug)]
pub enum Objects {
    /// There are no object variants.
    None,
    /// There is one object variant.
    Only(usize),
    /// By a member with a constant value.
    Tag {
        /// The name of the member.
        name: String,
        /// The constants of each variant, by index.
        arms: Vec<(Vec<String>, usize)>,
        /// The variant for objects without the member.
        absent: Option<usize>,
    },
    /// By required members and constants.
    Shape {
        /// Members that all candidates require. They do not tell one from another, and the decoder of each
        /// type checks them.
        shared: BTreeSet<String>,
        /// The candidates, in the order in which they are tried.
        candidates: Vec<Candidate>,
    },
}

/// The conditions under which an object can be a variant.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The index of the variant.
    pub variant: usize,
    /// If the variant is a union itself, and the same conditions select its variant: that variant, and
    /// so on, from the outermost to the innermost.
    pub inner: Vec<Inner>,
    /// Members that the type does not declare: one for each earlier candidate that requires such a
    /// member. An object without them does not fit those candidates.
    pub unless: BTreeSet<String>,
    /// Members that must be present, without those that all candidates require.
    pub required: BTreeSet<String>,
    /// Members that a hint requires in addition, and that the decoder of the type does not.
    pub when: BTreeSet<String>,
    /// Members that most likely tell this candidate, because no other one declares them. Types of proposals
    /// and later candidates with the same demands do not count as others. Optional members are listed only
    /// if no required one is. Empty if a hint requires more members.
    pub owned: BTreeSet<String>,
    /// Members that must be present in a nested object: the member of the object, then the member
    /// in it.
    pub nested: BTreeSet<(String, String)>,
    /// Members that must have one of the given values, without those that are the same for all candidates.
    pub consts: BTreeMap<String, Vec<Value>>,
}

/// A variant of a union within a union.
#[derive(Clone, Debug)]
pub struct Inner {
    /// The name of the inner union.
    pub union: String,
    /// The index of its variant.
    pub variant: usize,
}

/// Creates the plan for decoding a union.
#[must_use]
pub fn plan(model: &Model, hints: &Hints, name: &str, union: &Union) -> Plan {
    let decide = hints.rules_of(&model.revision, name);
    let mut scalars: BTreeMap<JsonKind, Vec<usize>> = BTreeMap::new();
    let mut leaves = Vec::new();
    let mut ambiguous = Vec::new();
    for (at, variant) in union.variants.iter().enumerate() {
        let mut kinds = Vec::new();
        Collector::new(model, hints, at, &mut kinds, &mut leaves).collect(&variant.ty, 0);
        for kind in kinds {
            let tried = scalars.entry(kind).or_default();
            if !tried.contains(&at) {
                tried.push(at);
            }
        }
    }
    for (kind, tried) in &mut scalars {
        let rank = |at: &usize| match &union.variants[*at].ty {
            Ty::Named(name) => decide.and_then(|d| d.order.iter().position(|other| other == name)),
            _ => None,
        };
        // An enumeration of known values is more specific than any string.
        let closed = |at: &usize| match model.resolve(&union.variants[*at].ty) {
            Ty::Named(name) => !matches!(
                model.get(name).map(|def| &def.kind),
                Some(Kind::Enum(known)) if !known.open
            ),
            Ty::Const(_) => false,
            _ => true,
        };
        if tried.len() > 1
            && tried.iter().filter(|at| closed(at)).count() > 1
            && !tried.iter().all(|at| rank(at).is_some())
        {
            ambiguous.push(format!("{name}: several variants are encoded as {kind:?}"));
        }
        tried.sort_by_key(|at| (rank(at).unwrap_or(usize::MAX), closed(at)));
    }
    let objects = tag(&leaves).unwrap_or_else(|| shape(name, leaves, decide, &mut ambiguous));
    Plan {
        scalars,
        objects,
        ambiguous,
    }
}

/// Finds a member whose constants differ in every variant.
fn tag(leaves: &[Leaf]) -> Option<Objects> {
    let first = leaves.first()?;
    if leaves.iter().all(|leaf| leaf.variant == first.variant) {
        return Some(Objects::Only(first.variant));
    }
    let names: BTreeSet<&String> = leaves
        .iter()
        .flat_map(|leaf| leaf.consts.keys().chain(leaf.optional_consts.keys()))
        .collect();
    names.into_iter().find_map(|name| {
        let mut arms: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let mut owner: BTreeMap<String, usize> = BTreeMap::new();
        let mut absent = None;
        for leaf in leaves {
            let values = if let Some(values) = leaf.consts.get(name) {
                values
            } else {
                if absent
                    .replace(leaf.variant)
                    .is_some_and(|other| other != leaf.variant)
                {
                    return None;
                }
                leaf.optional_consts.get(name)?
            };
            for value in values {
                let value = value.as_str()?.to_owned();
                if *owner.entry(value.clone()).or_insert(leaf.variant) != leaf.variant {
                    return None;
                }
                arms.entry(leaf.variant).or_default().insert(value);
            }
        }
        let arms = arms
            .into_iter()
            .map(|(at, values)| (values.into_iter().collect(), at))
            .collect();
        Some(Objects::Tag {
            name: name.clone(),
            arms,
            absent,
        })
    })
}

/// Returns the candidates, with the most required members first.
fn shape(
    name: &str,
    mut leaves: Vec<Leaf>,
    decide: Option<&VariantRules>,
    ambiguous: &mut Vec<String>,
) -> Objects {
    if leaves.is_empty() {
        return Objects::None;
    }
    let none = VariantRules::default();
    let decide = decide.unwrap_or(&none);
    for leaf in &mut leaves {
        leaf.required
            .extend(decide.when.get(&leaf.name).into_iter().flatten().cloned());
    }
    let rank = |leaf: &Leaf| decide.order.iter().position(|other| *other == leaf.name);
    for (at, a) in leaves.iter().enumerate() {
        for b in &leaves[at + 1..] {
            let ordered = rank(a).is_some() && rank(b).is_some();
            if a.variant != b.variant && same_demands(a, b) && !ordered {
                ambiguous.push(format!(
                    "{name}: {} and {} cannot be distinguished",
                    a.name, b.name
                ));
            }
        }
    }
    leaves.sort_by_key(|leaf| {
        let demands = leaf.required.len() + leaf.consts.len() + leaf.nested.len();
        (std::cmp::Reverse(demands), rank(leaf).unwrap_or(usize::MAX))
    });
    let unless: Vec<_> = (0..leaves.len()).map(|at| unless(&leaves[..=at])).collect();
    let mut candidates: Vec<_> = leaves
        .iter()
        .zip(unless)
        .enumerate()
        .map(|(at, (leaf, unless))| {
            let when = decide.when.get(&leaf.name);
            let when: BTreeSet<String> = when.into_iter().flatten().cloned().collect();
            let required = leaf
                .required
                .iter()
                .filter(|name| !leaf.consts.contains_key(*name) && !when.contains(*name));
            Candidate {
                variant: leaf.variant,
                inner: leaf.inner.clone(),
                unless,
                owned: if when.is_empty() {
                    owned(at, &leaves)
                } else {
                    BTreeSet::new()
                },
                required: required.cloned().collect(),
                when,
                nested: leaf.nested.clone(),
                consts: leaf.consts.clone(),
            }
        })
        .collect();
    let shared = take_shared(&mut candidates);
    Objects::Shape { shared, candidates }
}

/// Removes the members that all candidates require, and the constants that are the same for all. Returns
/// the names of these members.
fn take_shared(candidates: &mut [Candidate]) -> BTreeSet<String> {
    let Some(first) = candidates.first() else {
        return BTreeSet::new();
    };
    let requires = |candidate: &Candidate, name: &String| {
        candidate.required.contains(name) || candidate.consts.contains_key(name)
    };
    let demanded = first.required.iter().chain(first.consts.keys());
    let shared = demanded.filter(|name| candidates.iter().all(|other| requires(other, name)));
    let shared: BTreeSet<String> = shared.cloned().collect();
    for name in &shared {
        let constant = candidates[0].consts.get(name).cloned();
        let is_same = candidates
            .iter()
            .all(|candidate| candidate.consts.get(name) == constant.as_ref());
        for candidate in &mut *candidates {
            candidate.required.remove(name);
            if is_same {
                candidate.consts.remove(name);
            }
        }
    }
    shared
}

/// Returns members that the last type does not declare, one for each earlier type that requires such a
/// member.
fn unless(leaves: &[Leaf]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Some((last, earlier)) = leaves.split_last() else {
        return names;
    };
    let Some(declared) = &last.declared else {
        return names;
    };
    for leaf in earlier {
        let demanded = leaf.required.iter().chain(leaf.consts.keys());
        let mut undeclared = demanded.filter(|name| !declared.contains(*name));
        if !undeclared.clone().any(|name| names.contains(name)) {
            names.extend(undeclared.next().cloned());
        }
    }
    names
}

/// Returns the members that most likely tell a type, because no other type declares them. Optional members are
/// returned only if no required one is found.
///
/// An object that turns out to have another type is decoded twice. Two kinds of types do not count as others:
/// those of proposals, which are rare, unless this is one; and later ones with the same demands, because an
/// object that meets the demands is decoded as the first of these types.
fn owned(at: usize, leaves: &[Leaf]) -> BTreeSet<String> {
    let Some(leaf) = leaves.get(at) else {
        return BTreeSet::new();
    };
    let others = (0..).zip(leaves).filter(|(other_at, other)| {
        other.name != leaf.name
            && (leaf.is_proposed || !other.is_proposed)
            && !(*other_at > at && same_demands(leaf, other))
    });
    let others: Vec<&Leaf> = others.map(|(_, other)| other).collect();
    let is_owned = |name: &&String| {
        others.iter().all(|other| {
            let declared = other.declared.as_ref();
            declared.is_some_and(|declared| !declared.contains(*name))
        })
    };
    let is_constant = |name: &&String| {
        leaf.consts.contains_key(*name) || leaf.optional_consts.contains_key(*name)
    };
    let required = leaf.required.iter().filter(|name| !is_constant(name));
    let required: BTreeSet<String> = required.filter(is_owned).cloned().collect();
    if !required.is_empty() {
        return required;
    }
    let declared = leaf.declared.iter().flatten();
    let declared = declared.filter(|name| !is_constant(name));
    declared.filter(is_owned).cloned().collect()
}

fn same_demands(a: &Leaf, b: &Leaf) -> bool {
    a.required == b.required && a.nested == b.nested && a.consts == b.consts
}
