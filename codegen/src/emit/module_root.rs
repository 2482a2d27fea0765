//! The root of a revision's module: its documentation, imports and reexports.

use super::area_items::AreaItems;
use super::{EmitError, Emitter, File, cfg, docs};
use crate::model::{Kind, TypeDef, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

impl Emitter<'_> {
    /// Generates the root of the module of one model.
    pub(super) fn module_root(
        &self,
        at: usize,
        areas: &BTreeMap<&str, AreaItems>,
        conversions: &[File],
    ) -> Result<TokenStream, EmitError> {
        let model = &self.family.models[at];
        let newer: BTreeSet<usize> = model
            .types
            .iter()
            .map(|def| self.family.home(at, &def.name))
            .filter(|home| *home != at)
            .collect();
        let reexports = newer.into_iter().map(|home| {
            let module = format_ident!("{}", self.modules[home]);
            let shared = model.types.iter();
            let shared = shared.filter(|def| self.family.home(at, &def.name) == home);
            let (own, added): (Vec<_>, Vec<_>) = shared.partition(|def| def.features.is_empty());
            let ident = |def: &&TypeDef| format_ident!("{}", type_ident(&def.name));
            let names: Vec<_> = own.iter().map(ident).collect();
            let names =
                (!names.is_empty()).then(|| quote! { pub use super::#module::{ #(#names),* }; });
            let added = added.iter().map(|def| {
                let (cfg, name) = (cfg(&def.features), ident(def));
                quote! { #cfg pub use super::#module::#name; }
            });
            quote! { #names #(#added)* }
        });
        let about = format!(
            " Revision {0}: {1} types of its schema, {2} messages.",
            model.revision,
            model
                .types
                .iter()
                .filter(|def| def.published && def.features.is_empty())
                .count(),
            model.messages.len(),
        );
        let constants = self.constants(at);
        let convert = conversions.iter().map(|file| {
            let is_newest = at == self.family.newest();
            let cfg = is_newest.then(|| self.revision_cfg(at + 1));
            let name = format_ident!("{}", file.path.trim_end_matches(".rs"));
            quote! { #cfg mod #name; }
        });
        let convert = quote! { #(#convert)* };
        let natives = self.natives(at);
        let has_own_types = self.has_own_types(at);
        let own = if self.has_support {
            quote! { pub mod support; }
        } else if has_own_types && !self.standalone {
            quote! { #[cfg(all(feature = "proptest", not(test)))] mod strategies; }
        } else {
            TokenStream::new()
        };
        let mut modules = TokenStream::new();
        let mut all = TokenStream::new();
        for name in self.area_names()? {
            let Some(items) = areas.get(name) else {
                continue;
            };
            let (cfg, name) = (items.cfg(), format_ident!("{name}"));
            modules.extend(quote! { #cfg mod #name; });
            all.extend(items.tokens.clone());
            all.extend(items.codecs.parse::<TokenStream>().ok());
        }
        let has_codecs = areas.values().any(|items| !items.codecs.is_empty());
        let codecs = has_codecs.then(|| quote! { mod codecs; });
        let checks = (!model.checks.tables.is_empty()).then(|| quote! { mod checks; });
        let reexported: Vec<TokenStream> = self
            .area_names()?
            .into_iter()
            .filter_map(|name| {
                let cfg = areas.get(name)?.cfg();
                let name = format_ident!("{name}");
                Some(quote! { #cfg pub use #name::*; })
            })
            .collect();
        let imports = has_own_types.then(|| self.shared_imports(at, &all));
        let map = self.area_map(at);
        let map = (!map.is_empty() && !self.standalone).then(|| {
            let lines = map.lines().map(|line| format!(" {line}"));
            quote! { #![doc = ""] #(#![doc = #lines])* }
        });
        let messages = if self.has_own_messages(at) {
            quote! { mod messages; pub use messages::*; }
        } else {
            let newest = format_ident!("{}", self.modules[self.newest()]);
            quote! { pub use super::#newest::MESSAGES; }
        };
        Ok(quote! {
            #![doc = #about]
            #map
            #imports
            #messages
            #own
            #modules
            #checks
            #codecs
            #convert
            #(#reexported)*
            #(#reexports)*
            #natives
            #constants
        })
    }

    /// Generates reexports of the hand-written types under their names in the schema.
    pub(super) fn natives(&self, at: usize) -> TokenStream {
        let support = if self.has_support {
            quote! { support }
        } else {
            self.support.clone()
        };
        let model = &self.family.models[at];
        let items = model
            .types
            .iter()
            .filter(|def| self.family.is_home(at, &def.name))
            .filter_map(|def| {
                let Kind::Native(rust) = &def.kind else {
                    return None;
                };
                let rust = format_ident!("{rust}");
                let name = format_ident!("{}", type_ident(&def.name));
                Some(if rust == name {
                    quote! { pub use #support::codec::#rust; }
                } else {
                    quote! { pub use #support::codec::#rust as #name; }
                })
            });
        quote! { #(#items)* }
    }

    fn constants(&self, at: usize) -> TokenStream {
        let model = &self.family.models[at];
        let items = model.constants.iter().filter_map(|(name, value)| {
            let ident = format_ident!("{name}");
            let docs = docs::lines(&format!(
                "The constant `{name}` of the specification: `{value}`."
            ));
            match value {
                serde_json::Value::Number(number) => {
                    let number = proc_macro2::Literal::i64_unsuffixed(number.as_i64()?);
                    Some(quote! { #docs pub const #ident: i64 = #number; })
                }
                serde_json::Value::String(text) => {
                    Some(quote! { #docs pub const #ident: &str = #text; })
                }
                _ => None,
            }
        });
        quote! { #(#items)* }
    }
}
