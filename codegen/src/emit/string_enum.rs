//! String enumerations, closed and open.

use super::table::Table;
use super::{Item, Scope, cfg, docs};
use crate::model::{Kind, Note, Part, StringEnum, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Scope<'_> {
    pub(super) fn string_enum(&self, known: &StringEnum) -> Item {
        let (docs, cfg, ident, name) = (
            self.docs(),
            cfg(&self.def.features),
            self.ident(),
            &self.def.name,
        );
        let lowered = &self.emitter.lowered[self.at].variants[name];
        let values: Vec<&String> = known.values.iter().map(|(value, _)| value).collect();
        let idents: Vec<&syn::Ident> = values.iter().map(|value| &lowered[*value]).collect();
        let texts = known.values.iter().map(|(value, words)| {
            let mut text = if words.is_empty() {
                format!("`{value}`")
            } else {
                self.prose(words)
            };
            self.add_history(&mut text, Part::Value(value));
            docs::lines(&docs::wrap(&text))
        });
        let (rest, order) = if known.open {
            let rest = quote! {
                /// A value that this revision does not declare. Only [`From`] creates it, so that
                /// it never holds a declared value.
                Other(codec::OtherText<Self>),
            };
            (rest, quote! {})
        } else {
            (quote! {}, quote! { Copy, PartialOrd, Ord, })
        };
        let mut table = Table::new("codec::text_codec");
        table.condition(cfg.as_ref());
        let other = if known.open { "open(Other)" } else { "closed" };
        table.line(&format!("{ident} = {name:?}, {other}{};", self.checked()));
        for (ident, value) in idents.iter().zip(&values) {
            table.line(&format!("{ident} = {value:?};"));
        }
        let narrower = self.narrower_conversion(known);
        Item {
            definition: quote! {
                #docs
                #cfg
                #[derive(Clone, Debug, PartialEq, Eq, Hash, #order)]
                pub enum #ident { #(#texts #idents,)* #rest }
                #narrower
            },
            codec: table.finish(),
        }
    }

    /// Generates the conversion of the type whose name the hints have for this one, if that type
    /// has some of its values. A value that this type declares in addition made it a type of its
    /// own.
    fn narrower_conversion(&self, known: &StringEnum) -> Option<TokenStream> {
        let hinted = self.model.notes.iter().find_map(|note| match note {
            Note::Named { name, hinted, .. } if *name == self.def.name => Some(hinted),
            _ => None,
        })?;
        let narrower = self.model.get(hinted)?;
        let Kind::Enum(other) = &narrower.kind else {
            return None;
        };
        let declared = |value: &String| known.values.iter().any(|(known, _)| known == value);
        let fits = !other.open && other.values.iter().all(|(value, _)| declared(value));
        if !fits || !narrower.features.is_empty() {
            return None;
        }
        let variants = &self.emitter.lowered[self.at].variants;
        let (own, theirs) = (variants.get(&self.def.name)?, variants.get(hinted)?);
        let (ident, from) = (self.ident(), format_ident!("{}", type_ident(hinted)));
        let arms = other.values.iter().map(|(value, _)| {
            let (old, new) = (&theirs[value], &own[value]);
            quote! { #from::#old => Self::#new }
        });
        let cfg = cfg(&self.def.features);
        Some(quote! {
            #cfg
            impl From<#from> for #ident {
                #[inline]
                fn from(value: #from) -> Self {
                    match value { #(#arms,)* }
                }
            }
        })
    }
}
