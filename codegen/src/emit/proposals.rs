//! The list of proposals, which have one feature.

use super::registry::revision_ident;
use super::{Emitter, Proposal};
use crate::model::type_ident;
use crate::schema::Patch;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Emitter<'_> {
    /// Sets the proposals to list. Patches with an identifier are extensions, which peers announce
    /// elsewhere, and are not listed. The params and results of those that are not bound to a
    /// revision are encoded and decoded at every revision.
    #[must_use]
    pub fn with_proposals(mut self, patches: &[Patch]) -> Self {
        let unbound = patches.iter().filter(|patch| patch.any_revision);
        self.any_revision = unbound.map(|patch| patch.feature().to_owned()).collect();
        let drafts = patches.iter().filter(|patch| patch.identifier.is_none());
        self.proposals = drafts
            .map(|patch| Proposal {
                name: patch.name.clone(),
                title: patch.title.clone(),
                since: patch.since.clone(),
                feature: patch.feature().to_owned(),
            })
            .collect();
        self
    }

    /// Returns the first revision that a proposal adds to. A proposal for a later one is not
    /// listed.
    fn first_extended(&self, proposal: &Proposal) -> Option<&str> {
        let mut names = self
            .family
            .revisions()
            .iter()
            .map(|it| it.revision.as_str());
        names.find(|name| *name >= proposal.since.as_str())
    }

    pub(super) fn proposal_list(&self) -> TokenStream {
        let arms = |arm: &dyn Fn(&Proposal, syn::Ident) -> TokenStream| {
            let proposals = self.proposals.iter();
            let known = proposals.filter(|proposal| self.first_extended(proposal).is_some());
            let arms = known.map(|proposal| {
                let feature = &proposal.feature;
                let arm = arm(proposal, proposal_ident(&proposal.name));
                quote! { #[cfg(feature = #feature)] #arm }
            });
            arms.collect::<Vec<_>>()
        };
        let variants = arms(&|proposal, ident| {
            let docs = super::docs::lines(&format!("{}.", proposal.title));
            quote! { #docs #ident }
        });
        let all = arms(&|_, ident| quote! { Self::#ident });
        let names = arms(&|proposal, ident| {
            let name = &proposal.name;
            quote! { Self::#ident => #name }
        });
        let since = arms(&|proposal, ident| {
            let first = self.first_extended(proposal).map(revision_ident);
            quote! { Self::#ident => super::Revision::#first }
        });
        quote! {
            //! The proposals, if their feature is enabled.
            /// A proposed addition to the specification. Requires the feature `proposals`.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[non_exhaustive]
            pub enum Proposal { #(#variants,)* }
            impl Proposal {
                /// All proposals; empty without the feature `proposals`.
                pub const ALL: &'static [Self] = &[#(#all,)*];
                /// Returns the name that a peer declares to use the proposal.
                #[must_use]
                pub fn as_str(self) -> &'static str {
                    match self { #(#names,)* }
                }
                /// Returns the first revision that the proposal adds to.
                #[must_use]
                pub fn since(self) -> super::Revision {
                    match self { #(#since,)* }
                }
            }
        }
    }
}

fn proposal_ident(name: &str) -> syn::Ident {
    format_ident!("{}", type_ident(name))
}
