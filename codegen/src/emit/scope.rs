//! [`Scope`]: the type that is being generated.

use super::{EmitError, Emitter, cfg};
use crate::model::{Kind, Model, Ty, TypeDef, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The type that is being generated.
pub(super) struct Scope<'a> {
    pub(super) emitter: &'a Emitter<'a>,
    pub(super) at: usize,
    pub(super) model: &'a Model,
    pub(super) def: &'a TypeDef,
}

impl Scope<'_> {
    pub(super) fn ident(&self) -> syn::Ident {
        format_ident!("{}", type_ident(&self.def.name))
    }

    pub(super) fn item(&self) -> Result<Item, EmitError> {
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

    /// Returns the path of the table of checks of the type, if it has one.
    pub(super) fn checks(&self) -> Option<String> {
        let name = self.model.checks.names.get(&self.def.name)?;
        Some(format!("super::super::checks::{name}"))
    }

    /// Returns what the first line of a table says of the checks of the type.
    pub(super) fn checked(&self) -> String {
        let checks = self.checks();
        checks.map_or_else(String::new, |path| format!(" where checked({path})"))
    }

    /// Returns the Rust type of a value.
    pub(super) fn rust_type(&self, ty: &Ty) -> Result<TokenStream, EmitError> {
        Ok(match ty {
            Ty::Any => quote! { Value },
            Ty::AnyObject => quote! { Object },
            Ty::EmptyObject => quote! { codec::Empty },
            Ty::Null => quote! { codec::Null },
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
            Ty::Const(_) => {
                return Err(EmitError::Unsupported(format!(
                    "{}: a constant outside an object's member",
                    self.def.name
                )));
            }
        })
    }
}

/// What is generated for a type.
#[derive(Default)]
pub(super) struct Item {
    /// The definition, with its documentation.
    pub(super) definition: TokenStream,
    /// The tables from which the rest follows.
    pub(super) codec: String,
}
