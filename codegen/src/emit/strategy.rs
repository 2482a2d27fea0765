//! `proptest` strategies for every type.

use super::object::{field, stored};
use super::table::{Table, inline};
use super::{EmitError, Emitter, File, Scope, cfg, range, table_file};
use crate::model::{Kind, Member, Ty, Variant};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Scope<'_> {
    /// Generates the table from which the strategy of the type follows.
    pub(super) fn strategy(&self) -> Option<String> {
        let (ident, condition) = (self.ident(), cfg(&self.def.features));
        let (name, end) = match &self.def.kind {
            Kind::Object(object) if object.open => ("object_strategy", "} + extra"),
            Kind::Object(_) => ("object_strategy", "}"),
            Kind::Union(_) => ("union_strategy", "}"),
            Kind::Enum(known) => {
                let openness = if known.open { "open" } else { "closed" };
                let condition = condition.map(|it| inline(&it) + " ").unwrap_or_default();
                return Some(format!(
                    "arbitrary::text_strategy! {{ {condition}{ident} {openness} }}\n"
                ));
            }
            Kind::Alias(_) | Kind::Native(_) => return None,
        };
        let mut rows = Vec::new();
        if let Kind::Object(object) = &self.def.kind {
            for member in stored(object) {
                let (name, strategy) = (field(member).to_string(), self.member_strategy(member));
                rows.push(row(&member.features, &name, strategy.as_ref()));
            }
        }
        if let Kind::Union(union) = &self.def.kind {
            for variant in &union.variants {
                let name = format_ident!("{}", variant.ident).to_string();
                let strategy = self.variant_strategy(variant);
                rows.push(row(&variant.features, &name, strategy.as_ref()));
            }
        }
        let mut table = Table::new(&format!("arbitrary::{name}"));
        table.condition(condition.as_ref());
        table.list(&format!("{ident} {{"), &rows, end);
        Some(table.finish())
    }

    /// Generates the strategy of the content of a variant, unless it is that of its type.
    fn variant_strategy(&self, variant: &Variant) -> Option<TokenStream> {
        let present = self.selecting_members(&variant.ty);
        if present.is_empty() && !variant.is_recursive() && !is_restricted(self, &variant.ty) {
            return None;
        }
        let mut content = self.value_strategy(&variant.ty);
        if !present.is_empty() {
            content = quote! { arbitrary::with_fields(#content, &[#(#present),*]) };
        }
        if variant.is_boxed() {
            content = quote! { arbitrary::boxed(#content) };
        }
        Some(if variant.is_recursive() {
            quote! { arbitrary::unless_deep(|| #content) }
        } else {
            content
        })
    }

    /// Returns the names of the fields of optional members that distinguish a variant. It is only
    /// drawn with them.
    fn selecting_members(&self, ty: &Ty) -> Vec<String> {
        let Ty::Named(name) = ty else {
            return Vec::new();
        };
        let decide = self.emitter.hints().decide.get(&self.def.name);
        let (Some(when), Some(Kind::Object(object))) = (
            decide.and_then(|decide| decide.when.get(name)),
            self.model.get(name).map(|def| &def.kind),
        ) else {
            return Vec::new();
        };
        stored(object)
            .filter(|member| when.contains(&member.json))
            .map(|member| field(member).to_string())
            .collect()
    }

    /// Generates the strategy of a member, unless it is that of its type.
    fn member_strategy(&self, member: &Member) -> Option<TokenStream> {
        if member.stays_option {
            let required = Member {
                stays_option: false,
                ..member.clone()
            };
            let value = self.member_strategy(&required);
            let value = value.unwrap_or_else(|| quote! { arbitrary::draw() });
            return Some(quote! { arbitrary::some(#value) });
        }
        if !member.is_recursive() && !is_restricted(self, &member.ty) {
            return None;
        }
        let resolved = self.model.resolve(&member.ty);
        let mut all = match resolved {
            Ty::Nullable(inner) if member.is_boxed() => {
                let inner = self.value_strategy(inner);
                quote! { arbitrary::maybe(arbitrary::boxed(#inner)) }
            }
            ty => self.value_strategy(ty),
        };
        if member.is_boxed() && !matches!(resolved, Ty::Nullable(_)) {
            all = quote! { arbitrary::boxed(#all) };
        }
        let nothing = match resolved {
            _ if !member.required => {
                all = quote! { arbitrary::maybe(#all) };
                quote! { arbitrary::none }
            }
            Ty::Array(_, bounds) if bounds.min.is_none() => quote! { arbitrary::empty_list },
            Ty::Map(_) => quote! { arbitrary::empty_map },
            Ty::Nullable(_) => quote! { arbitrary::none },
            _ => return Some(all),
        };
        Some(if member.is_recursive() {
            quote! { arbitrary::unless_deep(|| #all).unwrap_or_else(#nothing) }
        } else {
            all
        })
    }

    /// Generates the strategy of a type. The compiler infers the type that `draw` draws.
    fn value_strategy(&self, ty: &Ty) -> TokenStream {
        if !is_restricted(self, ty) {
            return quote! { arbitrary::draw() };
        }
        match self.model.resolve(ty) {
            Ty::Int(bounds) => {
                let range = range::int(bounds);
                quote! { arbitrary::int(#range) }
            }
            Ty::Number(bounds) => {
                let range = range::float(bounds);
                quote! { arbitrary::number(#range) }
            }
            Ty::Array(item, bounds) => {
                let (item, range) = (self.value_strategy(item), range::few(bounds));
                quote! { arbitrary::list(#item, #range) }
            }
            Ty::Map(item) => {
                let item = self.value_strategy(item);
                quote! { arbitrary::map(#item) }
            }
            Ty::Nullable(inner) => {
                let inner = self.value_strategy(inner);
                quote! { arbitrary::maybe(#inner) }
            }
            _ => quote! { arbitrary::draw() },
        }
    }
}

/// Returns a row: a field or a variant, with its strategy if it has one of its own.
fn row(features: &[String], name: &str, strategy: Option<&TokenStream>) -> String {
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
        let about = format!(
            "//! Strategies of `proptest` for the types of {name}, as tables.\n\n\
             use super::*;\nuse {support}::arbitrary;\n\n"
        );
        table_file("strategies.rs", &about, tables)
    }
}
