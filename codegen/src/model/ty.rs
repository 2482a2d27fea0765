//! [`Ty`]: the type of a value.

use serde_json::Value;

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
    /// An integer, within bounds.
    Int(Bounds),
    /// A number, within bounds.
    Number(Bounds),
    /// A string.
    String(Bounds),
    /// A string of base64.
    Base64,
    /// A list, within bounds for its length.
    Array(Box<Ty>, Bounds),
    /// An object whose members have one type.
    Map(Box<Ty>),
    /// An object without members.
    EmptyObject,
    /// A type or `null`.
    Nullable(Box<Ty>),
    /// A constant.
    Const(Value),
    /// A named type.
    Named(String),
}

impl Ty {
    /// Replaces the named types inside for which there is another type.
    pub(super) fn replace(&mut self, by: &mut dyn FnMut(&str) -> Option<Ty>) {
        match self {
            Ty::Named(name) => {
                if let Some(other) = by(name) {
                    *self = other;
                }
            }
            Ty::Array(item, _) | Ty::Map(item) | Ty::Nullable(item) => item.replace(by),
            _ => {}
        }
    }

    /// Calls `found` with each named type inside.
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
    /// The smallest value or length.
    pub min: Option<serde_json::Number>,
    /// The largest value or length.
    pub max: Option<serde_json::Number>,
}

impl Bounds {
    /// Returns `true` if there are no bounds.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.min.is_none() && self.max.is_none()
    }
}
