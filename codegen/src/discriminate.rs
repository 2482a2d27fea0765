//! Plans how a decoder selects the variant of a union.

mod leaves;

pub use leaves::JsonKind;

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
    /// By required members and constants, as the first candidate that an object fits.
    Shape(Vec<Candidate>),
}

/// The conditions under which an object can be a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The index of the variant.
    pub variant: usize,
    /// Members that must be present, without those that all candidates require.
    pub required: BTreeSet<String>,
    /// Members that must be present in a nested object: the member of the object, then the member
    /// in it.
    pub nested: BTreeSet<(String, String)>,
    /// Members that must have one of the given values, without those that are the same for all
    /// candidates.
    pub consts: BTreeMap<String, Vec<Value>>,
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
        Collector::new(model, at, &mut kinds, &mut leaves).collect(&variant.ty);
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
    let candidates = leaves.into_iter().map(|mut leaf| {
        leaf.required.retain(|name| !leaf.consts.contains_key(name));
        Candidate {
            variant: leaf.variant,
            required: leaf.required,
            nested: leaf.nested,
            consts: leaf.consts,
        }
    });
    Objects::Shape(without_shared(candidates.collect()))
}

/// Removes the members that all candidates require, and the constants that are the same for all.
/// They do not tell one from another, and the decoder of each type checks them. Candidates of one
/// variant that become equal are tried once.
fn without_shared(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let Some(first) = candidates.first().cloned() else {
        return candidates;
    };
    let requires = |candidate: &Candidate, name: &String| {
        candidate.required.contains(name) || candidate.consts.contains_key(name)
    };
    let demanded = first.required.iter().chain(first.consts.keys());
    let shared = demanded.filter(|name| candidates.iter().all(|other| requires(other, name)));
    let shared: Vec<String> = shared.cloned().collect();
    for name in &shared {
        let constant = first.consts.get(name);
        let is_same = candidates
            .iter()
            .all(|candidate| candidate.consts.get(name) == constant);
        for candidate in &mut candidates {
            candidate.required.remove(name);
            if is_same {
                candidate.consts.remove(name);
            }
        }
    }
    let mut distinct: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if !distinct.contains(&candidate) {
            distinct.push(candidate);
        }
    }
    distinct
}

fn same_demands(a: &Leaf, b: &Leaf) -> bool {
    a.required == b.required && a.nested == b.nested && a.consts == b.consts
}
