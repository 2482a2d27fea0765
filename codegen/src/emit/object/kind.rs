//! The kinds of members, by which they are decoded and encoded.

use super::super::table::inline;
use super::super::{EmitError, Scope, range};
use crate::model::{Bounds, Kind, Member, Model, Ty};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;
use std::collections::BTreeSet;

impl Scope<'_> {
    /// Returns the kind of a member with its arguments: the name of the functions that decode and
    /// encode it.
    pub(in super::super) fn kind(&self, member: &Member) -> Result<String, EmitError> {
        if let Some(constant) = member.constant() {
            let value = inline(&constant_tokens(constant)?);
            let kind = if constant.is_string() {
                "text"
            } else {
                "constant"
            };
            return Ok(format!("{kind}({value})"));
        }
        let takes_null = takes_null(self.model, &member.ty, &mut BTreeSet::new());
        Ok(kind(&self.spelled_out(member), takes_null))
    }

    /// Returns a member with the types that the aliases in its type stand for.
    fn spelled_out(&self, member: &Member) -> Member {
        fn spell_out(model: &Model, ty: &Ty) -> Ty {
            match model.resolve(ty) {
                Ty::Array(item, bounds) => {
                    Ty::Array(Box::new(spell_out(model, item)), bounds.clone())
                }
                Ty::Nullable(inner) => Ty::Nullable(Box::new(spell_out(model, inner))),
                other => other.clone(),
            }
        }
        Member {
            ty: spell_out(self.model, &member.ty),
            ..member.clone()
        }
    }
}

/// Returns `true` if `null` is a value of a type. `seen` are the unions that were looked at.
fn takes_null<'a>(model: &'a Model, ty: &'a Ty, seen: &mut BTreeSet<&'a str>) -> bool {
    match model.resolve(ty) {
        Ty::Any | Ty::Null | Ty::Nullable(_) => true,
        Ty::Named(name) if seen.insert(name) => match model.get(name).map(|def| &def.kind) {
            Some(Kind::Union(union)) => union
                .variants
                .iter()
                .any(|variant| takes_null(model, &variant.ty, seen)),
            _ => false,
        },
        _ => false,
    }
}

/// Returns the kind of a member that is no constant. `takes_null` tells that `null` is a value of its
/// type.
fn kind(member: &Member, takes_null: bool) -> String {
    // A revision may let the member be something else, too.
    let is_list = matches!(&member.ty, Ty::Array(item, _) if matches!(**item, Ty::String(_)));
    if member.one_or_many && is_list {
        let kind = if member.required {
            "one_or_many"
        } else {
            "optional_one_or_many"
        };
        return kind.to_owned();
    }
    let (required, optional, range) = match &member.ty {
        Ty::Int(bounds) => ("int", "optional_int", range::int(bounds)),
        Ty::Nullable(inner) if matches!(**inner, Ty::Int(_)) => {
            ("int_or_null", "nullable_int", item_range(inner))
        }
        Ty::Number(bounds) if !bounds.is_free() => {
            ("number", "optional_number", range::float(bounds))
        }
        Ty::Array(item, free) if free.is_free() && matches!(**item, Ty::Int(_)) => {
            ("ints", "optional_ints", item_range(item))
        }
        Ty::Array(item, bounds) if matches!(**item, Ty::Int(_)) => {
            ("sized_ints", "optional_sized_ints", range::length(bounds))
        }
        Ty::Array(_, bounds) | Ty::String(bounds) if !bounds.is_free() => {
            ("sized", "optional_sized", range::length(bounds))
        }
        Ty::Array(..) if member.required => return "list".to_owned(),
        Ty::Array(..) => return "optional_list".to_owned(),
        _ if member.required => return "required".to_owned(),
        // If `null` is a valid value, it is different from an absent member.
        _ if takes_null => return "nullable".to_owned(),
        _ => return "optional".to_owned(),
    };
    let kind = if member.required { required } else { optional };
    format!("{kind}({})", inline(&range))
}

/// Returns the range of the integers in a list.
fn item_range(item: &Ty) -> TokenStream {
    match item {
        Ty::Int(bounds) => range::int(bounds),
        _ => range::int(&Bounds::default()),
    }
}

/// Converts a constant to an expression that can be encoded.
fn constant_tokens(value: &Value) -> Result<TokenStream, EmitError> {
    Ok(match value {
        Value::String(text) => quote! { #text },
        Value::Null => quote! { &codec::Null },
        Value::Bool(value) => quote! { &#value },
        Value::Number(number) if number.is_i64() => {
            let number = Literal::i64_suffixed(number.as_i64().unwrap_or_default());
            quote! { &#number }
        }
        other => {
            return Err(EmitError::Unsupported(format!(
                "unsupported constant `{other}`"
            )));
        }
    })
}
