//! Conversions of unions, variant by variant.

use super::super::cfg;
use super::super::table::{Table, inline};
use super::converted::{Converted, through_json};
use super::direction::{Direction, Search};
use crate::hints::Columns;
use crate::model::{Kind, Model, Ty, Variant};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

/// The conversion of a union.
pub(super) struct UnionConversion {
    /// The name of the target, for errors.
    kind: String,
    /// The variants that the target has, with their values.
    arms: Vec<(Option<TokenStream>, String, Converted)>,
    /// The variants that it does not have.
    missing: Vec<(Option<TokenStream>, String)>,
    pub(super) fails: bool,
}

impl UnionConversion {
    pub(super) fn rows(&self, head: &str, target: &Model, table: &mut Table) {
        table.line(&format!("{head}, {:?}, {:?};", self.kind, target.revision));
        let missing = self.missing.iter().map(|(condition, name)| {
            let condition = condition.as_ref().map(|it| inline(it) + " ");
            format!("{}{name}", condition.unwrap_or_default())
        });
        table.list("missing {", &missing.collect::<Vec<_>>(), "}");
        for (condition, name, value) in &self.arms {
            table.condition(condition.as_ref());
            table.line(&format!("{name}(value) => {},", inline(&value.tokens)));
        }
    }

    /// Returns the conversion of an expression.
    fn into_match(self, path: &TokenStream, revision: &str, expression: &TokenStream) -> Converted {
        let kind = &self.kind;
        let arms = self.arms.iter().map(|(cfg, name, value)| {
            let (ident, value) = (format_ident!("{name}"), &value.tokens);
            quote! { #cfg #path::#ident(value) => #value }
        });
        let missing = self.missing.iter().map(|(cfg, name)| {
            let ident = format_ident!("{name}");
            quote! { #cfg #path::#ident { .. } => Err(ConvertError::no_variant(#kind, #name, #revision))? }
        });
        Converted {
            tokens: quote! { match #expression { #(#arms,)* #(#missing,)* } },
            fails: self.fails,
        }
    }
}

impl Direction<'_> {
    /// Generates a `match` that converts every variant of a union to another type.
    fn match_variants(&self, name: &str, to: &Ty, expression: &TokenStream) -> Option<Converted> {
        let (path, revision) = (self.path(true, name), &self.target().revision);
        Some(
            self.union(name, to)?
                .into_match(&path, revision, expression),
        )
    }

    /// Converts every variant of a union to another type. Variants that the other type does not
    /// have are errors. Returns `None` if it has none of them.
    pub(super) fn union(&self, name: &str, to: &Ty) -> Option<UnionConversion> {
        let Kind::Union(union) = &self.generated_def(self.from, name)?.kind else {
            return None;
        };
        let Ty::Named(kind) = to else { return None };
        let mut conversion = UnionConversion {
            kind: kind.clone(),
            arms: Vec::new(),
            missing: Vec::new(),
            fails: false,
        };
        for variant in &union.variants {
            let (cfg, name) = (cfg(&variant.features), variant.ident.clone());
            let value = if variant.is_boxed() {
                quote! { *value }
            } else {
                quote! { value }
            };
            let converted = self
                .convert_to_variant(&variant.ty, to, &variant.features, &value)
                .or_else(|| self.replacement(kind, variant, to))
                .or_else(|| self.only_element(&union.variants, variant, to));
            if let Some(converted) = converted {
                conversion.fails |= converted.fails;
                conversion.arms.push((cfg, name, converted));
            } else {
                conversion.fails = true;
                self.add_loss(format!("`{kind}`: the variant `{name}` is an error"));
                conversion.missing.push((cfg, name));
            }
        }
        (!conversion.arms.is_empty()).then_some(conversion)
    }

    /// Converts a variant that the target does not have to the one that the hints name for this.
    fn replacement(&self, union: &str, variant: &Variant, to: &Ty) -> Option<Converted> {
        let Ty::Named(name) = self.source().resolve(&variant.ty) else {
            return None;
        };
        let fallback = self.emitter.hints().fallbacks.get(union)?;
        let columns = fallback.columns.get(name);
        let template = fallback.texts.get(name).or(fallback.otherwise.as_ref());
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
        let replacement = if let Some(Columns { list, members }) = columns {
            let (lists, values) = (members.keys(), members.values());
            let columns = quote! { &[#((#lists, #values)),*] };
            quote! { convert::columns(&value, #constants, #list, #columns, &[#(#kept),*])? }
        } else {
            let template = template?;
            self.add_loss(format!(
                "`{union}`: the variant `{ident}` becomes a `{}` with the text `{template}`",
                fallback.variant
            ));
            quote! { convert::replacement(&value, #constants, #member, #template, &[#(#kept),*])? }
        };
        // Built in the form of the source, so that its members are converted like those of others.
        Some(Converted::fallible(quote! {{
            let value: #path = #replacement;
            #value
        }}))
    }

    /// Converts a list that the target does not have, if it has one element. The source has the
    /// element as a variant, too: it is a union of one object or several, and the target has one.
    fn only_element(&self, all: &[Variant], variant: &Variant, to: &Ty) -> Option<Converted> {
        let (Ty::Array(element, _), Ty::Named(kind)) = (self.source().resolve(&variant.ty), to)
        else {
            return None;
        };
        if !matches!(**element, Ty::Named(_)) || all.iter().all(|other| other.ty != **element) {
            return None;
        }
        let value = self.convert_to_variant(element, to, &variant.features, &quote! { value })?;
        let (name, revision, value) = (&variant.ident, &self.target().revision, value.tokens);
        self.add_loss(format!(
            "`{kind}`: the variant `{name}` is an error unless it has one element"
        ));
        Some(Converted::fallible(quote! {{
            let value = convert::only(value)
                .ok_or_else(|| ConvertError::no_variant(#kind, #name, #revision))?;
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
        self.once(Search::Variant, from, to, || {
            self.variant_inside(from, to, features, expression)
        })
    }

    fn variant_inside(
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
                let converted = converted.unwrap_or_else(|| {
                    let name = &variant.ident;
                    self.add_loss(format!(
                        "`{target}`: the variant `{name}` is an error unless it is valid in both revisions"
                    ));
                    through_json(expression)
                });
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
