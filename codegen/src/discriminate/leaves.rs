//! [`Leaf`]: the object types in a union, also in the unions within it.

use crate::model::{Kind, Model, Object, Ty};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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

/// An object type in a union, with the members that it requires.
pub(super) struct Leaf {
    pub(super) variant: usize,
    pub(super) name: String,
    pub(super) required: BTreeSet<String>,
    pub(super) nested: BTreeSet<(String, String)>,
    pub(super) consts: BTreeMap<String, Vec<Value>>,
    pub(super) optional_consts: BTreeMap<String, Vec<Value>>,
}

/// Collects the kinds of values of a variant, and the object types in it.
pub(super) struct Collector<'a> {
    model: &'a Model,
    variant: usize,
    kinds: &'a mut Vec<JsonKind>,
    leaves: &'a mut Vec<Leaf>,
    /// The unions and aliases that were entered. Another path to one of them leads to the same types.
    entered: BTreeSet<&'a str>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(
        model: &'a Model,
        variant: usize,
        kinds: &'a mut Vec<JsonKind>,
        leaves: &'a mut Vec<Leaf>,
    ) -> Self {
        Self {
            model,
            variant,
            kinds,
            leaves,
            entered: BTreeSet::new(),
        }
    }

    fn leaf(&self, name: &str) -> Leaf {
        Leaf {
            variant: self.variant,
            name: name.to_owned(),
            required: BTreeSet::new(),
            nested: BTreeSet::new(),
            consts: BTreeMap::new(),
            optional_consts: BTreeMap::new(),
        }
    }

    pub(super) fn collect(&mut self, ty: &'a Ty) {
        if let Ty::Named(name) = ty
            && let Some(Kind::Alias(_)) = self.model.get(name).map(|def| &def.kind)
            && !self.entered.insert(name)
        {
            return;
        }
        match self.model.resolve(ty) {
            Ty::Any => {
                self.kinds.extend([
                    JsonKind::Null,
                    JsonKind::Bool,
                    JsonKind::Number,
                    JsonKind::String,
                    JsonKind::Array,
                ]);
                self.leaves.push(self.leaf("any value"));
            }
            Ty::AnyObject | Ty::EmptyObject | Ty::Map(_) => self.leaves.push(self.leaf("object")),
            Ty::Null => self.kinds.push(JsonKind::Null),
            Ty::Bool => self.kinds.push(JsonKind::Bool),
            Ty::Int(_) | Ty::Number(_) => self.kinds.push(JsonKind::Number),
            Ty::String(_) | Ty::Base64 => self.kinds.push(JsonKind::String),
            Ty::Array(..) => self.kinds.push(JsonKind::Array),
            Ty::Const(value) => self.kinds.push(match value {
                Value::Null => JsonKind::Null,
                Value::Bool(_) => JsonKind::Bool,
                Value::Number(_) => JsonKind::Number,
                Value::Array(_) => JsonKind::Array,
                _ => JsonKind::String,
            }),
            Ty::Nullable(inner) => {
                self.kinds.push(JsonKind::Null);
                self.collect(inner);
            }
            Ty::Named(name) => self.collect_named(name),
        }
    }

    fn collect_named(&mut self, name: &'a str) {
        match self.model.get(name).map(|def| &def.kind) {
            Some(Kind::Object(object)) => {
                let leaf = self.object_leaf(name, object);
                self.leaves.push(leaf);
            }
            Some(Kind::Union(union)) if self.entered.insert(name) => {
                for variant in &union.variants {
                    self.collect(&variant.ty);
                }
            }
            Some(Kind::Enum(_)) => self.kinds.push(JsonKind::String),
            // A native type that is not one of the object types is a string or a number.
            Some(Kind::Native(_)) => self.kinds.extend([JsonKind::Number, JsonKind::String]),
            _ => {}
        }
    }

    fn object_leaf(&self, name: &str, object: &Object) -> Leaf {
        let mut found = self.leaf(name);
        let members = object.members.iter();
        for member in members.filter(|member| member.features.is_empty()) {
            if member.required {
                found.required.insert(member.json.clone());
                for inner in required_inside(self.model, &member.ty) {
                    found.nested.insert((member.json.clone(), inner));
                }
            }
            let Some(values) = constants(self.model, &member.ty) else {
                continue;
            };
            let place = if member.required {
                &mut found.consts
            } else {
                &mut found.optional_consts
            };
            place.insert(member.json.clone(), values);
        }
        found
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
        Ty::Null => Some(vec![Value::Null]),
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
