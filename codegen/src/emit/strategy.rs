//! `proptest` strategies for every type.

use super::object::{cfg_of, field, stored};
use super::{EmitError, Emitter, Scope, cfg, range, used};
use crate::model::{Kind, Member, Object, Ty, Union, Variant, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

impl Scope<'_> {
    pub(super) fn strategy(&self) -> Result<Option<TokenStream>, EmitError> {
        let body = match &self.def.kind {
            Kind::Object(object) => self.object_strategy(object)?,
            Kind::Enum(known) => {
                let values: Vec<&String> = known.values.iter().map(|(value, _)| value).collect();
                if known.open {
                    quote! { arbitrary::open_text(&[#(#values),*]).prop_map(Self::from).boxed() }
                } else {
                    quote! { arbitrary::closed_text(&[#(#values),*]) }
                }
            }
            Kind::Union(union) => {
                let arms = union
                    .variants
                    .iter()
                    .map(|variant| self.variant_strategy(union, variant))
                    .collect::<Result<Vec<_>, EmitError>>()?;
                quote! { arbitrary::one_of([#(#arms),*]) }
            }
            Kind::Alias(_) | Kind::Native(_) => return Ok(None),
        };
        let (ident, cfg) = (self.ident(), cfg(&self.def.features));
        Ok(Some(quote! {
            #cfg
            impl Arbitrary for #ident {
                type Parameters = ();
                type Strategy = BoxedStrategy<Self>;
                fn arbitrary_with((): ()) -> Self::Strategy { #body }
            }
        }))
    }

    fn variant_strategy(&self, union: &Union, variant: &Variant) -> Result<TokenStream, EmitError> {
        let cfg = cfg(&variant.features);
        let content = self.content_strategy(variant)?;
        let simplest = union.variants.get(union.simplest);
        let Some(simplest) = simplest.filter(|_| variant.is_recursive()) else {
            return Ok(quote! { #cfg #content });
        };
        let otherwise = self.content_strategy(simplest)?;
        Ok(quote! { #cfg arbitrary::deeper(|| #content, || #otherwise) })
    }

    fn content_strategy(&self, variant: &Variant) -> Result<TokenStream, EmitError> {
        let name = format_ident!("{}", variant.ident);
        if *self.model.resolve(&variant.ty) == Ty::Null {
            return Ok(quote! { Just(Self::#name).boxed() });
        }
        let inner = self.value_strategy(&variant.ty)?;
        let filter = self.rule_filter(&variant.ty);
        Ok(if variant.is_boxed() {
            quote! { #inner #filter.prop_map(|value| Self::#name(Box::new(value))).boxed() }
        } else {
            quote! { #inner #filter.prop_map(Self::#name).boxed() }
        })
    }

    /// A variant that is distinguished by optional members is only generated with them.
    fn rule_filter(&self, ty: &Ty) -> TokenStream {
        let Ty::Named(name) = ty else {
            return TokenStream::new();
        };
        let decide = self.emitter.hints().decide.get(&self.def.name);
        let (Some(when), Some(Kind::Object(object))) = (
            decide.and_then(|decide| decide.when.get(name)),
            self.model.get(name).map(|def| &def.kind),
        ) else {
            return TokenStream::new();
        };
        let fields = stored(object)
            .filter(|member| when.contains(&member.json))
            .map(field);
        quote! { .prop_filter("has the members that select the variant", |value| #(value.#fields.is_some())&&*) }
    }

    fn object_strategy(&self, object: &Object) -> Result<TokenStream, EmitError> {
        let ident = self.ident();
        let (first, later): (Vec<_>, Vec<_>) = stored(object).partition(|member| {
            member.required
                && self
                    .emitter
                    .hints()
                    .default_of(&self.model.revision, &self.def.name, &member.json)
                    .is_none()
        });
        let names: Vec<syn::Ident> = first.iter().map(|member| field(member)).collect();
        let strategies = first
            .iter()
            // The constructor puts values into boxes by itself.
            .map(|member| self.member_strategy(member, false))
            .collect::<Result<Vec<_>, _>>()?;
        let base = if first.is_empty() {
            quote! { Just(#ident::new()).boxed() }
        } else {
            quote! { (#(#strategies,)*).prop_map(|(#(#names,)*)| #ident::new(#(#names),*)).boxed() }
        };
        let mut steps = Vec::new();
        for member in later {
            let (cfg, name) = (cfg_of(member), field(member));
            let inner = self.member_strategy(member, member.is_boxed())?;
            steps.push(quote! {
                #cfg
                let all = arbitrary::with(all, #inner, |it, value| it.#name = value);
            });
        }
        if !object.open {
            return Ok(quote! { let all = #base; #(#steps)* all });
        }
        let known = object.members.iter().map(|member| {
            let (cfg, json) = (cfg_of(member), &member.json);
            quote! { #cfg #json }
        });
        Ok(quote! {
            let all = #base;
            #(#steps)*
            arbitrary::with(all, arbitrary::extra(&[#(#known),*]), |it, value| it.extra = value)
        })
    }

    fn member_strategy(&self, member: &Member, boxed: bool) -> Result<TokenStream, EmitError> {
        let mut all = self.value_strategy(&member.ty)?;
        let resolved = self.model.resolve(&member.ty);
        if boxed {
            let into_box = if let Ty::Nullable(_) = resolved {
                quote! { |value| value.map(Box::new) }
            } else {
                quote! { Box::new }
            };
            all = quote! { #all.prop_map(#into_box).boxed() };
        }
        let nothing = match resolved {
            _ if !member.required => {
                all = quote! { arbitrary::maybe(#all) };
                quote! { None }
            }
            Ty::Array(_, bounds) if bounds.min.is_none() => quote! { Vec::new() },
            Ty::Map(_) => quote! { Map::new() },
            Ty::Nullable(_) => quote! { None },
            _ => return Ok(all),
        };
        Ok(if member.is_recursive() {
            quote! { arbitrary::deeper(|| #all, || Just(#nothing).boxed()) }
        } else {
            all
        })
    }

    fn value_strategy(&self, ty: &Ty) -> Result<TokenStream, EmitError> {
        Ok(match self.model.resolve(ty) {
            Ty::Any => quote! { arbitrary::value() },
            Ty::AnyObject => quote! { arbitrary::object() },
            Ty::EmptyObject => quote! { any::<codec::Empty>() },
            Ty::Bool => quote! { any::<bool>() },
            Ty::Int(bounds) => {
                let range = range::int(bounds);
                quote! { arbitrary::int(#range) }
            }
            Ty::Number(bounds) => {
                let range = range::float(bounds);
                quote! { arbitrary::number(#range) }
            }
            Ty::String(_) => quote! { arbitrary::text() },
            Ty::Base64 => quote! { arbitrary::base64() },
            Ty::Array(item, bounds) => {
                let (item, range) = (self.value_strategy(item)?, range::few(bounds));
                quote! { arbitrary::list(#item, #range) }
            }
            Ty::Map(item) => {
                let item = self.value_strategy(item)?;
                quote! { arbitrary::map(#item) }
            }
            Ty::Nullable(inner) => {
                let inner = self.value_strategy(inner)?;
                quote! { arbitrary::maybe(#inner) }
            }
            Ty::Named(name) => {
                let ident = format_ident!("{}", type_ident(name));
                quote! { any::<#ident>() }
            }
            Ty::Null | Ty::Const(_) => {
                return Err(EmitError::Unsupported(format!(
                    "{}: a constant that is not a member of an object",
                    self.def.name
                )));
            }
        })
    }
}

impl Emitter<'_> {
    pub(super) fn strategies_file(&self, name: &str, items: &TokenStream) -> TokenStream {
        let support = &self.support;
        let about = format!(" Strategies of `proptest` for the types of {name}.");
        let codec = used(&["codec"], items);
        let names = used(
            &["Arbitrary", "BoxedStrategy", "Just", "Strategy", "any"],
            items,
        );
        quote! {
            #![doc = #about]
            use #support::arbitrary;
            #(use #support::#codec;)*
            use super::*;
            use proptest::prelude::{#(#names),*};
            #items
        }
    }
}
