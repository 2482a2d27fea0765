//! String enumerations, closed and open.

use super::{Scope, cfg, docs};
use crate::model::{Kind, Note, StringEnum, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Scope<'_> {
    pub(super) fn string_enum(&self, known: &StringEnum) -> TokenStream {
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
            text.push_str(&self.lifetime(&format!("{name}={value}"), Some(name)));
            docs::lines(&docs::wrap(&text))
        });
        let (rest, rest_text, order) = if known.open {
            (
                quote! {
                    /// A value that this revision does not declare. Only [`From`] creates it, so that
                    /// it never holds a declared value.
                    Other(codec::OtherText<Self>),
                },
                quote! { Self::Other(text) => text.as_str(), },
                quote! {},
            )
        } else {
            (quote! {}, quote! {}, quote! { Copy, PartialOrd, Ord, })
        };
        let from_text = if known.open {
            quote! {
                #cfg
                impl From<&str> for #ident {
                    #[inline]
                    fn from(text: &str) -> Self {
                        match text {
                            #(#values => Self::#idents,)*
                            other => Self::Other(codec::FromText::other(other)),
                        }
                    }
                }
                #cfg
                impl From<String> for #ident {
                    #[inline]
                    fn from(text: String) -> Self {
                        Self::from(text.as_str())
                    }
                }
                #cfg
                impl codec::FromText for #ident {
                    const VALUES: &'static [&'static str] = &[#(#values),*];
                    #[inline]
                    fn from_text(text: &str) -> Option<Self> {
                        Some(Self::from(text))
                    }
                }
            }
        } else {
            quote! {
                #cfg
                impl codec::FromText for #ident {
                    const VALUES: &'static [&'static str] = &[#(#values),*];
                    #[inline]
                    fn from_text(text: &str) -> Option<Self> {
                        Some(match text {
                            #(#values => Self::#idents,)*
                            _ => return None,
                        })
                    }
                }
                #cfg
                impl std::str::FromStr for #ident {
                    type Err = codec::UnknownValue;
                    #[inline]
                    fn from_str(text: &str) -> Result<Self, Self::Err> {
                        codec::parse_text(text)
                    }
                }
            }
        };
        let narrower = self.narrower_conversion(known);
        let vacant = idents.first().map(|first| self.vacant_enum(first));
        quote! {
            #docs
            #cfg
            #[derive(Clone, Debug, PartialEq, Eq, Hash, #order)]
            pub enum #ident { #(#texts #idents,)* #rest }
            #cfg
            impl #ident {
                /// Returns the value as it is written in messages.
                #[must_use]
                pub fn as_str(&self) -> &str {
                    match self {
                        #(Self::#idents => #values,)*
                        #rest_text
                    }
                }
            }
            #from_text
            #narrower
            #vacant
            #cfg
            impl std::fmt::Display for #ident {
                #[inline]
                fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    formatter.pad(self.as_str())
                }
            }
            #cfg
            impl Serialize for #ident {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(self.as_str())
                }
            }
            #cfg
            impl<'de> Deserialize<'de> for #ident {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    codec::read_text_enum(deserializer, #name)
                }
            }
        }
    }

    /// Generates the conversion of the type whose name the hints have for this one, if that type has
    /// some of its values. A value that this type declares in addition made it a type of its own.
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
        let arms = other.values.iter().map(|(value, _)| {
            let (from, to) = (&theirs[value], &own[value]);
            quote! { #from => Self::#to }
        });
        let (ident, from) = (self.ident(), format_ident!("{}", type_ident(hinted)));
        let arms = arms.map(|arm| quote! { #from::#arm });
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
