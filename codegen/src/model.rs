//! What the generator knows of a schema: named types, their members, and messages.

mod build;
mod messages;
mod names;
mod share;

pub use build::{BuildError, build};
pub use messages::{Message, MessageKind, Sender};
pub use names::{field_ident, type_ident, variant_ident, words as split_words};
pub use share::{Family, share};

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// All types and messages of one schema.
#[derive(Debug)]
pub struct Model {
    /// The revision, or a name for a schema that has none.
    pub revision: String,
    /// Types in the order of their definitions, each inline type behind its owner.
    pub types: Vec<TypeDef>,
    /// The method table.
    pub messages: Vec<Message>,
    /// Constants.
    pub constants: Map<String, Value>,
    pub(crate) index: BTreeMap<String, usize>,
}

impl Model {
    /// The type of a published name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TypeDef> {
        self.index.get(name).map(|at| &self.types[*at])
    }

    /// Follows aliases until something else is found.
    #[must_use]
    pub fn resolve<'a>(&'a self, ty: &'a Ty) -> &'a Ty {
        let mut ty = ty;
        // A chain of aliases is shorter than the list of types; a longer one is a cycle.
        for _ in 0..=self.types.len() {
            match ty {
                Ty::Named(name) => match self.get(name).map(|def| &def.kind) {
                    Some(Kind::Alias(target)) => ty = target,
                    _ => return ty,
                },
                _ => return ty,
            }
        }
        ty
    }
}

/// A named type.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// Name in the schema, or the name given to an inline type.
    pub name: String,
    /// Whether the schema defines it by this name.
    pub published: bool,
    /// Documentation.
    pub docs: String,
    /// Whether the schema calls it deprecated.
    pub deprecated: bool,
    /// Proposals that add it; empty for what the schema itself has.
    pub features: Vec<String>,
    /// What it is.
    pub kind: Kind,
}

/// What a named type is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An object with members.
    Object(Object),
    /// One of several types.
    Union(Union),
    /// A string of known values.
    Enum(StringEnum),
    /// Another name for a type.
    Alias(Ty),
    /// A hand-written type stands for it.
    Native(String),
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Declared members, in the order of the schema.
    pub members: Vec<Member>,
    /// Whether further members are allowed.
    pub open: bool,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Name in JSON.
    pub json: String,
    /// Name of the field.
    pub ident: String,
    /// Type of the value.
    pub ty: Ty,
    /// Whether it must be there.
    pub required: bool,
    /// Whether one value outside a list is read as a list of one.
    pub one_or_many: bool,
    /// Documentation.
    pub docs: String,
    /// Whether the schema calls it deprecated.
    pub deprecated: bool,
    /// Proposals that add it.
    pub features: Vec<String>,
}

impl PartialEq for Member {
    /// Documentation is no part of the structure.
    fn eq(&self, other: &Self) -> bool {
        (&self.json, &self.ty, self.required) == (&other.json, &other.ty, other.required)
    }
}

impl Member {
    /// The constant of a required member that has one: it is written and checked, not stored.
    #[must_use]
    pub fn constant(&self) -> Option<&Value> {
        match &self.ty {
            Ty::Const(value) if self.required => Some(value),
            _ => None,
        }
    }
}

/// A union.
#[derive(Clone, Debug, PartialEq)]
pub struct Union {
    /// Its variants, in the order of the schema.
    pub variants: Vec<Variant>,
}

/// A variant of a union.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Name of the variant.
    pub ident: String,
    /// What it holds.
    pub ty: Ty,
    /// Proposals that add it.
    pub features: Vec<String>,
}

impl PartialEq for Variant {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty
    }
}

/// A string enumeration.
#[derive(Clone, Debug)]
pub struct StringEnum {
    /// Known values in declared order, each with its documentation.
    pub values: Vec<(String, String)>,
    /// Whether other strings are allowed.
    pub open: bool,
}

impl PartialEq for StringEnum {
    fn eq(&self, other: &Self) -> bool {
        self.open == other.open
            && self.values.len() == other.values.len()
            && self
                .values
                .iter()
                .zip(&other.values)
                .all(|(a, b)| a.0 == b.0)
    }
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// Any JSON value.
    Any,
    /// Any JSON object.
    AnyObject,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number without a fraction, within bounds.
    Int(Bounds),
    /// A number, within bounds.
    Number(Bounds),
    /// A string.
    String(Bounds),
    /// A string of base64.
    Base64,
    /// A list, within bounds of length.
    Array(Box<Ty>, Bounds),
    /// An object whose members are all of one type.
    Map(Box<Ty>),
    /// An object that must be empty.
    EmptyObject,
    /// The type, or `null`.
    Nullable(Box<Ty>),
    /// One value.
    Const(Value),
    /// A named type.
    Named(String),
}

impl Ty {
    /// Named types inside.
    pub fn walk<'a>(&'a self, found: &mut dyn FnMut(&'a str)) {
        match self {
            Ty::Named(name) => found(name),
            Ty::Array(item, _) | Ty::Map(item) | Ty::Nullable(item) => item.walk(found),
            _ => {}
        }
    }
}

/// Inclusive bounds of a number, or of a length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Smallest value or length.
    pub min: Option<serde_json::Number>,
    /// Largest value or length.
    pub max: Option<serde_json::Number>,
}

impl Bounds {
    /// Whether nothing is bounded.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.min.is_none() && self.max.is_none()
    }
}
