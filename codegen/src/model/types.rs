//! The types of a model.

use super::Note;
use super::ty::Ty;
use crate::checks::Checks;
use crate::schema::{Facts, Patch};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the schema that is published while the next revision is written. It sorts behind the
/// names of all revisions, which are dates.
pub const DRAFT: &str = "draft";

/// All types and messages of one schema.
#[derive(Debug)]
pub struct Model {
    /// The revision, or a name for a schema that has none.
    pub revision: String,
    /// The types in the order of their definitions. Each inline type follows its owner.
    pub types: Vec<TypeDef>,
    /// The messages.
    pub messages: Vec<Message>,
    /// The constants.
    pub constants: Map<String, Value>,
    /// The category of each definition in the published documentation.
    pub categories: BTreeMap<String, String>,
    /// Tables for what the types do not express.
    pub checks: Checks,
    /// What the generator decided by itself.
    pub notes: Vec<Note>,
    /// The names of the inline types that follow from their positions, and those that they have.
    pub inline: BTreeMap<String, BTreeSet<String>>,
    pub(crate) index: BTreeMap<String, usize>,
}

impl Model {
    /// Adds what the facts of the schema tell beyond its structure.
    pub(crate) fn add_facts(&mut self, facts: Facts) {
        self.constants = facts.constants;
        let categories = facts.categories.into_iter();
        self.categories = categories
            .flat_map(|(category, names)| {
                names.into_iter().map(move |name| (name, category.clone()))
            })
            .collect();
    }

