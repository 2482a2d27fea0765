//! Types whose schemas say more than types express: they get a table of checks.

use std::collections::BTreeSet;

use super::Source;
use crate::checks::{Checks, checks, combined};
use crate::model::{Bounds, Kind, Note, Recursion, Ty, TypeDef, Union, Variant};
use crate::schema::{Warning, WarningKind, pointer};

/// Returns the tables, and leaves only notes about what these do not check either.
///
/// Another name for a type cannot have a decoder of its own. If its schema says more, it becomes a
/// type with one variant.
pub(super) fn check(
    source: Source<'_>,
    null_as_absent: bool,
    types: &mut [TypeDef],
    notes: &mut Vec<Note>,
) -> Checks {
    let mut checked = BTreeSet::new();
    if source.exact {
        checked = combined(source.document);
    }
    notes.retain(|note| match note {
        Note::Schema(Warning {
            pointer,
            kind: WarningKind::Unchecked { .. },
        }) => {
            let name = pointer.split('/').nth(1).unwrap_or_default();
            checked.insert(pointer::unescape(name));
            false
        }
        _ => true,
    });
    let is_root = |def: &TypeDef| source.document.root.as_ref() == Some(&def.name);
    for def in types.iter_mut().filter(|def| def.published) {
        let Kind::Alias(ty) = &def.kind else {
            continue;
        };
        // Other deserializers do not accept `1.0` for an integer.
        let is_integer = is_root(def) && *ty == Ty::Int(Bounds::default());
        if checked.contains(&def.name) || is_integer {
            def.kind = own_type(ty);
        }
    }
    let (checks, warnings) = checks(source.document, &checked, source.exact, null_as_absent);
    notes.extend(warnings.into_iter().map(Note::Schema));
    checks
}

fn own_type(ty: &Ty) -> Kind {
    let variant = |ident: &str, ty: &Ty| Variant {
        ident: ident.to_owned(),
        ty: ty.clone(),
        recursion: Recursion::None,
        features: Vec::new(),
    };
    Kind::Union(Union {
        variants: match ty {
            Ty::Nullable(inner) => vec![variant("Value", inner), variant("Null", &Ty::Null)],
            ty => vec![variant("Value", ty)],
        },
        simplest: 0,
    })
}
