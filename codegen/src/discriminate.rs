//! Plans how a decoder selects the variant of a union.

use crate::hints::VariantRules;
use crate::model::{Kind, Model, Ty, Union};
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
    /// By required members and constants. The candidates are tried in this order.
    Shape(Vec<Candidate>),
}

/// The conditions under which an object can be a variant.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The index of the variant.
    pub variant: usize,
    /// Members that must be present.
    pub required: BTreeSet<String>,
    /// Members that must be present in a nested object: the member of the object, then the member
    /// in it.
    pub nested: BTreeSet<(String, String)>,
    /// Members that must have one of the given values.
    pub consts: BTreeMap<String, Vec<Value>>,
}

/// An object type in a union, with the members that it requires.
struct Leaf {
    variant: usize,
    name: String,
    required: BTreeSet<String>,
    nested: BTreeSet<(String, String)>,
    consts: BTreeMap<String, Vec<Value>>,
    optional_consts: BTreeMap<String, Vec<Value>>,
}

/// Creates the plan for decoding a union.
#[must_use]
pub fn plan(model: &Model, name: &str, union: &Union, decide: Option<&VariantRules>) -> Plan {
    let mut scalars: BTreeMap<JsonKind, Vec<usize>> = BTreeMap::new();
    let mut leaves = Vec::new();
    let mut ambiguous = Vec::new();
    for (at, variant) in union.variants.iter().enumerate() {
        let mut kinds = Vec::new();
        collect(model, &variant.ty, at, &mut kinds, &mut leaves, 0);
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

fn collect(
    model: &Model,
    ty: &Ty,
    variant: usize,
    kinds: &mut Vec<JsonKind>,
    leaves: &mut Vec<Leaf>,
    depth: usize,
) {
    let leaf = |name: &str| Leaf {
        variant,
        name: name.to_owned(),
        required: BTreeSet::new(),
        nested: BTreeSet::new(),
        consts: BTreeMap::new(),
        optional_consts: BTreeMap::new(),
    };
    if depth > 16 {
        return;
    }
    match model.resolve(ty) {
        Ty::Any => {
            kinds.extend([
                JsonKind::Null,
                JsonKind::Bool,
                JsonKind::Number,
                JsonKind::String,
                JsonKind::Array,
            ]);
            leaves.push(leaf("any value"));
        }
        Ty::AnyObject | Ty::EmptyObject | Ty::Map(_) => leaves.push(leaf("object")),
        Ty::Null => kinds.push(JsonKind::Null),
        Ty::Bool => kinds.push(JsonKind::Bool),
        Ty::Int(_) | Ty::Number(_) => kinds.push(JsonKind::Number),
        Ty::String(_) | Ty::Base64 => kinds.push(JsonKind::String),
        Ty::Array(..) => kinds.push(JsonKind::Array),
        Ty::Const(value) => kinds.push(match value {
            Value::Null => JsonKind::Null,
            Value::Bool(_) => JsonKind::Bool,
            Value::Number(_) => JsonKind::Number,
            Value::Array(_) => JsonKind::Array,
            _ => JsonKind::String,
        }),
        Ty::Nullable(inner) => {
            kinds.push(JsonKind::Null);
            collect(model, inner, variant, kinds, leaves, depth + 1);
        }
        Ty::Named(name) => match model.get(name).map(|def| &def.kind) {
            Some(Kind::Object(object)) => {
                let mut found = leaf(name);
                for member in object
                    .members
                    .iter()
                    .filter(|member| member.features.is_empty())
                {
                    if member.required {
                        found.required.insert(member.json.clone());
                        for inner in required_inside(model, &member.ty) {
                            found.nested.insert((member.json.clone(), inner));
                        }
                    }
                    let Some(values) = constants(model, &member.ty) else {
                        continue;
                    };
                    let place = if member.required {
                        &mut found.consts
                    } else {
                        &mut found.optional_consts
                    };
                    place.insert(member.json.clone(), values);
                }
                leaves.push(found);
            }
            Some(Kind::Union(union)) => {
                for inner in &union.variants {
                    collect(model, &inner.ty, variant, kinds, leaves, depth + 1);
                }
            }
            Some(Kind::Enum(_)) => kinds.push(JsonKind::String),
            // A native type that is not one of the object types is a string or a number.
            Some(Kind::Native(_)) => kinds.extend([JsonKind::Number, JsonKind::String]),
            _ => {}
        },
    }
}

/// Returns the members that an object type requires.
fn required_inside(model: &Model, ty: &Ty) -> Vec<String> {
    let Ty::Named(name) = model.resolve(ty) else {
        return Vec::new();
    };
    match model.get(name).map(|def| &def.kind) {
        Some(Kind::Object(object)) => {
            let required = object.members.iter().filter(|member| member.required);
            required.map(|member| member.json.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the values that a type allows, if they can be listed.
fn constants(model: &Model, ty: &Ty) -> Option<Vec<Value>> {
    match model.resolve(ty) {
        Ty::Const(value) => Some(vec![value.clone()]),
        Ty::Named(name) => match model.get(name).map(|def| &def.kind) {
            Some(Kind::Enum(known)) if !known.open => Some(
                known
                    .values
                    .iter()
                    .map(|(value, _)| Value::String(value.clone()))
                    .collect(),
            ),
            _ => None,
        },
        _ => None,
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
    Objects::Shape(
        leaves
            .into_iter()
            .map(|leaf| Candidate {
                variant: leaf.variant,
                required: leaf
                    .required
                    .into_iter()
                    .filter(|m| !leaf.consts.contains_key(m))
                    .collect(),
                nested: leaf.nested,
                consts: leaf.consts,
            })
            .collect(),
    )
}

fn same_demands(a: &Leaf, b: &Leaf) -> bool {
    a.required == b.required && a.nested == b.nested && a.consts == b.consts
}
