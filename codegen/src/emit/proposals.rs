//! The list of proposals, each of which has a feature of its own.

use super::Emitter;
use crate::model::type_ident;
use crate::schema::Patch;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Emitter<'_> {
    /// Sets the proposals to list. Patches with an identifier are extensions, which peers announce
    /// elsewhere, and are not listed.
    #[must_use]
    pub fn with_proposals(mut self, patches: &[Patch]) -> Self {
        let drafts = patches.iter().filter(|patch| patch.identifier.is_none());
        self.proposals = drafts
            .map(|patch| (patch.name.clone(), patch.title.clone()))
            .collect();
        self
    }

    pub(super) fn proposal_list(&self) -> TokenStream {
        let variants = self.proposals.iter().map(|(name, title)| {
            let (ident, docs) = (
                proposal_ident(name),
                super::docs::lines(&format!("{title}.")),
            );
            quote! { #docs #[cfg(feature = #name)] #ident }
        });
        let all = self.proposals.iter().map(|(name, _)| {
            let ident = proposal_ident(name);
            quote! { #[cfg(feature = #name)] Self::#ident }
        });
        let names = self.proposals.iter().map(|(name, _)| {
            let ident = proposal_ident(name);
            quote! { #[cfg(feature = #name)] Self::#ident => #name }
        });
        quote! {
            //! The proposals whose features are enabled.
            /// A proposed addition to the newest revision. Each is behind the feature of its name.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[non_exhaustive]
            pub enum Proposal { #(#variants,)* }
            impl Proposal {
                /// All proposals whose features are enabled.
                pub const ALL: &'static [Self] = &[#(#all,)*];
                /// Returns the name that a peer declares to use the proposal.
                #[must_use]
                pub fn as_str(self) -> &'static str {
                    match self { #(#names,)* }
                }
            }
        }
    }
}

fn proposal_ident(name: &str) -> syn::Ident {
    format_ident!("{}", type_ident(name))
}
