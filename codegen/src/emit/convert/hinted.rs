//! Values from the hints, as expressions.

use super::super::object::{field, stored};
use super::super::scope::Scope;
use super::super::{EmitError, cfg};
use super::converted::Converted;
use crate::hints::{ORIGIN, with_origin};
use crate::model::{Kind, Ty, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

impl Scope<'_> {
    /// Converts a JSON value from the hints to an expression, including objects. `from` is the
    /// revision of the value that is converted.
    pub(super) fn hinted_value(
        &self,
        ty: &Ty,
        value: &Value,
        from: &str,
        module: &TokenStream,
    ) -> Result<Converted, EmitError> {
        match self.hinted_literal(ty, value, from, module) {
            // There is no literal for it, so it is decoded.
            Err(EmitError::Unsupported(_)) if with_origin(value, from) == *value => {
                let text = value.to_string();
                Ok(Converted::fallible(quote! { convert::decoded(#text)? }))
            }
            literal => literal,
        }
    }

    fn hinted_literal(
        &self,
        ty: &Ty,
        value: &Value,
        from: &str,
        module: &TokenStream,
    ) -> Result<Converted, EmitError> {
        let resolved = self.model.resolve(ty);
        let tokens = match (resolved, value) {
            (Ty::AnyObject, Value::Object(object)) if object.is_empty() => {
                quote! { Object::new() }
            }
            (Ty::Map(_), Value::Object(object)) if object.is_empty() => quote! { Map::new() },
            (Ty::Array(..), Value::Array(items)) if items.is_empty() => quote! { Vec::new() },
            (Ty::String(_), Value::String(text)) if text == ORIGIN => {
                quote! { convert::origin(#from) }
            }
            (Ty::Named(name), Value::Object(given)) => {
                let Some(Kind::Object(object)) = self.model.get(name).map(|def| &def.kind) else {
                    return Err(EmitError::Unsupported(format!("{name}: `{value}`")));
                };
                let ident = format_ident!("{}", type_ident(name));
                let (mut values, mut fails) = (Vec::new(), false);
                let vacant = quote! { <#module::#ident as codec::Decode>::vacant() };
                if given.is_empty() && stored(object).all(|member| !member.required) {
                    return Ok(Converted::infallible(vacant));
                }
                for member in stored(object) {
                    let (cfg, name) = (cfg(&member.features), field(member));
                    let value = match given.get(&member.json) {
                        Some(value) => {
                            let converted = self.hinted_value(&member.ty, value, from, module)?;
                            fails |= converted.fails;
                            let value = converted.tokens;
                            if member.is_option() {
                                quote! { Some(#value) }
                            } else {
                                value
                            }
                        }
                        None if member.required => {
                            return Err(EmitError::Unsupported(format!(
                                "no value is given for the required member {ident}.{name}"
                            )));
                        }
                        None => continue,
                    };
                    values.push(quote! { #cfg #name: #value });
                }
                let tokens = quote! { #module::#ident { #(#values,)* ..#vacant } };
                return Ok(Converted { tokens, fails });
            }
            (Ty::Named(_), Value::String(_)) => {
                let plain = self.literal(ty, value)?;
                quote! { #module::#plain }
            }
            _ => self.literal(ty, value)?,
        };
        Ok(Converted::infallible(tokens))
    }
}
