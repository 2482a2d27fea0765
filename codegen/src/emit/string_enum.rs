//! String enumerations, closed and open.

use super::{Scope, cfg, docs};
use crate::model::StringEnum;
use proc_macro2::TokenStream;
use quote::quote;

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
            let text = if words.is_empty() {
                format!("`{value}`")
            } else {
                self.prose(words)
            };
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
}
