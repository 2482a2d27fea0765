//! The placeholder values of types for decoding in place.

use super::object::{cfg_of, field, stored};
use super::{Scope, cfg};
use crate::model::{Object, Ty, Union};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Scope<'_> {
    fn vacant(&self, value: &TokenStream) -> TokenStream {
        let (ident, cfg) = (self.ident(), cfg(&self.def.features));
        quote! {
            #cfg
            impl codec::Vacant for #ident {
                const VACANT: Self = #value;
            }
        }
    }

    pub(super) fn vacant_object(&self, object: &Object) -> TokenStream {
        let fields = stored(object).map(|member| {
            let (name, cfg) = (field(member), cfg_of(member));
            let value = if member.required {
                quote! { codec::Vacant::VACANT }
            } else {
                quote! { None }
            };
            quote! { #cfg #name: #value }
        });
        let extra = object.open.then(|| quote! { extra: Extra::new() });
        self.vacant(&quote! { Self { #(#fields,)* #extra } })
    }

    /// Generates the simplest variant, which has no box inside.
    pub(super) fn vacant_union(&self, union: &Union) -> Option<TokenStream> {
        let variant = union.variants.get(union.simplest)?;
        let name = format_ident!("{}", variant.ident);
        Some(match self.model.resolve(&variant.ty) {
            Ty::Null => self.vacant(&quote! { Self::#name }),
            _ => self.vacant(&quote! { Self::#name(codec::Vacant::VACANT) }),
        })
    }

    /// Generates the first value.
    pub(super) fn vacant_enum(&self, variant: &syn::Ident) -> TokenStream {
        self.vacant(&quote! { Self::#variant })
    }
}
