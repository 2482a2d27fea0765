//! [`Conversion`]: how a definition is converted.

use super::converted::Converted;
use super::object::ObjectConversion;
use super::union::UnionConversion;

/// How a definition is converted.
pub(super) enum Conversion {
    /// Member by member.
    Object(ObjectConversion),
    /// Variant by variant.
    Union(UnionConversion),
    /// By an expression.
    Value(Converted),
}

impl Conversion {
    pub(super) fn fails(&self) -> bool {
        match self {
            Self::Object(object) => object.fails,
            Self::Union(union) => union.fails,
            Self::Value(value) => value.fails,
        }
    }
}
