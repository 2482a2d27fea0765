//! Unions: enums whose decoder selects the variant by the kind of the value, a tag or the shape.

use super::{EmitError, Scope, cfg, docs};
use crate::discriminate::{Candidate, JsonKind, Objects, plan};
use crate::model::{Kind, Part, Ty, Union, Variant};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

impl Scope<'_> {
    pub(super) fn union(&self, union: &Union) -> Result<TokenStream, EmitError> {
        let (docs, cfg_type, ident) = (self.docs(), cfg(&self.def.features), self.ident());
        let mut variants = Vec::new();
        let mut froms = Vec::new();
        let mut writes = Vec::new();
        for variant in &union.variants {
            let (cfg, name) = (cfg(&variant.features), format_ident!("{}", variant.ident));
            let mut text = self.variant_docs(variant);
            if variant.features.is_empty() {
                self.add_history(&mut text, Part::Variant(&variant.ty));
            }
            let text = docs::lines(&docs::wrap(&text));
            if let Ty::Null = self.model.resolve(&variant.ty) {
                variants.push(quote! { #text #cfg #name });
                writes.push(quote! { #cfg Self::#name => serializer.serialize_unit() });
                continue;
            }
            let ty = self.held_type(&variant.ty)?;
            let (held, value) = if variant.is_boxed() {
                (quote! { Box<#ty> }, quote! { Box::new(value) })
            } else {
                (ty.clone(), quote! { value })
            };
            variants.push(quote! { #text #cfg #name(#held) });
            writes.push(quote! { #cfg Self::#name(value) => value.serialize(serializer) });
            let resolved = self.model.resolve(&variant.ty);
            let alone = union
                .variants
                .iter()
                .filter(|v| self.model.resolve(&v.ty) == resolved)
                .count()
                == 1;
            if alone {
                let cfg = cfg.clone().or_else(|| cfg_type.clone());
                froms.push(quote! {
                    #cfg
                    impl From<#ty> for #ident {
                        fn from(value: #ty) -> Self {
                            Self::#name(#value)
                        }
                    }
                });
            }
        }
        let reading = self.union_reading(union);
        Ok(quote! {
            #docs
            #cfg_type
            #[derive(Clone, Debug, PartialEq)]
            #[non_exhaustive]
            pub enum #ident { #(#variants,)* }
            #(#froms)*
            #reading
            #cfg_type
            impl Serialize for #ident {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self { #(#writes,)* }
                }
            }
        })
    }

    fn variant_docs(&self, variant: &Variant) -> String {
        match &variant.ty {
            Ty::Named(name) => match self.model.get(name) {
                Some(def) if !def.docs.is_empty() => {
                    let prose = self.prose(&def.docs);
                    prose
                        .split_inclusive(". ")
                        .next()
                        .unwrap_or(&prose)
                        .trim()
                        .to_owned()
                }
                _ => format!("[`{}`]", crate::model::type_ident(name)),
            },
            Ty::Array(..) => "An array.".into(),
            Ty::String(_) => "A string.".into(),
            Ty::Int(_) => "An integer.".into(),
            Ty::Number(_) => "A number.".into(),
            Ty::Bool => "A boolean.".into(),
            Ty::Null => "`null`.".into(),
            _ => "An object.".into(),
        }
    }

    fn held_type(&self, ty: &Ty) -> Result<TokenStream, EmitError> {
        match ty {
            // A constant in a union is only a complete type together with the other variants.
            Ty::Const(_) => Ok(quote! { Value }),
            other => self.rust_type(other),
        }
    }

    fn union_reading(&self, union: &Union) -> TokenStream {
        let (ident, name, cfg_type) = (self.ident(), &self.def.name, cfg(&self.def.features));
        let decide = self.emitter.hints.rules_of(&self.model.revision, name);
        let plan = plan(self.model, name, union, decide);
        let mut hooks = Vec::new();
        for (kind, tried) in &plan.scalars {
            hooks.push(match tried.as_slice() {
                [only] => self.scalar_hook(*kind, &union.variants[*only]),
                several => self.several_hook(*kind, several.iter().map(|at| &union.variants[*at])),
            });
        }
        let objects = self.object_hook(union, &plan.objects);
        let hooks = quote! { #(#hooks)* };
        let borrows = format!("{hooks}{objects}").contains("'de");
        let lifetime = if borrows {
            quote! { <'de> codec::FromAny<'de> }
        } else {
            quote! { codec::FromAny<'_> }
        };
        quote! {
            #cfg_type
            impl<'de> Deserialize<'de> for #ident {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    codec::read_union(deserializer)
                }
            }
            #cfg_type
            impl #lifetime for #ident {
                const NAME: &'static str = #name;
                #hooks
                #objects
            }
        }
    }

    /// Generates the decoder for several variants with the same kind of value, tried in order.
    fn several_hook<'a>(
        &self,
        kind: JsonKind,
        variants: impl Iterator<Item = &'a Variant>,
    ) -> TokenStream {
        let tries = variants.map(|variant| {
            let (cfg, name) = (cfg(&variant.features), format_ident!("{}", variant.ident));
            if *self.model.resolve(&variant.ty) == Ty::Null {
                return quote! { #cfg |_| Ok(Self::#name) };
            }
            quote! { #cfg |value| codec::from_part(value).map(Self::#name) }
        });
        let tries = quote! { &[#(#tries),*] };
        match kind {
            JsonKind::Null => quote! {
                fn from_null<E: serde::de::Error>() -> Result<Self, E> {
                    codec::first_of("null", #tries)
                }
            },
            JsonKind::Bool => quote! {
                fn from_bool<E: serde::de::Error>(value: bool) -> Result<Self, E> {
                    codec::first_of(&Value::Bool(value).to_string(), #tries)
                }
            },
            JsonKind::Number => quote! {
                fn from_number<E: serde::de::Error>(value: Number) -> Result<Self, E> {
                    codec::first_of(&Value::Number(value).to_string(), #tries)
                }
            },
            JsonKind::String => quote! {
                fn from_string<E: serde::de::Error>(value: String) -> Result<Self, E> {
                    codec::first_of(&Value::String(value).to_string(), #tries)
                }
            },
            JsonKind::Array => quote! {
                fn from_array<A: serde::de::SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
                    codec::first_of(&codec::array(items)?, #tries)
                }
            },
        }
    }

    fn scalar_hook(&self, kind: JsonKind, variant: &Variant) -> TokenStream {
        let name = format_ident!("{}", variant.ident);
        let cfg = cfg(&variant.features);
        match kind {
            JsonKind::Null => {
                let value = match self.model.resolve(&variant.ty) {
                    Ty::Null => quote! { Ok(Self::#name) },
                    Ty::Any => quote! { Ok(Self::#name(Value::Null)) },
                    _ => quote! { codec::from_part(&Value::Null).map(Self::#name) },
                };
                quote! { #cfg fn from_null<E: serde::de::Error>() -> Result<Self, E> { #value } }
            }
            JsonKind::Bool => {
                let read = if let Ty::Bool = self.model.resolve(&variant.ty) {
                    quote! { Ok(Self::#name(value)) }
                } else {
                    quote! { codec::from_part(&Value::Bool(value)).map(Self::#name) }
                };
                quote! {
                    #cfg
                    fn from_bool<E: serde::de::Error>(value: bool) -> Result<Self, E> { #read }
                }
            }
            JsonKind::Number => {
                let read = match self.model.resolve(&variant.ty) {
                    Ty::Int(_) => quote! { codec::integer(&value).map(Self::#name) },
                    Ty::Number(_) => quote! { Ok(Self::#name(value)) },
                    _ => quote! { codec::from_part(&Value::Number(value)).map(Self::#name) },
                };
                quote! {
                    #cfg
                    fn from_number<E: serde::de::Error>(value: Number) -> Result<Self, E> { #read }
                }
            }
            JsonKind::String => {
                let read = if let Ty::String(_) = self.model.resolve(&variant.ty) {
                    quote! { Ok(Self::#name(value)) }
                } else {
                    quote! { codec::from_part(&Value::String(value)).map(Self::#name) }
                };
                quote! {
                    #cfg
                    fn from_string<E: serde::de::Error>(value: String) -> Result<Self, E> { #read }
                }
            }
            JsonKind::Array => {
                let read = match self.model.resolve(&variant.ty) {
                    Ty::Array(item, _) if matches!(self.model.resolve(item), Ty::Int(_)) => {
                        quote! { codec::integers(items) }
                    }
                    Ty::Array(..) => quote! { codec::list(items) },
                    _ => quote! {
                        Deserialize::deserialize(serde::de::value::SeqAccessDeserializer::new(items))
                    },
                };
                quote! {
                    #cfg
                    fn from_array<A: serde::de::SeqAccess<'de>>(
                        items: A,
                    ) -> Result<Self, A::Error> {
                        #read.map(Self::#name)
                    }
                }
            }
        }
    }

    /// Generates the expression that decodes a variant from `members`.
    fn take(&self, variant: &Variant) -> TokenStream {
        let read = match self.kind_of(variant) {
            Some(Kind::Object(_)) => quote! { codec::FromMembers::from_members },
            Some(Kind::Union(_)) => quote! { codec::FromAny::from_object },
            _ => quote! { codec::from_map },
        };
        let constructor = constructor(variant);
        quote! { #read(members).map(#constructor) }
    }

    fn object_hook(&self, union: &Union, objects: &Objects) -> TokenStream {
        let name = &self.def.name;
        let signature = quote! {
            fn from_object<A: MapAccess<'de>>(
                members: codec::Members<'de, A>,
            ) -> Result<Self, A::Error>
        };
        match objects {
            Objects::None => quote! {},
            Objects::Only(at) => {
                let take = self.take(&union.variants[*at]);
                quote! { #signature { #take } }
            }
            Objects::Tag {
                name: tag,
                arms,
                absent,
            } => {
                let arms = arms.iter().map(|(values, at)| {
                    let variant = &union.variants[*at];
                    let (cfg, take) = (cfg(&variant.features), self.take(variant));
                    quote! { #cfg #(#values)|* => #take }
                });
                let absent = if let Some(at) = absent {
                    let variant = format_ident!("{}", union.variants[*at].ident);
                    let take = self.take(&union.variants[*at]);
                    quote! {
                        codec::Tagged::Missing(members) => #take,
                        codec::Tagged::Absent(text) => codec::from_text(&text).map(Self::#variant)
                    }
                } else {
                    quote! {
                        codec::Tagged::Missing(_) | codec::Tagged::Absent(_) => {
                            Err(codec::missing_tag(#tag))
                        }
                    }
                };
                quote! {
                    #signature {
                        match codec::find_tag(members, #tag)? {
                            codec::Tagged::Found(tag, members) => match tag.as_str() {
                                #(#arms,)*
                                other => Err(codec::unknown_tag(#name, #tag, other)),
                            },
                            codec::Tagged::Later(text) => codec::from_text(&text),
                            #absent,
                        }
                    }
                }
            }
            Objects::Shape(candidates) => {
                let rows = candidates.iter().map(|candidate| row(union, candidate));
                let mut arms = Vec::new();
                let mut known = Vec::new();
                for candidate in candidates {
                    let variant = &union.variants[candidate.variant];
                    let (cfg, shown) = (cfg(&variant.features), shown(variant));
                    let (read, constructor) = (self.undecided(variant), constructor(variant));
                    if !known.contains(&shown) {
                        arms.push(quote! { #cfg #shown => object.#read().map(#constructor) });
                        known.push(shown);
                    }
                }
                quote! {
                    #signature {
                        let candidates = const { &[#(#rows),*] };
                        codec::read_shape(members, #name, candidates, |name, object| match name {
                            #(#arms,)*
                            other => Err(codec::unknown_variant(other)),
                        })
                    }
                }
            }
        }
    }

    /// Generates the name of the method that decodes an object as a variant.
    fn undecided(&self, variant: &Variant) -> TokenStream {
        match self.kind_of(variant) {
            Some(Kind::Object(_)) => quote! { object },
            Some(Kind::Union(_)) => quote! { union },
            _ => quote! { map },
        }
    }

    fn kind_of(&self, variant: &Variant) -> Option<&Kind> {
        match &variant.ty {
            Ty::Named(target) => self.model.get(target).map(|def| &def.kind),
            _ => None,
        }
    }
}

/// Generates a row in the table of candidates.
fn row(union: &Union, candidate: &Candidate) -> TokenStream {
    let variant = &union.variants[candidate.variant];
    let (cfg, shown) = (cfg(&variant.features), shown(variant));
    let required = &candidate.required;
    let nested = candidate
        .nested
        .iter()
        .map(|(outer, inner)| quote! { (#outer, #inner) });
    let consts = candidate.consts.iter().map(|(member, values)| {
        let values = values.iter().filter_map(Value::as_str);
        let all_text = candidate.consts[member].iter().all(Value::is_string);
        if all_text {
            quote! { (#member, &[#(#values),*]) }
        } else {
            // Other constants are checked by the decoder of the variant.
            quote! { (#member, &[]) }
        }
    });
    quote! {
        #cfg
        codec::Candidate {
            name: #shown,
            required: &[#(#required),*],
            nested: &[#(#nested),*],
            texts: &[#(#consts),*],
        }
    }
}

/// Returns the name of a variant's type.
fn shown(variant: &Variant) -> String {
    match &variant.ty {
        Ty::Named(name) => name.clone(),
        _ => variant.ident.clone(),
    }
}

/// Generates the function that makes a variant of its content.
fn constructor(variant: &Variant) -> TokenStream {
    let name = format_ident!("{}", variant.ident);
    if variant.is_boxed() {
        quote! { |value| Self::#name(Box::new(value)) }
    } else {
        quote! { Self::#name }
    }
}
