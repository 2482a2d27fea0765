//! The files of the module of one model.

use super::area_items::AreaItems;
use super::areas;
use super::emitter::{EmitError, Emitter, Examples, module_name};
use super::file::{File, file, table_file};
use super::imports::{idents, used};
use super::scope::Scope;
use super::table::inline;
use crate::discriminate;
use crate::hints::Hints;
use crate::lower::lower;
use crate::model::{Family, History, Kind, SUPPORT, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Emitter<'a> {
    /// Creates an emitter for a family of models. `support` is the module of the hand-written code.
    ///
    /// # Errors
    ///
    /// Returns an error if a model cannot be lowered.
    pub fn new(family: &'a Family, hints: &'a Hints, support: &str) -> Result<Self, EmitError> {
        let lowered = family
            .models
            .iter()
            .map(lower)
            .collect::<Result<Vec<_>, _>>()?;
        let support = syn::parse_str(support).map_err(|source| EmitError::Source {
            file: support.to_owned(),
            source,
        })?;
        let modules = family
            .models
            .iter()
            .map(|model| module_name(&model.revision))
            .collect();
        Ok(Self {
            family,
            hints,
            history: History::new(family, hints),
            areas: areas::assign(family, hints),
            support,
            lowered,
            modules,
            standalone: false,
            has_support: false,
            examples: Examples::new(),
            proposals: Vec::new(),
            any_revision: Vec::new(),
        })
    }

    /// Makes the output a module of another crate. With `has_support`, the support code is its
    /// submodule `support`.
    #[must_use]
    pub fn standalone(mut self, has_support: bool) -> Self {
        self.standalone = true;
        self.has_support = has_support;
        self
    }

    /// Returns messages about the unions whose variants cannot be distinguished, in all models.
    #[must_use]
    pub fn ambiguities(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (at, model) in self.family.models.iter().enumerate() {
            for def in model
                .types
                .iter()
                .filter(|def| self.family.is_home(at, &def.name))
            {
                if let Kind::Union(union) = &def.kind {
                    let plan = discriminate::plan(model, self.hints, &def.name, union);
                    found.extend(
                        plan.ambiguous
                            .iter()
                            .map(|text| format!("{}: {text}", model.revision)),
                    );
                }
            }
        }
        found
    }

    /// Generates the files of the module of one model.
    ///
    /// # Errors
    ///
    /// Returns an error if a type or conversion is not supported.
    pub fn module(&self, at: usize) -> Result<Vec<File>, EmitError> {
        let model = &self.family.models[at];
        let mut areas: BTreeMap<&str, AreaItems> = BTreeMap::new();
        let mut messages = Vec::new();
        let mut strategies = String::new();
        for def in &model.types {
            if !self.family.is_home(at, &def.name) {
                continue;
            }
            let scope = Scope {
                emitter: self,
                at,
                model,
                def,
            };
            let item = scope.item()?;
            if !item.definition.is_empty() {
                let area = areas.entry(self.area_of(at, &def.name)).or_default();
                area.push(&def.features, &item);
            }
            strategies.push_str(&scope.strategy().unwrap_or_default());
            messages.extend(scope.message());
        }
        let name = model.revision.as_str();
        let conversions = self.conversions(at)?;
        let mut files = vec![file(
            "mod.rs",
            &self.module_root(at, &areas, &conversions)?,
        )?];
        if self.has_own_messages(at) {
            let table = self.table(at);
            files.push(file(
                "messages.rs",
                &self.messages_file(name, &messages, &table),
            )?);
        }
        for (area, items) in &areas {
            let tokens = self.area_file(at, area, &items.tokens);
            files.push(file(&format!("{area}.rs"), &tokens)?);
            if !items.codecs.is_empty() {
                let about =
                    format!("//! Codecs of the types in `{area}.rs`.\n\nuse super::super::*;\n");
                files.push(table_file(
                    &format!("codecs/{area}.rs"),
                    &about,
                    &items.codecs,
                )?);
            }
        }
        if areas.values().any(|items| !items.codecs.is_empty()) {
            files.push(file("codecs/mod.rs", &self.codecs_root(&areas)?)?);
        }
        let tables = &model.checks.tables;
        if !tables.is_empty() {
            let support = &self.support;
            let about = format!(
                "//! What the types do not express, as tables.\n\nuse {}::codec;\n",
                inline(&quote! { #support })
            );
            files.push(table_file("checks.rs", &about, tables)?);
        }
        if !self.standalone && self.has_own_types(at) {
            files.push(self.strategies_file(name, &strategies)?);
        }
        files.extend(conversions);
        Ok(files)
    }

    /// Returns `false` if the module of a model only re-exports the types of others.
    pub(super) fn has_own_types(&self, at: usize) -> bool {
        let mut types = self.family.models[at].types.iter();
        types.any(|def| self.family.is_home(at, &def.name))
    }

    /// Returns `false` for a draft whose messages are those of the newest revision.
    pub(super) fn has_own_messages(&self, at: usize) -> bool {
        Some(at) != self.family.draft()
            || self.table(at).to_string() != self.table(self.newest()).to_string()
    }

    fn area_file(&self, at: usize, area: &str, items: &TokenStream) -> TokenStream {
        let revision = &self.family.models[at].revision;
        let about = match self.about_area(area) {
            Some(about) => format!(" Types of {revision}: {about}"),
            None => format!(" Types of {revision}."),
        };
        // Names of plain values alone need nothing from outside.
        let needs_others = !self.standalone
            || !self.natives(at).is_empty()
            || !self.shared_imports(at, items).is_empty();
        let imports = needs_others.then(|| quote! { use super::*; });
        quote! {
            #![doc = #about]
            #imports
            #items
        }
    }

    fn codecs_root(&self, areas: &BTreeMap<&str, AreaItems>) -> Result<TokenStream, EmitError> {
        let mut modules = TokenStream::new();
        for name in self.area_names()? {
            let items = areas.get(name).filter(|items| !items.codecs.is_empty());
            if let Some(items) = items {
                let (cfg, name) = (items.cfg(), format_ident!("{name}"));
                modules.extend(quote! { #cfg mod #name; });
            }
        }
        Ok(quote! {
            //! How the types are constructed, decoded and encoded, as tables.
            #modules
        })
    }

    /// Generates the imports that the files of all areas share.
    pub(super) fn shared_imports(&self, at: usize, items: &TokenStream) -> TokenStream {
        let support = &self.support;
        let support = if self.has_support {
            quote! { self::support }
        } else {
            quote! { #support }
        };
        let natives = self.family.models[at].types.iter();
        let natives: BTreeSet<String> = natives
            .filter(|def| matches!(def.kind, Kind::Native(_)))
            .map(|def| type_ident(&def.name))
            .collect();
        let mut names = used(&SUPPORT, items);
        names.retain(|name| !natives.contains(&name.to_string()));
        // Names of plain values alone have no tables.
        let codec = idents(items).contains("codec").then(|| quote! { self, });
        if codec.is_none() && names.is_empty() {
            return TokenStream::new();
        }
        quote! {
            use #support::codec::{#codec #(#names),*};
        }
    }
}
