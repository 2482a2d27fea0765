//! Conversions of unions, variant by variant.

use super::super::cfg;
use super::{Converted, Direction, through_json};
use crate::model::{Kind, Ty, Variant};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

impl Direction<'_> {
    /// Generates a `match` that converts every variant of a union to another type. Variants that
    /// the other type does not have are errors. Returns `None` if it has none of them.
    pub(super) fn match_variants(
        &self,
        name: &str,
        to: &Ty,
        expression: &TokenStream,
    ) -> Option<Converted> {
        let Kind::Union(union) = &self.generated_def(self.from, name)?.kind else {
            return None;
        };
        let (path, revision) = (self.path(true, name), &self.target().revision);
        let Ty::Named(kind) = to else { return None };
        let (mut fails, mut some) = (false, false);
        let mut arms = Vec::new();
        for variant in &union.variants {
            let (cfg, ident) = (cfg(&variant.features), format_ident!("{}", variant.ident));
            let value = if variant.is_boxed() {
                quote! { *value }
            } else {
                quote! { value }
            };
            let converted = self
                .convert_to_variant(&variant.ty, to, &variant.features, &value)
                .or_else(|| self.replacement(kind, variant, to));
            arms.push(if let Some(converted) = converted {
                some = true;
                fails |= converted.fails;
                let value = converted.tokens;
                quote! { #cfg #path::#ident(value) => #value }
            } else {
                fails = true;
                let name = &variant.ident;
                self.add_loss(format!("`{kind}`: the variant `{name}` is an error"));
                quote! { #cfg #path::#ident(_) => return Err(ConvertError::no_variant(#kind, #name, #revision)) }
            });
        }
        some.then(|| Converted {
            tokens: quote! { match #expression { #(#arms,)* } },
            fails,
        })
    }

    /// Converts a variant that the target does not have to the one that the hints name for this.
    fn replacement(&self, union: &str, variant: &Variant, to: &Ty) -> Option<Converted> {
        let Ty::Named(name) = self.source().resolve(&variant.ty) else {
            return None;
        };
        let fallback = self.emitter.hints().fallbacks.get(union)?;
        let template = fallback.texts.get(name).or(fallback.otherwise.as_ref())?;
        let Kind::Object(object) = &self.source().get(&fallback.variant)?.kind else {
            return None;
        };
        let constants = object.members.iter().filter_map(|member| {
            let value = member.constant()?.clone();
            Some((member.json.clone(), value))
        });
        let constants = Value::Object(constants.collect()).to_string();
        let (member, kept) = (&fallback.member, &fallback.kept);
        let ty = Ty::Named(fallback.variant.clone());
        let converted = self.convert_to_variant(&ty, to, &[], &quote! { value })?;
        let (path, value) = (self.path(true, &fallback.variant), converted.tokens);
        let ident = &variant.ident;
        self.add_loss(format!(
            "`{union}`: the variant `{ident}` becomes a `{}` with the text `{template}`",
            fallback.variant
        ));
        // Built in the form of the source, so that its members are converted like those of others.
        Some(Converted::fallible(quote! {{
            let value: #path =
                convert::replacement(&value, #constants, #member, #template, &[#(#kept),*])?;
            #value
        }}))
    }

    /// Converts a value to a type that has it under another name, as one of its variants, or as a
    /// variant of one of its variants. `features` are the proposals that add the value.
    pub(super) fn convert_to_variant(
        &self,
        from: &Ty,
        to: &Ty,
        features: &[String],
        expression: &TokenStream,
    ) -> Option<Converted> {
        let Ty::Named(target) = self.target().resolve(to) else {
            return None;
        };
        if let Some(Kind::Union(union)) = self.generated_def(self.to, target).map(|def| &def.kind) {
            let candidates = || {
                union
                    .variants
                    .iter()
                    .filter(|variant| variant.features.is_empty() || variant.features == features)
            };
            let path = self.path(false, target);
            let wrap = |variant: &Variant, converted: Converted| {
                let (ident, value) = (format_ident!("{}", variant.ident), converted.tokens);
                let value = if variant.is_boxed() {
                    quote! { Box::new(#value) }
                } else {
                    value
                };
                Converted {
                    tokens: quote! { #path::#ident(#value) },
                    fails: converted.fails,
                }
            };
            if let Some(variant) = candidates().find(|variant| self.corresponds(from, &variant.ty))
            {
                let converted = self.value(from, &variant.ty, expression);
                let converted = converted.unwrap_or_else(|| through_json(expression));
                return Some(wrap(variant, converted));
            }
            // Unions are converted variant by variant; other types are also searched in nested
            // unions.
            if self.is_union(from).is_none() {
                return candidates().find_map(|variant| {
                    self.convert_to_variant(from, &variant.ty, features, expression)
                        .map(|converted| wrap(variant, converted))
                });
            }
        } else if self.corresponds(from, &Ty::Named(target.clone())) {
            return self.value(from, to, expression);
        }
        self.match_variants(self.is_union(from)?, to, expression)
    }

    /// Returns the name of a union of the source.
    fn is_union<'a>(&'a self, ty: &'a Ty) -> Option<&'a str> {
        let Ty::Named(name) = self.source().resolve(ty) else {
            return None;
        };
        let def = self.source().get(name)?;
        matches!(def.kind, Kind::Union(_)).then_some(name)
    }

    /// Returns `true` if two types correspond to each other in two revisions, and there is a
    /// conversion.
    fn corresponds(&self, from: &Ty, to: &Ty) -> bool {
        match (from, to) {
            (Ty::Named(a), Ty::Named(b)) => {
                let converts = match self.source().resolve(from) {
                    Ty::Named(name) => self.fails.contains_key(name) || self.same(from, to),
                    // An alias of a type without a name.
                    _ => true,
                };
                (converts && self.counterpart(a).as_ref() == Some(b))
                    || self.emitter.hints().are_alike(a, b)
            }
            (Ty::Named(_), _) | (_, Ty::Named(_)) => false,
            _ => {
                std::mem::discriminant(self.source().resolve(from))
                    == std::mem::discriminant(self.target().resolve(to))
            }
        }
    }
}
