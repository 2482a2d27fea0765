//! `proptest` strategies for every type.

use super::object::{field, stored};
use super::table::{Table, inline};
use super::{EmitError, Emitter, File, Scope, cfg, range, table_file, used};
use crate::model::{Kind, Member, Ty, Union, Variant, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Scope<'_> {
    /// Generates the table from which the strategy of the type follows.
    pub(super) fn strategy(&self) -> Result<Option<String>, EmitError> {
        let (ident, condition) = (self.ident(), cfg(&self.def.features));
        let (name, end) = match &self.def.kind {
            Kind::Object(object) if object.open => ("object_strategy", "} + extra"),
            Kind::Object(_) => ("object_strategy", "}"),
            Kind::Union(_) => ("union_strategy", "}"),
            Kind::Enum(known) => {
                let openness = if known.open { "open" } else { "closed" };
                let condition = condition.map(|it| inline(&it) + " ").unwrap_or_default();
                return Ok(Some(format!(
                    "arbitrary::text_strategy! {{ {condition}{ident} {openness} }}\n"
                )));
            }
            Kind::Alias(_) | Kind::Native(_) => return Ok(None),
        };
        let mut rows = Vec::new();
        if let Kind::Object(object) = &self.def.kind {
            for member in stored(object) {
                let strategy = self.member_strategy(member)?;
                rows.push(row(&member.features, &field(member), strategy.as_ref()));
            }
        }
        if let Kind::Union(union) = &self.def.kind {
            for variant in &union.variants {
                let strategy = self.variant_strategy(union, variant)?;
                let name = format_ident!("{}", variant.ident);
                rows.push(row(&variant.features, &name, strategy.as_ref()));
            }
        }
        let mut table = Table::new(&format!("arbitrary::{name}"));
        table.condition(condition.as_ref());
        table.list(&format!("{ident} {{"), &rows, end);
        Ok(Some(table.finish()))
    }

    /// Generates the strategy of a variant, unless it is that of its content.
    fn variant_strategy(
        &self,
        union: &Union,
        variant: &Variant,
    ) -> Result<Option<TokenStream>, EmitError> {
        let is_null = *self.model.resolve(&variant.ty) == Ty::Null;
        let filters = !self.rule_filter(&variant.ty).is_empty();
        if !is_null && !filters && !variant.is_recursive() && !is_restricted(self, &variant.ty) {
            return Ok(None);
        }
        let content = self.content_strategy(variant)?;
        let simplest = union.variants.get(union.simplest);
        let Some(simplest) = simplest.filter(|_| variant.is_recursive()) else {
            return Ok(Some(content));
        };
        let otherwise = self.content_strategy(simplest)?;
        Ok(Some(
            quote! { arbitrary::deeper(|| #content, || #otherwise) },
        ))
    }

    fn content_strategy(&self, variant: &Variant) -> Result<TokenStream, EmitError> {
        let (ident, name) = (self.ident(), format_ident!("{}", variant.ident));
        if *self.model.resolve(&variant.ty) == Ty::Null {
            return Ok(quote! { Just(#ident::#name).boxed() });
        }
        let inner = self.value_strategy(&variant.ty)?;
        let filter = self.rule_filter(&variant.ty);
        Ok(if variant.is_boxed() {
            quote! { #inner #filter.prop_map(|value| #ident::#name(Box::new(value))).boxed() }
        } else {
            quote! { #inner #filter.prop_map(#ident::#name).boxed() }
        })
    }

    /// A variant that is distinguished by optional members is only generated with them.
    fn rule_filter(&self, ty: &Ty) -> TokenStream {
        let Ty::Named(name) = ty else {
            return TokenStream::new();
        };
        let decide = self.emitter.hints().decide.get(&self.def.name);
        let (Some(when), Some(Kind::Object(object))) = (
            decide.and_then(|decide| decide.when.get(name)),
            self.model.get(name).map(|def| &def.kind),
        ) else {
            return TokenStream::new();
        };
        let fields = stored(object)
            .filter(|member| when.contains(&member.json))
            .map(field);
        quote! { .prop_filter("has the members that select the variant", |value| #(value.#fields.is_some())&&*) }
    }

    /// Generates the strategy of a member, unless it is that of its type.
    fn member_strategy(&self, member: &Member) -> Result<Option<TokenStream>, EmitError> {
        let is_plain = !member.is_recursive() && !member.is_boxed();
        if is_plain && !is_restricted(self, &member.ty) {
            return Ok(None);
        }
        let mut all = self.value_strategy(&member.ty)?;
        let resolved = self.model.resolve(&member.ty);
        if member.is_boxed() {
            let into_box = if let Ty::Nullable(_) = resolved {
                quote! { |value| value.map(Box::new) }
            } else {
                quote! { Box::new }
            };
            all = quote! { #all.prop_map(#into_box).boxed() };
        }
        let nothing = match resolved {
            _ if !member.required => {
                all = quote! { arbitrary::maybe(#all) };
                quote! { None }
            }
            Ty::Array(_, bounds) if bounds.min.is_none() => quote! { Vec::new() },
            Ty::Map(_) => quote! { Map::new() },
            Ty::Nullable(_) => quote! { None },
            _ => return Ok(Some(all)),
        };
        Ok(Some(if member.is_recursive() {
            quote! { arbitrary::deeper(|| #all, || Just(#nothing).boxed()) }
        } else {
            all
        }))
    }

    fn value_strategy(&self, ty: &Ty) -> Result<TokenStream, EmitError> {
        Ok(match self.model.resolve(ty) {
            Ty::Any => quote! { arbitrary::value() },
            Ty::AnyObject => quote! { arbitrary::object() },
            Ty::EmptyObject => quote! { any::<codec::Empty>() },
            Ty::Bool => quote! { any::<bool>() },
            Ty::Int(bounds) => {
                let range = range::int(bounds);
                quote! { arbitrary::int(#range) }
            }
            Ty::Number(bounds) => {
                let range = range::float(bounds);
                quote! { arbitrary::number(#range) }
            }
            Ty::String(_) => quote! { arbitrary::text() },
            Ty::Base64 => quote! { arbitrary::base64() },
            Ty::Array(item, bounds) => {
                let (item, range) = (self.value_strategy(item)?, range::few(bounds));
                quote! { arbitrary::list(#item, #range) }
            }
            Ty::Map(item) => {
                let item = self.value_strategy(item)?;
                quote! { arbitrary::map(#item) }
            }
            Ty::Nullable(inner) => {
                let inner = self.value_strategy(inner)?;
                quote! { arbitrary::maybe(#inner) }
            }
            Ty::Named(name) => {
                let ident = format_ident!("{}", type_ident(name));
                quote! { any::<#ident>() }
            }
            Ty::Null | Ty::Const(_) => {
                return Err(EmitError::Unsupported(format!(
                    "{}: a constant that is not a member of an object",
                    self.def.name
                )));
            }
        })
    }
}

/// Returns a row: a field or a variant, with its strategy if it has one of its own.
fn row(features: &[String], name: &syn::Ident, strategy: Option<&TokenStream>) -> String {
    let condition = cfg(features)
        .map(|it| inline(&it) + " ")
        .unwrap_or_default();
    let strategy = strategy.map(|it| format!(" in {}", inline(it)));
    format!("{condition}{name}{}", strategy.unwrap_or_default())
}

/// Returns `true` if a value of the Rust type need not be valid for the type.
fn is_restricted(scope: &Scope<'_>, ty: &Ty) -> bool {
    match scope.model.resolve(ty) {
        Ty::Int(bounds) | Ty::Number(bounds) | Ty::String(bounds) => !bounds.is_free(),
        Ty::Array(item, bounds) => !bounds.is_free() || is_restricted(scope, item),
        Ty::Map(item) | Ty::Nullable(item) => is_restricted(scope, item),
        _ => false,
    }
}

impl Emitter<'_> {
    /// Generates the file of the strategies of a revision.
    pub(super) fn strategies_file(&self, name: &str, tables: &str) -> Result<File, EmitError> {
        let support = &self.support;
        let tokens = tables.parse::<TokenStream>().unwrap_or_default();
        let mut names = used(&["Just", "Map", "any"], &tokens);
        if ["prop_map", "prop_filter", "boxed"]
            .iter()
            .any(|it| tables.contains(it))
        {
            names.push(format_ident!("Strategy"));
        }
        names.retain(|name| name != "Map");
        let imports = if names.is_empty() {
            String::new()
        } else {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            format!("use proptest::prelude::{{{}}};\n", names.join(", "))
        };
        let about = format!(
            "//! Strategies of `proptest` for the types of {name}, as tables.\n\n\
             use super::*;\nuse {support}::arbitrary;\n{imports}\n"
        );
        table_file("strategies.rs", &about, tables)
    }
}
