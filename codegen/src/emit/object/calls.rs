//! The calls that read a member and check it before it is written.

use super::super::{EmitError, range};
use super::field;
use crate::model::{Bounds, Member, Ty};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

/// The call that reads a member into its slot.
pub(super) fn read_call(member: &Member) -> TokenStream {
    let (slot, json) = (field(member), &member.json);
    if let Some(constant) = member.constant() {
        return match constant {
            Value::String(text) => {
                quote! { codec::read_text(&mut #slot, #json, #text, &mut members)? }
            }
            other => {
                let value = constant_tokens(other).unwrap_or_default();
                quote! { codec::read_constant(&mut #slot, #json, #value, &mut members)? }
            }
        };
    }
    if member.one_or_many {
        return quote! { codec::read_one_or_many(&mut #slot, #json, &mut members)? };
    }
    match (&member.ty, member.required) {
        (Ty::Int(bounds), required) => {
            let range = range::int(bounds);
            let call = if required {
                quote! { read_int }
            } else {
                quote! { read_optional_int }
            };
            quote! { codec::#call(&mut #slot, #json, #range, &mut members)? }
        }
        (Ty::Nullable(inner), _) if matches!(**inner, Ty::Int(_)) => {
            let Ty::Int(bounds) = &**inner else {
                return TokenStream::new();
            };
            let range = range::int(bounds);
            quote! { codec::read_nullable_int(&mut #slot, #json, #range, &mut members)? }
        }
        (Ty::Number(bounds), required) if !bounds.is_free() => {
            let range = range::float(bounds);
            let call = if required {
                quote! { read_number }
            } else {
                quote! { read_optional_number }
            };
            quote! { codec::#call(&mut #slot, #json, #range, &mut members)? }
        }
        (Ty::Array(item, free), required) if free.is_free() && matches!(**item, Ty::Int(_)) => {
            let range = item_range(item);
            let call = if required {
                quote! { read_ints }
            } else {
                quote! { read_optional_ints }
            };
            quote! { codec::#call(&mut #slot, #json, #range, &mut members)? }
        }
        (Ty::Array(_, bounds) | Ty::String(bounds), required) if !bounds.is_free() => {
            let range = range::length(bounds);
            let call = if required {
                quote! { read_sized }
            } else {
                quote! { read_optional_sized }
            };
            quote! { codec::#call(&mut #slot, #json, #range, &mut members)? }
        }
        // Where `null` is a value, it is not the same as an absent member.
        (_, true) | (Ty::Any | Ty::Nullable(_), false) => {
            quote! { #slot.read(#json, &mut members)? }
        }
        (_, false) => quote! { #slot.read_optional(#json, &mut members)? },
    }
}

/// The check of bounds before a member is written.
pub(super) fn check_call(member: &Member) -> TokenStream {
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
    let nullable = matches!(member.ty, Ty::Nullable(_));
    match (member.required, nullable) {
        (true, false) => quote! { object.check(codec::#check(#json, &self.#name, #range)); },
        (false, true) => quote! {
            if let Some(Some(value)) = &self.#name {
                object.check(codec::#check(#json, value, #range));
            }
        },
        _ => quote! {
            if let Some(value) = &self.#name {
                object.check(codec::#check(#json, value, #range));
            }
        },
    }
}

/// The range of the integers in a list.
fn item_range(item: &Ty) -> TokenStream {
    match item {
        Ty::Int(bounds) => range::int(bounds),
        _ => range::int(&Bounds::default()),
    }
}

/// A constant as an expression that can be written.
pub(super) fn constant_tokens(value: &Value) -> Result<TokenStream, EmitError> {
    Ok(match value {
        Value::String(text) => quote! { #text },
        Value::Bool(value) => quote! { &#value },
        Value::Number(number) if number.is_i64() => {
            let number = Literal::i64_suffixed(number.as_i64().unwrap_or_default());
            quote! { &#number }
        }
        other => return Err(EmitError::Unsupported(format!("the constant `{other}`"))),
    })
}
