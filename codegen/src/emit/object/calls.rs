//! The calls that decode a member, and check it before it is encoded.

use super::super::{EmitError, Scope, range};
use super::field;
use crate::model::{Bounds, Kind, Member, Model, Ty};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;
use std::collections::BTreeSet;

impl Scope<'_> {
    /// Generates the call that decodes the member with this number into its field.
    pub(super) fn read(&self, member: &Member, at: u8) -> Result<TokenStream, EmitError> {
        let takes_null = takes_null(self.model, &member.ty, &mut BTreeSet::new());
        read_call(&self.spelled_out(member), at, takes_null)
    }

    /// Generates the check of bounds before a member is encoded.
    pub(super) fn check(&self, member: &Member) -> TokenStream {
        check_call(&self.spelled_out(member))
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

/// Generates the call that decodes the member with this number into its field. `takes_null` tells that
/// `null` is a value of its type.
fn read_call(member: &Member, at: u8, takes_null: bool) -> Result<TokenStream, EmitError> {
    let (name, at) = (field(member), Literal::u8_unsuffixed(at));
    if let Some(constant) = member.constant() {
        let value = constant_tokens(constant)?;
        let call = if constant.is_string() {
            quote! { text }
        } else {
            quote! { constant }
        };
        return Ok(quote! { reader.#call(#at, #value) });
    }
    if member.one_or_many {
        return Ok(quote! { reader.one_or_many(#at, &mut self.#name) });
    }
    let (required, optional, range) = match &member.ty {
        Ty::Int(bounds) => (quote! { int }, quote! { optional_int }, range::int(bounds)),
        Ty::Nullable(inner) if matches!(**inner, Ty::Int(_)) => {
            let range = item_range(inner);
            (quote! { optional_int }, quote! { nullable_int }, range)
        }
        Ty::Number(bounds) if !bounds.is_free() => {
            let range = range::float(bounds);
            (quote! { number }, quote! { optional_number }, range)
        }
        Ty::Array(item, free) if free.is_free() && matches!(**item, Ty::Int(_)) => {
            (quote! { ints }, quote! { optional_ints }, item_range(item))
        }
        Ty::Array(item, bounds) if matches!(**item, Ty::Int(_)) => {
            let range = range::length(bounds);
            (quote! { sized_ints }, quote! { optional_sized_ints }, range)
        }
        Ty::Array(_, bounds) | Ty::String(bounds) if !bounds.is_free() => {
            let range = range::length(bounds);
            (quote! { sized }, quote! { optional_sized }, range)
        }
        Ty::Array(..) if member.required => {
            return Ok(quote! { reader.list(#at, &mut self.#name) });
        }
        Ty::Array(..) => return Ok(quote! { reader.optional_list(#at, &mut self.#name) }),
        _ if member.required => return Ok(quote! { reader.read(#at, &mut self.#name) }),
        // If `null` is a valid value, it is different from an absent member.
        _ if takes_null => return Ok(quote! { reader.nullable(#at, &mut self.#name) }),
        _ => return Ok(quote! { reader.optional(#at, &mut self.#name) }),
    };
    let call = if member.required { required } else { optional };
    Ok(quote! { reader.#call(#at, #range, &mut self.#name) })
}

/// Generates the check of bounds before a member is encoded.
fn check_call(member: &Member) -> TokenStream {
    let (name, json) = (field(member), &member.json);
    let (check, range) = match &member.ty {
        Ty::Int(bounds) if !bounds.is_free() => (quote! { check_int }, range::int(bounds)),
        Ty::Nullable(inner) => match &**inner {
            Ty::Int(bounds) if !bounds.is_free() => (quote! { check_int }, range::int(bounds)),
            _ => return TokenStream::new(),
        },
        Ty::Number(bounds) if !bounds.is_free() => (quote! { check_number }, range::float(bounds)),
        Ty::Array(item, free)
            if free.is_free() && matches!(&**item, Ty::Int(bounds) if !bounds.is_free()) =>
        {
            (quote! { check_ints }, item_range(item))
        }
        Ty::Array(_, bounds) | Ty::String(bounds) if !bounds.is_free() => {
            (quote! { check_size }, range::length(bounds))
        }
        _ => return TokenStream::new(),
    };
    let integer = matches!(member.ty, Ty::Int(_) | Ty::Nullable(_));
    let nullable = matches!(member.ty, Ty::Nullable(_));
    let value = match (member.required, nullable, integer) {
        (false, true, _) => quote! { self.#name.flatten() },
        (true, true, _) | (false, _, true) => quote! { self.#name },
        (true, _, true) => quote! { Some(self.#name) },
        (true, ..) => quote! { Some(&self.#name) },
        (false, ..) => quote! { self.#name.as_ref() },
    };
    quote! { writer.#check(#json, #value, #range); }
}

/// Returns the range of the integers in a list.
fn item_range(item: &Ty) -> TokenStream {
    match item {
        Ty::Int(bounds) => range::int(bounds),
        _ => range::int(&Bounds::default()),
    }
}

/// Converts a constant to an expression that can be encoded.
pub(super) fn constant_tokens(value: &Value) -> Result<TokenStream, EmitError> {
    Ok(match value {
        Value::String(text) => quote! { #text },
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