    /// Replaces the names of patches, with which their additions are marked, by Cargo features. The
    /// documentation of what proposals add names them.
    pub(crate) fn name_features(&mut self, patches: &[Patch]) {
        let rename = |names: &mut Vec<String>, docs: Option<&mut String>| {
            let features: BTreeSet<&str> = (names.iter())
                .map(|name| {
                    let mut patches = patches.iter();
                    let patch = patches.find(|patch| patch.name == *name);
                    patch.map_or(name.as_str(), Patch::feature)
                })
                .collect();
            let features: Vec<String> = features.into_iter().map(str::to_owned).collect();
            if let Some(docs) = docs.filter(|_| features != *names) {
                let gap = if docs.is_empty() { "" } else { "\n\n" };
                let names = names.join("` and `");
                docs.push_str(&format!("{gap}An addition of the proposal `{names}`."));
            }
            *names = features;
        };
        for def in &mut self.types {
            rename(&mut def.features, Some(&mut def.docs));
            match &mut def.kind {
                Kind::Object(object) => {
                    for member in &mut object.members {
                        rename(&mut member.features, Some(&mut member.docs));
                    }
                }
                Kind::Union(union) => {
                    for variant in &mut union.variants {
                        rename(&mut variant.features, None);
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns `true` if this is the draft of the next revision.
    #[must_use]
    pub fn is_draft(&self) -> bool {
        self.revision == DRAFT
    }

    /// Returns the type with a published name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TypeDef> {
        self.index.get(name).map(|at| &self.types[*at])
    }

    /// Follows aliases and returns the type to which they lead.
    #[must_use]
    pub fn resolve<'a>(&'a self, ty: &'a Ty) -> &'a Ty {
        let mut ty = ty;
        // A chain of aliases is shorter than the list of types. A longer one is a cycle.
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
    /// The name in the schema, or the name given to an inline type.
    pub name: String,
    /// `true` if the schema defines the type by this name.
    pub published: bool,
    /// The documentation.
    pub docs: String,
    /// `true` if the schema marks it as deprecated.
    pub deprecated: bool,
    /// The Cargo features of what adds it; empty if it is part of the schema itself.
    pub features: Vec<String>,
    /// The kind of the type.
    pub kind: Kind,
}

/// The kind of a named type.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An object with members.
    Object(Object),
    /// One of several types.
    Union(Union),
    /// A string with known values.
    Enum(StringEnum),
    /// Another name for a type.
    Alias(Ty),
    /// A hand-written type that implements the definition.
    Native(String),
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The declared members, in the order of the schema.
    pub members: Vec<Member>,
    /// `true` if other members are allowed.
    pub open: bool,
}

/// A member of an object.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a statement of its own"
)]
pub struct Member {
    /// The name in JSON.
    pub json: String,
    /// The name of the field.
    pub ident: String,
    /// The type of the value.
    pub ty: Ty,
    /// `true` if the member is required.
    pub required: bool,
    /// `true` if it is a parameter of the constructor. By default these are the required members, and
    /// a later revision keeps them.
    pub parameter: bool,
    /// `true` if its field stays an `Option` although the member is required, because it is one in
    /// an older revision. `None` is encoded as an empty value.
    pub stays_option: bool,
    /// `true` if one string of words is also decoded as a list.
    pub one_or_many: bool,
    /// Whether the value can contain another value of the type.
    pub recursion: Recursion,
    /// The documentation.
    pub docs: String,
    /// `true` if the schema marks it as deprecated.
    pub deprecated: bool,
    /// The Cargo features of what adds it.
    pub features: Vec<String>,
}

impl PartialEq for Member {
    /// Documentation is not part of the structure.
    fn eq(&self, other: &Self) -> bool {
        (&self.json, &self.ty, self.required) == (&other.json, &other.ty, other.required)
    }
}

impl Member {
    /// Returns the constant of a required member that has one. It is encoded and checked, but not
    /// stored.
    #[must_use]
    pub fn constant(&self) -> Option<&Value> {
        const NULL: &Value = &Value::Null;
        match &self.ty {
            Ty::Const(value) if self.required => Some(value),
            Ty::Null if self.required => Some(NULL),
            _ => None,
        }
    }

    /// Returns `true` if the field is an `Option`.
    #[must_use]
    pub fn is_option(&self) -> bool {
        !self.required || self.stays_option
    }

    /// Calls `found` with each named type in the type of the member.
    pub(crate) fn walk<'a>(&'a self, found: &mut dyn FnMut(&'a str)) {
        self.ty.walk(found);
    }

    pub(crate) fn is_boxed(&self) -> bool {
        matches!(self.recursion, Recursion::Boxed | Recursion::BoxedForSize)
    }

    pub(crate) fn is_recursive(&self) -> bool {
        matches!(self.recursion, Recursion::Boxed | Recursion::Indirect)
    }
}

/// A union.
#[derive(Clone, Debug)]
pub struct Union {
    /// The variants, in the order of the schema.
    pub variants: Vec<Variant>,
    /// The number of a variant that need not contain another value of this type.
    pub simplest: usize,
}

impl PartialEq for Union {
    fn eq(&self, other: &Self) -> bool {
        self.variants == other.variants
    }
}

/// A variant of a union.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The name of the variant.
    pub ident: String,
    /// The type of its content.
    pub ty: Ty,
    /// Whether the content can contain another value of the union.
    pub recursion: Recursion,
    /// The Cargo features of what adds it.
    pub features: Vec<String>,
}

impl Variant {
    pub(crate) fn is_boxed(&self) -> bool {
        self.recursion == Recursion::Boxed
    }

    pub(crate) fn is_recursive(&self) -> bool {
        self.recursion != Recursion::None
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty
    }
}

/// Whether a part of a type can contain another value of the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recursion {
    /// It cannot.
    #[default]
    None,
    /// It can, and needs no box: there is a list, a map or a box elsewhere.
    Indirect,
    /// It can, and is stored in a `Box`.
    Boxed,
    /// It cannot, but it is in a box, because the hints say so.
    BoxedForSize,
}

/// A string enumeration.
#[derive(Clone, Debug)]
pub struct StringEnum {
    /// The known values in declared order, each with its documentation.
    pub values: Vec<(String, String)>,
    /// `true` if other strings are allowed.
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

/// The side that sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either side.
    Both,
    /// The schema does not define it.
    Unknown,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The name of its definition.
    pub name: String,
    /// The method: the constant that identifies the message.
    pub method: String,
    /// Request or notification.
    pub kind: MessageKind,
    /// The side that sends it.
    pub sender: Sender,
    /// The type of its params, and whether they are required.
    pub params: Option<(Ty, bool)>,
}

/// A request with the type of its result, or a notification.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageKind {
    /// A request, with the type of its result.
    Request(Ty),
    /// A notification.
    Notification,
}
