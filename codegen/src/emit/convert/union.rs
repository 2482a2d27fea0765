//! Conversions of unions, form by form.

use super::super::cfg;
use super::{Made, Way};
use crate::model::{Kind, Ty};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Way<'_> {
    /// Every form of a union as a value of another type; forms that it does not have are errors.
    /// `None` if it has none of them.
    pub(super) fn spread(&self, name: &str, to: &Ty, expression: &TokenStream) -> Option<Made> {
        let Kind::Union(union) = &self.written(self.from, name)?.kind else {
            return None;
        };
        let (path, revision) = (self.path(true, name), &self.target().revision);
        let Ty::Named(kind) = to else { return None };
        let (mut fails, mut some) = (false, false);
        let mut arms = Vec::new();
        for variant in &union.variants {
            let (cfg, ident) = (cfg(&variant.features), format_ident!("{}", variant.ident));
            let made = if variant.features.is_empty() {
                self.form(&variant.ty, to, &quote! { value })
            } else {
                None
            };
            arms.push(if let Some(made) = made {
                some = true;
                fails |= made.fails;
                let value = made.tokens;
                quote! { #cfg #path::#ident(value) => #value }
            } else {
                fails = true;
                let shown = &variant.ident;
                quote! { #cfg #path::#ident(_) => return Err(ConvertError::no_variant(#kind, #shown, #revision)) }
            });
        }
        some.then(|| Made {
            tokens: quote! { match #expression { #(#arms,)* } },
            fails,
        })
    }

    /// A value as a value of a type that has it under another name, as one of its forms, or as
    /// the form of one of its forms.
    pub(super) fn form(&self, from: &Ty, to: &Ty, expression: &TokenStream) -> Option<Made> {
        let Ty::Named(target) = self.target().resolve(to) else {
            return None;
        };
        if let Some(Kind::Union(union)) = self.written(self.to, target).map(|def| &def.kind) {
            let forms = || {
                union
                    .variants
                    .iter()
                    .filter(|variant| variant.features.is_empty())
            };
            let path = self.path(false, target);
            let wrap = |variant: &crate::model::Variant, made: Made| {
                let (ident, value) = (format_ident!("{}", variant.ident), made.tokens);
                Made {
                    tokens: quote! { #path::#ident(#value) },
                    fails: made.fails,
                }
            };
            if let Some(variant) = forms().find(|variant| self.corresponds(from, &variant.ty)) {
                return Some(wrap(variant, self.value(from, &variant.ty, expression)?));
            }
            // The forms of a union go their own ways; anything else is looked for further inside.
            if self.is_union(from).is_none() {
                return forms().find_map(|variant| {
                    self.form(from, &variant.ty, expression)
                        .map(|made| wrap(variant, made))
                });
            }
        } else if self.corresponds(from, &Ty::Named(target.clone())) {
            return self.value(from, to, expression);
        }
        self.spread(self.is_union(from)?, to, expression)
    }

    /// The name of a union of the source.
    fn is_union<'a>(&'a self, ty: &'a Ty) -> Option<&'a str> {
        let Ty::Named(name) = self.source().resolve(ty) else {
            return None;
        };
        let def = self.source().get(name)?;
        matches!(def.kind, Kind::Union(_)).then_some(name)
    }

    /// Whether two types are the same thing in two revisions.
    fn corresponds(&self, from: &Ty, to: &Ty) -> bool {
        match (from, to) {
            (Ty::Named(a), Ty::Named(b)) => {
                self.counterpart(a).as_ref() == Some(b) || self.emitter.hints().are_alike(a, b)
            }
            (Ty::Named(_), _) | (_, Ty::Named(_)) => false,
            _ => {
                std::mem::discriminant(self.source().resolve(from))
                    == std::mem::discriminant(self.target().resolve(to))
            }
        }
    }
}
