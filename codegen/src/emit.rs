//! Generates source files from the model.

mod areas;
mod convert;
mod docs;
mod imports;
mod messages;
mod methods;
mod object;
mod print;
mod proposals;
mod range;
mod registry;
mod strategy;
mod string_enum;
mod table;
mod union;

pub use registry::feature_name;

use imports::{idents, used};

use crate::discriminate;
use crate::hints::Hints;
use crate::lower::{LowerError, Lowered, lower};
use crate::model::{DRAFT, Family, History, Kind, Model, Ty, TypeDef, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

/// Generates the files of all modules.
pub struct Emitter<'a> {
    family: &'a Family,
    hints: &'a Hints,
    history: History,
    /// The area of each type, by model.
    areas: Vec<BTreeMap<String, String>>,
    /// The path of the module with the support code, relative to a file of types.
    support: TokenStream,
    lowered: Vec<Lowered>,
    /// The name of the module of each model.
    modules: Vec<String>,
    /// `true` if the output is stand-alone, with its own copy of the support code.
    standalone: bool,
    examples: Examples,
    proposals: Vec<proposals::Proposal>,
}

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path relative to the output folder.
    pub path: String,
    /// The content.
    pub text: String,
}

/// An example of a type.
#[derive(Clone, Debug)]
pub struct Example {
    /// The value.
    pub value: serde_json::Value,
    /// `true` if the generator drew it from the schema, `false` if it is in `examples.json`.
    pub drawn: bool,
}

/// The examples by revision and type.
pub type Examples = BTreeMap<(String, String), Example>;

/// The errors of generating source files.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// The lowering failed.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// A generated file is not valid Rust, which is a bug in the generator.
    #[error("{file}: the generated source does not parse")]
    Source {
        /// The file.
        file: String,
        /// The syntax error.
        #[source]
        source: syn::Error,
    },
    /// A type that the generator does not support.
    #[error("{0}")]
    Unsupported(String),
}

