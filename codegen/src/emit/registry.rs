//! The files for all revisions: the list of revisions, types by name, and messages at any revision.

mod items;
mod versions;

use super::convert::step_exists;
use super::table::Table;
use super::{EmitError, Emitter, File, cfg, checked, feature_name, file, module_name, print};
use crate::model::type_ident;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeSet;

impl Emitter<'_> {
    /// Generates the files next to the modules of the revisions.
    ///
    /// # Errors
    ///
    /// Returns an error if a generated file does not parse, which is a bug in the generator.
    pub fn root(&self) -> Result<Vec<File>, EmitError> {
        Ok(vec![
            self.map_file(),
            file("mod.rs", &self.revisions())?,
            file("items.rs", &self.items()?)?,
            file("proposals.rs", &self.proposal_list())?,
            self.registry()?,
            self.versions()?,
        ])
    }

    pub(super) fn newest(&self) -> usize {
        self.family.newest()
    }

    /// Returns the condition under which a revision or the draft is compiled. The newest revision
    /// is always compiled.
    pub(super) fn revision_cfg(&self, at: usize) -> Option<TokenStream> {
        (at != self.newest()).then(|| {
            let feature = feature_name(&self.family.models[at].revision);
            quote! { #[cfg(feature = #feature)] }
        })
    }

    /// Returns the condition under which some revision is not compiled. The feature of the oldest
    /// revision enables all others.
    fn some_revision_off(&self) -> TokenStream {
        match self.family.models.first() {
            Some(oldest) if self.newest() > 0 => {
                let feature = feature_name(&oldest.revision);
                quote! { #[cfg(not(feature = #feature))] }
            }
            _ => quote! { #[cfg(any())] },
        }
    }

    fn revisions(&self) -> TokenStream {
        let count = self.family.models.len();
        let modules = (0..count).rev().map(|at| {
            let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
            let about = (Some(at) == self.family.draft()).then(|| {
                super::docs::lines(
                    "The draft of the next revision. Unstable: any release of this crate may change it.",
                )
            });
            quote! { #about #cfg pub mod #module; }
        });
        let texts = self.family.revisions().iter().map(|model| &model.revision);
        let texts: Vec<&String> = texts.collect();
        let idents = texts.iter().map(|revision| revision_ident(revision));
        let idents: Vec<syn::Ident> = idents.collect();
        let latest = &idents[self.newest()];
        let newest = format_ident!("{}", self.modules[self.newest()]);
        let docs = texts
            .iter()
            .map(|text| super::docs::lines(&format!("The revision {text}.")));
        let retired = self.retired();
        let tables = self.family.models.iter().enumerate().map(|(at, model)| {
            let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
            let ident = revision_ident(&model.revision);
            quote! { #cfg Self::#ident => #module::MESSAGES }
        });
        let draft = self.family.draft().map(|at| self.draft(at));
        let Draft {
            variant,
            arm,
            entry,
        } = draft.unwrap_or_default();
        let (off, support) = (self.some_revision_off(), &self.support);
        quote! {
            //! The revisions of the specification, oldest to newest.
            #(#modules)*
            pub use #newest::*;
            #(#retired)*
            #[cfg(all(feature = "registry", not(test)))]
            pub(crate) mod registry;
            mod items;
            mod proposals;
            mod versions;
            pub(crate) use items::ITEMS;
            pub use proposals::Proposal;
            /// A revision of the specification. Revisions are ordered by age: an older one is less
            /// than a newer one.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[non_exhaustive]
            pub enum Revision { #(#docs #idents,)* #variant }
            impl Revision {
                /// All revisions, oldest first. The draft of the next one is no revision yet.
                pub const ALL: &'static [Self] = &[#(Self::#idents),*];
                /// All revisions, oldest first, and then the draft of the next one if the feature
                /// `draft` is enabled.
                pub const WITH_DRAFT: &'static [Self] = &[#(Self::#idents,)* #entry];
                /// The newest revision.
                pub const LATEST: Self = Self::#latest;
                /// Returns the name of the revision as it is written in messages.
                #[must_use]
                pub fn as_str(self) -> &'static str {
                    match self { #(Self::#idents => #texts,)* #arm }
                }
                /// Returns all messages of the revision. Empty if the feature of the revision is
                /// disabled.
                #[must_use]
                pub fn messages(self) -> &'static [#support::message::MessageInfo] {
                    match self { #(#tables,)* #off _ => &[] }
                }
            }
        }
    }

    /// Generates the draft's parts of the type `Revision`.
    fn draft(&self, at: usize) -> Draft {
        let model = &self.family.models[at];
        let (cfg, ident) = (self.revision_cfg(at), revision_ident(&model.revision));
        let named = model.constants.get(&self.hints.version_constant);
        let named = named.and_then(serde_json::Value::as_str).filter(|name| {
            let mut revisions = self.family.revisions().iter();
            revisions.all(|other| other.revision != *name)
        });
        let name = named.unwrap_or(&model.revision);
        Draft {
            variant: quote! {
                /// The draft of the next revision. Unstable: any release of this crate may change
                /// it.
                #cfg
                #ident,
            },
            arm: quote! { #cfg Self::#ident => #name, },
            entry: quote! { #cfg Self::#ident, },
        }
    }

    /// Re-exports the types that a newer revision removed, in the form of the last revision that
    /// has them. So a program that uses them compiles with any newest revision.
    fn retired(&self) -> Vec<TokenStream> {
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut exports = Vec::new();
        for at in (0..=self.newest()).rev() {
            let types = &self.family.models[at].types;
            let retired: Vec<syn::Ident> = types
                .iter()
                .filter(|def| def.features.is_empty())
                .map(|def| type_ident(&def.name))
                .filter(|name| !known.contains(name))
                .map(|name| format_ident!("{name}"))
                .collect();
            if at != self.newest() && !retired.is_empty() {
                let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
                exports.push(quote! { #cfg pub use #module::{#(#retired),*}; });
            }
            known.extend(types.iter().map(|def| type_ident(&def.name)));
        }
        exports
    }

    fn registry(&self) -> Result<File, EmitError> {
        let count = self.family.models.len();
        let arms = (0..count).map(|at| {
            let (cfg, revision) = (
                self.revision_cfg(at),
                revision_ident(&self.family.models[at].revision),
            );
            let name = format_ident!("{}", self.modules[at].to_uppercase());
            quote! { #cfg Revision::#revision => #name }
        });
        let modules = (0..count).map(|at| {
            let (cfg, module) = (self.revision_cfg(at), format_ident!("{}", self.modules[at]));
            quote! { #cfg use super::#module; }
        });
        let (off, support) = (self.some_revision_off(), &self.support);
        let start = print::print(&quote! {
            //! A table of all types of all revisions by their name in the schema.
            use #support::registry::{Entry, entries};
            use super::Revision;
            #(#modules)*
            /// Returns the types of a revision. The list is empty if the feature of the revision is
            /// disabled.
            pub(crate) fn entries(revision: Revision) -> &'static [Entry] {
                match revision {
                    #(#arms,)*
                    #off
                    _ => &[],
                }
            }
        });
        let mut text = start.map_err(|source| EmitError::Source {
            file: "registry.rs".into(),
            source,
        })?;
        for at in (0..count).rev() {
            text.push('\n');
            text.push_str(&self.registry_table(at));
        }
        checked("registry.rs", text)
    }

    /// Generates the table of the types of a revision: first those that are the same in the next
    /// revision, then the others.
    fn registry_table(&self, at: usize) -> String {
        let model = &self.family.models[at];
        let module = &self.modules[at];
        let mut table = Table::new("entries");
        table.condition(self.revision_cfg(at).as_ref());
        let name = self.modules[at].to_uppercase();
        table.line(&format!("/// The types of revision {}.", model.revision));
        table.open(&format!("{name}: {module} {{"));
        for def in &model.types {
            let home = &self.family.models[self.family.home(at, &def.name)].revision;
            let published = if def.published && def.features.is_empty() {
                ""
            } else {
                " [inline]"
            };
            let mut row = format!(
                "{} {:?} {home:?}{published}",
                type_ident(&def.name),
                def.name
            );
            if at < self.newest()
                && let Some(other) = self.above(at, &def.name)
            {
                let above = &self.modules[at + 1];
                row.push_str(&format!(" next {above}::{} {other:?}", type_ident(&other)));
            }
            // The newest revision is also compiled without the draft, so the draft knows the
            // conversion.
            if Some(at) == self.family.draft()
                && let Some(other) = self.below(at, &def.name)
            {
                let below = &self.modules[at - 1];
                row.push_str(&format!(
                    " previous {below}::{} {other:?}",
                    type_ident(&other)
                ));
            }
            table.condition(cfg(&def.features).as_ref());
            table.line(&(row + ";"));
        }
        table.close("}");
        table.finish()
    }

    /// Returns the type of the next revision to which this one is converted.
    pub(super) fn above(&self, at: usize, name: &str) -> Option<String> {
        let other = self.renamed(at, name);
        let (old, new) = (&self.family.models[at], &self.family.models[at + 1]);
        let target = new.get(&other)?;
        // What one proposal adds to both is the same. What a revision adopted has another
        // condition.
        if target.features != old.get(name)?.features {
            return None;
        }
        step_exists(self, at, name, &other).then_some(other)
    }

    /// Returns the type of the previous revision to which this one is converted.
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
}

/// The parts of the type `Revision` that only exist if there is a draft.
#[derive(Default)]
struct Draft {
    /// The variant.
    variant: TokenStream,
    /// The arm of a `match` that names it.
    arm: TokenStream,
    /// The element of a list of all revisions.
    entry: TokenStream,
}

pub(super) fn revision_ident(revision: &str) -> syn::Ident {
    let name = module_name(revision);
    let (first, rest) = name.split_at(1);
    format_ident!("{}{rest}", first.to_uppercase())
}
