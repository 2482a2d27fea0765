//! The types of a TypeScript module, as far as a schema can describe them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The exported declarations of a module, and those that they use.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) declarations: BTreeMap<String, Declaration>,
    pub(super) constants: Map<String, Value>,
}

/// An interface or a type alias.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) tags: Tags,
    pub(super) body: Type,
}

/// What a documentation comment says besides its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tags {
    pub(super) deprecated: bool,
    pub(super) category: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    String,
    Number,
    Boolean,
    Null,
    /// `unknown`, `any`, `object`: every value, as far as a fact can tell.
    Any,
    Literal(Value),
    /// `typeof NAME`.
    Constant(String),
    /// A name, with type arguments.
    Named(String, Vec<Type>),
    Array(Box<Type>),
    Object(Object),
    Union(Vec<Type>),
    Intersection(Vec<Type>),
    /// Something that is not read. There is a warning about it.
    Unsupported,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Object {
    /// The types that an interface extends.
    pub(super) extends: Vec<Type>,
    pub(super) members: Vec<Member>,
    /// The type of further members, if there may be some.
    pub(super) index: Option<Box<Type>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) tags: Tags,
    pub(super) of: Type,
}

impl Module {
    /// Returns the type with names replaced by what they stand for, as far as objects are
    /// concerned: the members of an interface and of all that it extends, in their order. Returns
    /// `None` for everything that is not an object.
    ///
    /// Own members precede inherited ones. A member that is declared again keeps its own place.
    pub(super) fn flattened(&self, of: &Type) -> Option<Object> {
        self.flatten(of, 0)
    }

    fn flatten(&self, of: &Type, depth: usize) -> Option<Object> {
        // Interfaces cannot extend themselves, but a broken source may say so.
        const DEEPEST: usize = 32;
        if depth > DEEPEST {
            return None;
        }
        match of {
            Type::Object(own) => {
                let mut all = Object {
                    extends: Vec::new(),
                    ..own.clone()
                };
                for base in &own.extends {
                    all.add(self.flatten(base, depth + 1)?);
                }
                Some(all)
            }
            Type::Intersection(parts) => {
                let mut all = Object::default();
                for part in parts {
                    all.add(self.flatten(part, depth + 1)?);
                }
                Some(all)
            }
            Type::Named(name, arguments) => match (name.as_str(), arguments.as_slice()) {
                ("Omit" | "Pick", [base, names]) => {
                    let mut object = self.flatten(base, depth + 1)?;
                    let names = literals(names)?;
                    let picks = name == "Pick";
                    object
                        .members
                        .retain(|member| names.contains(&member.name.as_str()) == picks);
                    Some(object)
                }
                ("Partial" | "Required" | "Readonly", [base]) => self.flatten(base, depth + 1),
                ("Record", [_, value]) => Some(Object {
                    index: Some(Box::new(value.clone())),
                    ..Object::default()
                }),
                (_, []) => self.flatten(&self.declarations.get(name)?.body, depth + 1),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Object {
    /// Adds the members of a base that are not there yet.
    fn add(&mut self, base: Self) {
        for member in base.members {
            if !self.members.iter().any(|own| own.name == member.name) {
                self.members.push(member);
            }
        }
        if self.index.is_none() {
            self.index = base.index;
        }
    }
}

/// Returns the names in `"a" | "b"`.
fn literals(names: &Type) -> Option<Vec<&str>> {
    match names {
        Type::Literal(value) => Some(vec![value.as_str()?]),
        Type::Union(all) => {
            let all = all.iter().map(literals).collect::<Option<Vec<_>>>()?;
            Some(all.concat())
        }
        _ => None,
    }
}