/// The names of the hand-written types that generated files use.
const SUPPORT: [&str; 6] = ["Base64Text", "Extra", "Map", "Number", "Object", "Value"];

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
            examples: Examples::new(),
            proposals: Vec::new(),
        })
    }

    /// Makes the output a module of its own, with the support code in its submodule `support`.
    #[must_use]
    pub fn standalone(mut self) -> Self {
        self.standalone = true;
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
                    let decide = self.hints.rules_of(&model.revision, &def.name);
                    let plan = discriminate::plan(model, &def.name, union, decide);
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
            strategies.push_str(&scope.strategy()?.unwrap_or_default());
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
        if !self.standalone && self.has_own_types(at) {
            files.push(self.strategies_file(name, &strategies)?);
        }
        files.extend(conversions);
        Ok(files)
    }

    /// Returns `false` if the module of a model only re-exports the types of others.
    fn has_own_types(&self, at: usize) -> bool {
        let mut types = self.family.models[at].types.iter();
        types.any(|def| self.family.is_home(at, &def.name))
    }

    /// Returns `false` for a draft whose messages are those of the newest revision.
    fn has_own_messages(&self, at: usize) -> bool {
        Some(at) != self.family.draft()
            || self.table(at).to_string() != self.table(self.newest()).to_string()
    }

    fn area_file(&self, at: usize, area: &str, items: &TokenStream) -> TokenStream {
        let revision = &self.family.models[at].revision;
        let about = match self.about_area(area) {
            Some(about) => format!(" Types of {revision}: {about}"),
            None => format!(" Types of {revision}."),
        };
        quote! {
            #![doc = #about]
            use super::*;
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
    fn shared_imports(&self, at: usize, items: &TokenStream) -> TokenStream {
        let support = &self.support;
        let support = if self.standalone {
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
        quote! {
            use #support::codec::{self, #(#names),*};
        }
    }

    fn module_root(
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
        let own = if self.standalone {
            quote! { pub mod support; }
        } else if has_own_types {
            quote! { #[cfg(feature = "proptest")] mod strategies; }
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
            #codecs
            #convert
            #(#reexported)*
            #(#reexports)*
            #natives
            #constants
        })
    }

    /// Generates reexports of the hand-written types under their names in the schema.
    fn natives(&self, at: usize) -> TokenStream {
        let support = if self.standalone {
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

/// What is generated for a type.
#[derive(Default)]
struct Item {
    /// The definition, with its documentation.
    definition: TokenStream,
    /// The tables from which the rest follows.
    codec: String,
}

/// The items of an area.
#[derive(Default)]
struct AreaItems {
    tokens: TokenStream,
    codecs: String,
    /// The proposals that add the types; empty if one type is part of the schema itself.
    features: Option<BTreeSet<String>>,
}

impl AreaItems {
    fn push(&mut self, features: &[String], item: &Item) {
        self.tokens.extend(item.definition.clone());
        if !item.codec.is_empty() {
            self.codecs.push('\n');
            self.codecs.push_str(&item.codec);
        }
        let known = self.features.take();
        self.features = Some(match known {
            Some(known) if known.is_empty() || features.is_empty() => BTreeSet::new(),
            known => {
                let mut known = known.unwrap_or_default();
                known.extend(features.iter().cloned());
                known
            }
        });
    }

    /// Returns the condition under which the area has types.
    fn cfg(&self) -> Option<TokenStream> {
        let features = self.features.iter().flatten().cloned();
        cfg(&features.collect::<Vec<_>>())
    }
}

/// Creates a file from tokens.
fn file(path: &str, tokens: &TokenStream) -> Result<File, EmitError> {
    let text = print::print(tokens).map_err(|source| EmitError::Source {
        file: path.to_owned(),
        source,
    })?;
    Ok(File {
        path: path.to_owned(),
        text,
    })
}

/// Creates a file from tables.
fn table_file(path: &str, start: &str, tables: &str) -> Result<File, EmitError> {
    checked(path, format!("{}{start}{tables}", print::HEADER))
}

/// Creates a file, after checking that it parses.
fn checked(path: &str, text: String) -> Result<File, EmitError> {
    syn::parse_file(&text).map_err(|source| EmitError::Source {
        file: path.to_owned(),
        source,
    })?;
    Ok(File {
        path: path.to_owned(),
        text,
    })
}

/// Returns the name of a revision's module.
#[must_use]
pub fn module_name(revision: &str) -> String {
    if revision == DRAFT {
        return revision.to_owned();
    }
    let plain: String = revision
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    format!("v{plain}")
}

/// The type that is being generated.
struct Scope<'a> {
    emitter: &'a Emitter<'a>,
    at: usize,
    model: &'a Model,
    def: &'a TypeDef,
}

impl Scope<'_> {
    fn ident(&self) -> syn::Ident {
        format_ident!("{}", type_ident(&self.def.name))
    }

    fn item(&self) -> Result<Item, EmitError> {
        match &self.def.kind {
            Kind::Object(object) => self.object(object),
            Kind::Union(union) => self.union(union),
            Kind::Enum(known) => Ok(self.string_enum(known)),
            Kind::Native(_) => Ok(Item::default()),
            Kind::Alias(target) => {
                let (docs, cfg, ident) = (self.docs(), cfg(&self.def.features), self.ident());
                let target = self.rust_type(target)?;
                Ok(Item {
                    definition: quote! { #docs #cfg pub type #ident = #target; },
                    codec: String::new(),
                })
            }
        }
    }

    /// Returns the Rust type of a value.
    fn rust_type(&self, ty: &Ty) -> Result<TokenStream, EmitError> {
        Ok(match ty {
            Ty::Any => quote! { Value },
            Ty::AnyObject => quote! { Object },
            Ty::EmptyObject => quote! { codec::Empty },
            Ty::Bool => quote! { bool },
            Ty::Int(bounds) if bounds.is_free() => quote! { i64 },
            Ty::Number(bounds) if bounds.is_free() => quote! { Number },
            Ty::String(bounds) if bounds.is_free() => quote! { String },
            Ty::Base64 => quote! { Base64Text },
            Ty::Array(item, bounds) if bounds.is_free() => {
                let item = self.rust_type(item)?;
                quote! { Vec<#item> }
            }
            Ty::Map(item) => {
                let item = self.rust_type(item)?;
                quote! { Map<#item> }
            }
            Ty::Nullable(inner) => {
                let inner = self.rust_type(inner)?;
                quote! { Option<#inner> }
            }
            Ty::Named(name) => {
                let ident = format_ident!("{}", type_ident(name));
                quote! { #ident }
            }
            Ty::Int(_) | Ty::Number(_) | Ty::String(_) | Ty::Array(..) => {
                return Err(EmitError::Unsupported(format!(
                    "{}: bounds are checked on members only, not deeper inside a type",
                    self.def.name
                )));
            }
            Ty::Null | Ty::Const(_) => {
                return Err(EmitError::Unsupported(format!(
                    "{}: a constant outside an object's member",
                    self.def.name
                )));
            }
        })
    }
}

/// Returns the condition under which an item of a proposal exists.
fn cfg(features: &[String]) -> Option<TokenStream> {
    match features {
        [] => None,
        [one] => Some(quote! { #[cfg(feature = #one)] }),
        several => Some(quote! { #[cfg(any(#(feature = #several),*))] }),
    }
}
