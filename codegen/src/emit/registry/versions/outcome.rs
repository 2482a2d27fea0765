//! Results with several outcomes, at every revision.

use super::super::super::object::field;
use super::super::super::{Emitter, cfg};
use super::super::revision_ident;
use super::Steps;
use crate::model::{Kind, MessageKind, Ty};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The outcome that older revisions have as the only one.
pub(super) struct PlainOutcome {
    /// The variant of the result.
    variant: String,
    /// The type of the variant.
    pub(super) result: String,
    /// The index of the first revision with several outcomes.
    since: usize,
}

impl Emitter<'_> {
    /// Returns the variant of a result that older revisions use for the same request. An older
    /// revision may have a single outcome where a newer one has several.
    pub(super) fn plain_outcome(&self, at: usize, name: &str) -> Option<PlainOutcome> {
        let model = &self.family.models[at];
        let Kind::Union(union) = &model.get(name)?.kind else {
            return None;
        };
        let result = |message: &crate::model::Message| match &message.kind {
            MessageKind::Request(ty) => Some(ty.clone()),
            MessageKind::Notification => None,
        };
        let answers = |ty: &Ty| self.own_name(at, ty).as_deref() == Some(name);
        let request = model
            .messages
            .iter()
            .find(|message| result(message).is_some_and(|ty| answers(&ty)))?;
        let below = at.checked_sub(1)?;
        let older = &self.family.models[below];
        let before = older
            .messages
            .iter()
            .find(|message| message.name == request.name)?;
        let before = self.own_name(below, &result(before)?)?;
        if matches!(older.get(&before)?.kind, Kind::Union(_)) {
            let plain = self.plain_outcome(below, &before)?;
            let mut variants = union.variants.iter();
            let variant = variants.find(|variant| variant.ident == plain.variant)?;
            let result = self.own_name(at, &variant.ty)?;
            return Some(PlainOutcome { result, ..plain });
        }
        let above = self.above(below, &before)?;
        let mut variants = union.variants.iter();
        let variant = variants.find(|variant| variant.ty == Ty::Named(above.clone()))?;
        Some(PlainOutcome {
            variant: variant.ident.clone(),
            result: above,
            since: at,
        })
    }

    /// Generates a result with several outcomes. Older revisions have only the plain one.
    pub(super) fn outcome(
        &self,
        at: usize,
        name: &str,
        plain: &PlainOutcome,
        steps: &[Steps],
    ) -> TokenStream {
        let (own, cfg) = (self.path_of(at, name), self.revision_cfg(at));
        let variant = format_ident!("{}", plain.variant);
        let since = revision_ident(&self.family.models[plain.since].revision);
        let mut chain = self.chain(at, name);
        chain.retain(|(level, _)| *level >= plain.since);
        let decode_body = self.decode_body(name, &chain, steps);
        let encode_body = self.encode_body(name, &chain, steps);
        quote! {
            #cfg
            impl Versioned for #own {
                #[inline]
                fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
                    if revision < Revision::#since {
                        return Versioned::decode_at(revision, text).map(Self::#variant);
                    }
                    #decode_body
                }
                #[inline]
                fn write_at(self, revision: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
                    if revision < Revision::#since {
                        return match self {
                            Self::#variant(result) => result.write_at(revision, out),
                            _ => Err(ConvertError::no_variant(
                                #name,
                                "an outcome other than the plain one",
                                revision.as_str(),
                            )
                            .into()),
                        };
                    }
                    #encode_body
                }
            }
        }
    }

    /// Generates the conversion of a result to the plain outcome.
    pub(super) fn completion(&self, at: usize, name: &str) -> TokenStream {
        let features = self.family.models[at].get(name).map(|def| &def.features);
        let cfg_type = features.and_then(|features| cfg(features));
        let (own, cfg_revision) = (self.path_of(at, name), self.revision_cfg(at));
        let (complete, body) = match self.plain_outcome(at, name) {
            None => (quote! { Self }, self.completion_check(at, name)),
            Some(plain) => {
                let variant = format_ident!("{}", plain.variant);
                let body = quote! {
                    match self {
                        Self::#variant(result) => Ok(result),
                        other => Err(Box::new(other)),
                    }
                };
                (self.path_of(at, &plain.result), body)
            }
        };
        quote! {
            #cfg_revision
            #cfg_type
            impl Outcome for #own {
                type Complete = #complete;
                #[inline]
                fn complete(self) -> Result<#complete, Box<Self>> { #body }
            }
        }
    }

    /// Generates the body that treats a result as complete if its open enumerations have the values
    /// that its constructor sets.
    fn completion_check(&self, at: usize, name: &str) -> TokenStream {
        let model = &self.family.models[at];
        let members = match model.get(name).map(|def| &def.kind) {
            Some(Kind::Object(object)) => object.members.as_slice(),
            _ => &[],
        };
        let checks = members.iter().filter(|member| member.required);
        let checks: Vec<_> = checks
            .filter_map(|member| {
                let default = self
                    .hints
                    .default_of(&model.revision, name, &member.json)?
                    .as_str()?;
                let Ty::Named(named) = model.resolve(&member.ty) else {
                    return None;
                };
                let kind = &model.get(named)?.kind;
                let field = field(member);
                matches!(kind, Kind::Enum(values) if values.open)
                    .then(|| quote! { self.#field.as_str() == #default })
            })
            .collect();
        if checks.is_empty() {
            return quote! { Ok(self) };
        }
        quote! { if #(#checks)&&* { Ok(self) } else { Err(Box::new(self)) } }
    }
}
