//! What spans all revisions: the list of revisions, types by name, messages at any revision.

use super::convert::step_exists;
use super::{EmitError, Emitter, File, cfg, module_name};
use crate::model::{Kind, MessageKind, Model, Ty, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeSet;

impl Emitter<'_> {
    /// The files beside the modules of the revisions.
    ///
    /// # Errors
    ///
    /// When a file does not parse, which is a fault of the generator.
    pub fn root(&self) -> Result<Vec<File>, EmitError> {
        Ok(vec![
            self.file("mod.rs", &self.revisions())?,
            self.file("registry.rs", &self.registry())?,
            self.file("versions.rs", &self.versions())?,
        ])
    }

    fn newest(&self) -> usize {
        self.family.models.len().saturating_sub(1)
    }

    /// The condition under which a revision is compiled: the newest always is.
    fn revision_cfg(&self, at: usize) -> Option<TokenStream> {
        (at != self.newest()).then(|| {
            let feature = feature_name(&self.family.models[at].revision);
            quote! { #[cfg(feature = #feature)] }
        })
    }

    fn revisions(&self) -> TokenStream {
        let modules = (0..=self.newest()).rev().map(|at| {
            let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
            quote! { #cfg pub mod #module; }
        });
        let texts: Vec<&String> = self
            .family
            .models
            .iter()
            .map(|model| &model.revision)
            .collect();
        let idents: Vec<syn::Ident> = self
            .family
            .models
            .iter()
            .map(|model| revision_ident(&model.revision))
            .collect();
        let latest = &idents[self.newest()];
        let docs = texts
            .iter()
            .map(|text| super::docs::lines(&format!("Revision {text}.")));
        quote! {
            //! The revisions of the specification, oldest to newest.
            #(#modules)*
            #[cfg(feature = "registry")]
            pub(crate) mod registry;
            mod versions;
            /// A revision of the specification. Older ones are smaller.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[non_exhaustive]
            pub enum Revision { #(#docs #idents,)* }
            impl Revision {
                /// All revisions, oldest first.
                pub const ALL: &'static [Self] = &[#(Self::#idents),*];
                /// The newest revision.
                pub const LATEST: Self = Self::#latest;
                /// The text that names the revision on the wire.
                #[must_use]
                pub fn as_str(self) -> &'static str {
                    match self { #(Self::#idents => #texts,)* }
                }
            }
        }
    }

    fn registry(&self) -> TokenStream {
        let tables = (0..=self.newest()).rev().map(|at| {
            let model = &self.family.models[at];
            let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
            let name = format_ident!("{}", self.modules[at].to_uppercase());
            let rows = model
                .types
                .iter()
                .map(|def| self.registry_row(at, model, &def.name));
            let about = super::docs::lines(&format!("Types of {}.", model.revision));
            let _ = module;
            quote! { #about #cfg static #name: &[Entry] = &[#(#rows),*]; }
        });
        let arms = (0..=self.newest()).map(|at| {
            let (cfg, revision) = (
                self.revision_cfg(at),
                revision_ident(&self.family.models[at].revision),
            );
            let name = format_ident!("{}", self.modules[at].to_uppercase());
            quote! { #cfg Revision::#revision => #name }
        });
        let modules = (0..=self.newest()).map(|at| {
            let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
            quote! { #cfg use super::#module; }
        });
        quote! {
            //! All types of all revisions by name.
            use crate::registry::Entry;
            use super::Revision;
            #(#modules)*
            /// The types of a revision; none if its feature is off.
            pub(crate) fn entries(revision: Revision) -> &'static [Entry] {
                match revision {
                    #(#arms,)*
                    #[allow(unreachable_patterns, reason = "unreachable with all features")]
                    _ => &[],
                }
            }
            #(#tables)*
        }
    }

    fn registry_row(&self, at: usize, model: &Model, name: &str) -> TokenStream {
        let Some(def) = model.get(name) else {
            return TokenStream::new();
        };
        let features = self.all_features(at, name, &def.features);
        let cfg = cfg(&features);
        let module = format_ident!("{}", self.modules[at]);
        let ident = format_ident!("{}", type_ident(name));
        let home = &self.family.models[self.family.home(at, name)].revision;
        let published = def.published && def.features.is_empty();
        let mut row = quote! { Entry::of::<#module::#ident>(#name, #home, #published) };
        if at < self.newest()
            && let Some(other) = self.above(at, name)
        {
            let (module2, ident2) = (
                format_ident!("{}", self.modules[at + 1]),
                format_ident!("{}", type_ident(&other)),
            );
            row = quote! { #row.up::<#module::#ident, #module2::#ident2>(#other) };
        }
        if at > 0
            && let Some(other) = self.below(at, name)
        {
            // Revisions below are features of their own; the row says so by a helper.
            let feature = feature_name(&self.family.models[at - 1].revision);
            let (module2, ident2) = (
                format_ident!("{}", self.modules[at - 1]),
                format_ident!("{}", type_ident(&other)),
            );
            row = quote! {
                {
                    let entry = #row;
                    #[cfg(feature = #feature)]
                    let entry = entry.down::<#module::#ident, #module2::#ident2>(#other);
                    entry
                }
            };
        }
        quote! { #cfg #row }
    }

    /// Proposals without which a type does not exist.
    fn all_features(&self, _at: usize, _name: &str, own: &[String]) -> Vec<String> {
        own.to_vec()
    }

    /// The type of the next revision that this one is converted to.
    pub(super) fn above(&self, at: usize, name: &str) -> Option<String> {
        let other = self.renamed(at, name);
        let (old, new) = (&self.family.models[at], &self.family.models[at + 1]);
        let target = new.get(&other)?;
        if !target.features.is_empty() || !old.get(name)?.features.is_empty() {
            return None;
        }
        step_exists(self, at, name, &other).then_some(other)
    }

    /// The type of the revision before that this one is converted to.
    pub(super) fn below(&self, at: usize, name: &str) -> Option<String> {
        let older = &self.family.models[at - 1];
        older
            .types
            .iter()
            .find(|def| {
                self.above(at - 1, &def.name)
                    .is_some_and(|other| other == name)
            })
            .map(|def| def.name.clone())
    }

    /// Parameters and results at every revision.
    fn versions(&self) -> TokenStream {
        let mut items = Vec::new();
        for at in (0..=self.newest()).rev() {
            let model = &self.family.models[at];
            let mut names = BTreeSet::new();
            for message in &model.messages {
                if let Some((ty, _)) = &message.params {
                    names.extend(self.own_name(at, ty));
                }
                names.insert(message.name.clone());
                if let MessageKind::Request(ty) = &message.kind {
                    names.extend(self.own_name(at, ty));
                }
            }
            for name in names {
                let newest = at == self.newest() || self.above(at, &name).is_none();
                if newest {
                    items.push(self.version(at, &name));
                }
            }
        }
        quote! {
            //! Parameters and results of messages at every revision that has them.
            use crate::convert::ConvertError;
            use crate::json;
            use crate::revision::{VersionError, Versioned};
            use super::Revision;
            #(#items)*
        }
    }

    fn own_name(&self, at: usize, ty: &Ty) -> Option<String> {
        let model = &self.family.models[at];
        match model.resolve(ty) {
            Ty::Named(name) => {
                let def = model.get(name)?;
                matches!(def.kind, Kind::Object(_) | Kind::Union(_)).then(|| name.clone())
            }
            _ => None,
        }
    }

    fn version(&self, at: usize, name: &str) -> TokenStream {
        let model = &self.family.models[at];
        let features = model
            .get(name)
            .map(|def| def.features.clone())
            .unwrap_or_default();
        let (cfg_type, cfg_revision) = (cfg(&features), self.revision_cfg(at));
        let path = |at: usize, name: &str| {
            let (module, ident) = (
                format_ident!("{}", self.modules[at]),
                format_ident!("{}", type_ident(name)),
            );
            quote! { super::#module::#ident }
        };
        let own = path(at, name);
        let mut chain = vec![(at, name.to_owned())];
        let (mut level, mut current) = (at, name.to_owned());
        while level > 0 && features.is_empty() {
            let Some(below) = self.below(level, &current) else {
                break;
            };
            level -= 1;
            current = below;
            chain.push((level, current.clone()));
        }
        let mut reads = Vec::new();
        let mut writes = Vec::new();
        for depth in 0..chain.len() {
            let (level, _) = &chain[depth];
            let (cfg, revision) = (
                self.revision_cfg(*level),
                revision_ident(&self.family.models[*level].revision),
            );
            // A step between revisions that share the type is none.
            let mut steps: Vec<TokenStream> = Vec::new();
            let homes: Vec<TokenStream> = chain[..=depth]
                .iter()
                .map(|(l, n)| path(self.family.home(*l, n), n))
                .collect();
            let mut distinct: Vec<&TokenStream> = Vec::new();
            for home in &homes {
                if distinct
                    .last()
                    .is_none_or(|last| last.to_string() != home.to_string())
                {
                    distinct.push(home);
                }
            }
            let lowest = distinct
                .last()
                .copied()
                .cloned()
                .unwrap_or_else(|| own.clone());
            for upper in distinct.iter().rev().skip(1) {
                steps.push(
                    quote! { let value = #upper::try_from(value).map_err(ConvertError::from)?; },
                );
            }
            reads.push(quote! {
                #cfg
                Revision::#revision => {
                    let value: #lowest = json::from_str(text)?;
                    #(#steps)*
                    Ok(value)
                }
            });
            let down = distinct.iter().skip(1).map(|lower| {
                quote! { let value = #lower::try_from(value).map_err(ConvertError::from)?; }
            });
            writes.push(quote! {
                #cfg
                Revision::#revision => {
                    let value = self;
                    #(#down)*
                    Ok(serde_json::to_string(&value)?)
                }
            });
        }
        let complete = at == self.newest() && chain.len() == self.family.models.len();
        let rest = if complete {
            quote! {
                #[allow(unreachable_patterns, reason = "unreachable with all features")]
                other => Err(VersionError::unmapped(#name, other)),
            }
        } else {
            quote! { other => Err(VersionError::unmapped(#name, other)), }
        };
        quote! {
            #cfg_revision
            #cfg_type
            impl Versioned for #own {
                fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
                    match revision { #(#reads)* #rest }
                }
                fn encode_at(self, revision: Revision) -> Result<String, VersionError> {
                    match revision { #(#writes)* #rest }
                }
            }
        }
    }
}

fn revision_ident(revision: &str) -> syn::Ident {
    let name = module_name(revision);
    format_ident!("V{}", &name[1..])
}

/// The cargo feature of a revision.
#[must_use]
pub fn feature_name(revision: &str) -> String {
    format!("v{revision}")
}
