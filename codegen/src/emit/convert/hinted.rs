//! Values from the hints, as expressions.

use super::super::object::{field, stored};
use super::super::scope::Scope;
use super::super::{EmitError, cfg};
use crate::hints::ORIGIN;
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
    ) -> Result<TokenStream, EmitError> {
        let resolved = self.model.resolve(ty);
        match (resolved, value) {
            (Ty::AnyObject, Value::Object(object)) if object.is_empty() => {
                Ok(quote! { Object::new() })
            }
            (Ty::Map(_), Value::Object(object)) if object.is_empty() => Ok(quote! { Map::new() }),
            (Ty::Array(..), Value::Array(items)) if items.is_empty() => Ok(quote! { Vec::new() }),
            (Ty::String(_), Value::String(text)) if text == ORIGIN => {
                Ok(quote! { convert::origin(#from) })
            }
            (Ty::Named(name), Value::Object(given)) => {
                let Some(Kind::Object(object)) = self.model.get(name).map(|def| &def.kind) else {
                    return Err(EmitError::Unsupported(format!("{name}: `{value}`")));
                };
                let ident = format_ident!("{}", type_ident(name));
                let mut values = Vec::new();
                let vacant = quote! { <#module::#ident as codec::Decode>::vacant() };
                if given.is_empty() && stored(object).all(|member| !member.required) {
                    return Ok(vacant);
                }
                for member in stored(object) {
                    let (cfg, name) = (cfg(&member.features), field(member));
                    let value = match given.get(&member.json) {
                        Some(value) => {
                            let value = self.hinted_value(&member.ty, value, from, module)?;
                            if member.required {
                                value
                            } else {
                                quote! { Some(#value) }
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
                Ok(quote! { #module::#ident { #(#values,)* ..#vacant } })
            }
            (Ty::Named(_), Value::String(_)) => {
                let plain = self.literal(ty, value)?;
                Ok(quote! { #module::#plain })
            }
            _ => self.literal(ty, value),
        }
    }
}
