//! Types that need a form of their own where a value is stored in Rust: constants and bounded values.

use super::{BuildError, Builder, Target};
use crate::model::{Bounds, Kind, Note, Ty};
use crate::schema::{Warning, WarningKind};
use serde_json::Value;

impl Builder<'_> {
    /// Returns the kind of a definition that is another name for a type.
    pub(super) fn alias(&mut self, name: &str, ty: Ty, pointer: &str) -> Kind {
        if self.target == Target::AnyLanguage {
            return Kind::Alias(ty);
        }
        match ty {
            Ty::Const(Value::String(only)) => self.string_enum(name, &[only], false),
            Ty::Const(_) => Kind::Alias(self.constant_type(name, ty, pointer)),
            ty => Kind::Alias(self.without_bounds(ty, pointer)),
        }
    }

    /// Returns the type of the items of a list, of the members of a map, or of a variant.
    pub(super) fn item(
        &mut self,
        name: &str,
        schema: &Value,
        pointer: &str,
    ) -> Result<Ty, BuildError> {
        let ty = self.inline(name, schema, pointer)?;
        Ok(match ty {
            Ty::Const(_) => self.constant_type(name, ty, pointer),
            ty => self.without_bounds(ty, pointer),
        })
    }

    /// Returns the type of a constant that is stored: an enumeration with one value, or a simple
    /// type.
    pub(super) fn constant_type(&mut self, name: &str, ty: Ty, pointer: &str) -> Ty {
        if self.target == Target::AnyLanguage {
            return ty;
        }
        let Ty::Const(value) = ty else { return ty };
        if let Value::String(only) = &value {
            let one = serde_json::json!({"type": "string", "enum": [only]});
            return self.single_value(name, &one, only, pointer);
        }
        self.unchecked(pointer, "const");
        match value {
            Value::Bool(_) => Ty::Bool,
            Value::Number(_) => Ty::Int(Bounds::default()),
            _ => Ty::Any,
        }
    }

    /// Notes that a keyword is not checked.
    pub(super) fn unchecked(&mut self, pointer: &str, keyword: &str) {
        let keyword = keyword.to_owned();
        self.notes.push(Note::Schema(Warning {
            pointer: pointer.to_owned(),
            kind: WarningKind::Unchecked { keyword },
        }));
    }

    /// Removes the bounds of a type. They are checked when a member is decoded and encoded, but not
    /// deeper inside a type.
    pub(super) fn without_bounds(&mut self, ty: Ty, pointer: &str) -> Ty {
        let (free, keywords) = match ty {
            other if self.target == Target::AnyLanguage => return other,
            Ty::Int(bounds) if !bounds.is_free() => (Ty::Int(Bounds::default()), "minimum"),
            Ty::Number(bounds) if !bounds.is_free() => (Ty::Number(Bounds::default()), "minimum"),
            Ty::String(bounds) if !bounds.is_free() => (Ty::String(Bounds::default()), "minLength"),
            Ty::Array(item, bounds) if !bounds.is_free() => {
                (Ty::Array(item, Bounds::default()), "minItems")
            }
            Ty::Nullable(inner) => {
                return Ty::Nullable(Box::new(self.without_bounds(*inner, pointer)));
            }
            other => return other,
        };
        self.unchecked(pointer, keywords);
        free
    }
}
