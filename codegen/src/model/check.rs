//! [`Check`]: a keyword that is checked on a member, and is not part of its type.

use super::ty::Ty;
use serde_json::Value;

/// A keyword that is checked on the value of a member when it is decoded.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// No two elements of a list are equal.
    UniqueItems,
    /// A list has at least this number of elements of a type.
    Contains {
        /// The type.
        ty: Ty,
        /// The number of elements.
        least: u64,
    },
}

impl Check {
    /// Returns the checks in the schema of a list. `type_of` makes the type of a schema that is the
    /// value of a keyword.
    pub(super) fn of_list<E>(
        schema: &Value,
        type_of: &mut dyn FnMut(&str, &Value) -> Result<Ty, E>,
    ) -> Result<Vec<Self>, E> {
        let mut checks = Vec::new();
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
            checks.push(Self::UniqueItems);
        }
        let least = schema.get("minContains").and_then(Value::as_u64);
        let least = least.unwrap_or(1);
        if let Some(contained) = schema.get("contains").filter(|_| least > 0) {
            let ty = type_of("contains", contained)?;
            checks.push(Self::Contains { ty, least });
        }
        Ok(checks)
    }

    /// Returns `true` if a list fulfils the check. `is_of` tells whether a value is of a type.
    pub(super) fn passes(&self, items: &[Value], is_of: &dyn Fn(&Ty, &Value) -> bool) -> bool {
        match self {
            Self::UniqueItems => (1..items.len()).all(|at| !items[..at].contains(&items[at])),
            Self::Contains { ty, least } => {
                let found = items.iter().filter(|item| is_of(ty, item));
                u64::try_from(found.count()).is_ok_and(|found| found >= *least)
            }
        }
    }

    /// Returns the type that the check is about.
    pub(super) fn ty(&self) -> Option<&Ty> {
        match self {
            Self::UniqueItems => None,
            Self::Contains { ty, .. } => Some(ty),
        }
    }
}
