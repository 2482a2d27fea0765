//! Structs: fields, constructors, setters, decoding and encoding.

mod calls;

use calls::constant_tokens;

use super::{EmitError, Scope, cfg, docs};
use crate::model::{Bounds, Kind, Member, Object, Part, Ty};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;

/// The maximum number of members that a reader can track.
const MOST_MEMBERS: u8 = 128;

impl Scope<'_> {
    pub(super) fn object(&self, object: &Object) -> Result<TokenStream, EmitError> {
        let (docs, cfg, ident) = (self.docs(), cfg(&self.def.features), self.ident());
        let mut fields = Vec::new();
        for member in stored(object) {
            let (text, cfg, name, ty) = (
                self.member_docs(member),
                cfg_of(member),
                field(member),
                self.field_type(member)?,
            );
            fields.push(quote! { #text #cfg pub #name: #ty });
        }
        let all_optional = stored(object).all(|member| !member.required);
        let default = all_optional.then(|| quote! { , Default });
        let extra = object.open.then(|| {
            quote! {
                /// Members that the schema does not declare, in the order in which they were received.
                pub extra: Extra,
            }
        });
        let inherent = self.inherent(object)?;
        let vacant = self.vacant_object(object);
        let reading = self.reading(object)?;
        let writing = self.writing(object)?;
        Ok(quote! {
            #docs
            #cfg
            #[derive(Clone, Debug, PartialEq #default)]
            #[non_exhaustive]
            pub struct #ident { #(#fields,)* #extra }
            #inherent
            #vacant
            #reading
            #writing
        })
    }

    fn member_docs(&self, member: &Member) -> TokenStream {
        let mut text = self.prose(&member.docs);
        if text.is_empty() {
            text = format!("The member `{}`.", member.json);
        }
        if member.deprecated {
            text.push_str(" **Deprecated** by this revision of the specification.");
        }
        if member.features.is_empty() {
            self.add_history(&mut text, Part::Member(&member.json));
        } else {
            text.push_str(&format!(
                "\n\nRequires the feature `{}`.",
                member.features.join("` or `")
            ));
        }
        docs::lines(&docs::wrap(&text))
    }

    /// Returns the type of a member. For an optional one, this is the type inside the `Option`.
    pub(super) fn field_type(&self, member: &Member) -> Result<TokenStream, EmitError> {
        let lowered = &self.emitter.lowered[self.at];
        let ty = lowered
            .fields
            .get(&self.def.name)
            .and_then(|fields| fields.get(&member.json))
            .ok_or_else(|| EmitError::Unsupported(format!("{}.{}", self.def.name, member.json)))?;
        Ok(if member.required {
            quote! { #ty }
        } else {
            quote! { Option<#ty> }
        })
    }

    /// Generates the constructor and the setters.
    fn inherent(&self, object: &Object) -> Result<TokenStream, EmitError> {
        let ident = self.ident();
        let cfg_type = cfg(&self.def.features);
        let mut parameters = Vec::new();
        let mut values = Vec::new();
        let mut setters = Vec::new();
        for member in stored(object) {
            let (name, cfg) = (field(member), cfg_of(member));
            let default =
                self.emitter
                    .hints
                    .default_of(&self.model.revision, &self.def.name, &member.json);
            let (parameter, value) = self.argument(&member.ty, &name)?;
            let value = match (member.is_boxed(), self.model.resolve(&member.ty)) {
                (false, _) => value,
                (true, Ty::Nullable(_)) => quote! { #value.map(Box::new) },
                (true, _) => quote! { Box::new(#value) },
            };
            match (member.required, default) {
                (true, None) => {
                    parameters.push(quote! { #name: #parameter });
                    values.push(init(&name, &value));
                    continue;
                }
                (true, Some(default)) => {
                    let default = self.literal(&member.ty, default)?;
                    values.push(quote! { #cfg #name: #default });
                }
                (false, _) => values.push(quote! { #cfg #name: None }),
            }
            let text = docs::lines(&format!("Sets `{}`.", member.json));
            let value = if member.required {
                value
            } else {
                quote! { Some(#value) }
            };
            // Generic setters are compiled in the crate that calls them. With `#[inline]` this is
            // also true for the other setters, together with the code that drops the old value.
            let generic = parameter.to_string().starts_with("impl");
            let inline = (!generic).then(|| quote! { #[inline] });
            setters.push(quote! {
                #text
                #cfg
                #inline
                #[must_use]
                pub fn #name(mut self, #name: #parameter) -> Self {
                    self.#name = #value;
                    self
                }
            });
        }
        let extra = object.open.then(|| quote! { extra: Extra::new() });
        let name = ident.to_string();
        let article = docs::article(&name);
        let about = docs::lines(&docs::wrap(&if parameters.is_empty() {
            format!("Creates {article} `{name}` without optional fields.")
        } else {
            format!("Creates {article} `{name}` from its required fields.")
        }));
        let many = (parameters.len() > 7).then(|| {
            quote! { #[expect(clippy::too_many_arguments, reason = "the schema requires them")] }
        });
        let derived = stored(object).all(|member| !member.required);
        let default = (parameters.is_empty() && !derived).then(|| {
            quote! {
                #cfg_type
                impl Default for #ident {
                    fn default() -> Self {
                        Self::new()
                    }
                }
            }
        });
        Ok(quote! {
            #default
            #cfg_type
            impl #ident {
                #about
                #[must_use]
                #many
                pub fn new(#(#parameters),*) -> Self {
                    Self { #(#values,)* #extra }
                }
                #(#setters)*
            }
        })
    }

    /// Returns the type of a setter's parameter, and the expression that stores it.
    pub(super) fn argument(
        &self,
        ty: &Ty,
        name: &syn::Ident,
    ) -> Result<(TokenStream, TokenStream), EmitError> {
        let into = |ty: TokenStream| (quote! { impl Into<#ty> }, quote! { #name.into() });
        Ok(match self.model.resolve(ty) {
            Ty::Bool => (quote! { bool }, quote! { #name }),
            Ty::Int(_) => (quote! { i64 }, quote! { #name }),
            Ty::String(_) => into(quote! { String }),
            Ty::Number(_) => into(quote! { Number }),
            Ty::Array(item, _) => {
                let item = match &**item {
                    // Each element is checked against the bounds when the list is decoded or
                    // encoded.
                    Ty::Int(_) => quote! { i64 },
                    item => self.rust_type(item)?,
                };
                into(quote! { Vec<#item> })
            }
            Ty::Named(target)
                if !matches!(
                    self.model.get(target).map(|def| &def.kind),
                    Some(Kind::Native(_) | Kind::Union(_) | Kind::Enum(_))
                ) =>
            {
                (self.rust_type(ty)?, quote! { #name })
            }
            Ty::Nullable(_) => (self.rust_type(&free(ty))?, quote! { #name }),
            _ => into(self.rust_type(ty)?),
        })
    }

    /// Converts a JSON value from the hints to an expression of the member's type.
    pub(super) fn literal(&self, ty: &Ty, value: &Value) -> Result<TokenStream, EmitError> {
        let wrong = || {
            EmitError::Unsupported(format!(
                "{}: `{value}` is not a valid value of this member",
                self.def.name
            ))
        };
        Ok(match (self.model.resolve(ty), value) {
            (Ty::Int(_), Value::Number(number)) => {
                let number = Literal::i64_unsuffixed(number.as_i64().ok_or_else(wrong)?);
                quote! { #number }
            }
            (Ty::Bool, Value::Bool(value)) => quote! { #value },
            (Ty::String(_), Value::String(text)) => quote! { String::from(#text) },
            (Ty::Named(name), Value::String(text)) => {
                let Some(Kind::Enum(_)) = self.model.get(name).map(|def| &def.kind) else {
                    return Err(wrong());
                };
                let home = self.emitter.family.home(self.at, name);
                let variant = self.emitter.lowered[home]
                    .variants
                    .get(name)
                    .and_then(|variants| variants.get(text))
                    .ok_or_else(wrong)?;
                let ident = format_ident!("{}", crate::model::type_ident(name));
                quote! { #ident::#variant }
            }
            _ => return Err(wrong()),
        })
    }

    fn reading(&self, object: &Object) -> Result<TokenStream, EmitError> {
        let ident = self.ident();
        let cfg_type = cfg(&self.def.features);
        let name = &self.def.name;
        let mut arms = Vec::new();
        let mut constants = Vec::new();
        let mut required = Vec::new();
        for (at, member) in object.members.iter().enumerate() {
            let at = u8::try_from(at).ok().filter(|at| *at < MOST_MEMBERS);
            let at = at.ok_or_else(|| {
                EmitError::Unsupported(format!("{name}: more than {MOST_MEMBERS} members"))
            })?;
            let (json, cfg) = (&member.json, cfg_of(member));
            let read = self.read(member, at)?;
            arms.push(quote! { #cfg Some(#json) => #read });
            let at = Literal::u8_unsuffixed(at);
            if member.constant().is_some() {
                constants.push(quote! { #cfg (#at, #json) });
            } else if member.required {
                required.push(quote! { #cfg (#at, #json) });
            }
        }
        let other = if object.open {
            quote! { reader.extra(&mut self.extra) }
        } else {
            quote! { reader.unknown() }
        };
        constants.append(&mut required);
        let required = (!constants.is_empty()).then(|| {
            quote! { const REQUIRED: &'static [(u8, &'static str)] = &[#(#constants),*]; }
        });
        let read = if arms.is_empty() {
            other
        } else {
            quote! { match reader.key() { #(#arms,)* _ => #other, } }
        };
        Ok(quote! {
            #cfg_type
            impl<'de> Deserialize<'de> for #ident {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    codec::read_object(deserializer)
                }
            }
            #cfg_type
            impl<'de> codec::FromMembers<'de> for #ident {
                const NAME: &'static str = #name;
                #required
                fn read_member<A: MapAccess<'de>>(
                    &mut self,
                    reader: &mut codec::Reader<'de, A>,
                ) -> Result<(), A::Error> {
                    #read
                }
            }
        })
    }

    fn writing(&self, object: &Object) -> Result<TokenStream, EmitError> {
        let ident = self.ident();
        let cfg_type = cfg(&self.def.features);
        let mut steps = Vec::new();
        for member in &object.members {
            let (name, json, cfg) = (field(member), &member.json, cfg_of(member));
            if let Some(constant) = member.constant() {
                let value = constant_tokens(constant)?;
                steps.push(quote! { writer.member(#json, #value); });
                continue;
            }
            let check = self.check(member);
            let list = matches!(self.model.resolve(&member.ty), Ty::Array(..));
            let method = format_ident!(
                "{}",
                match (member.required, list) {
                    (true, false) => "member",
                    (true, true) => "list",
                    (false, false) => "optional",
                    (false, true) => "optional_list",
                }
            );
            let step = quote! { writer.#method(#json, &self.#name); };
            if cfg.is_some() {
                steps.push(quote! { #cfg { #check #step } });
            } else {
                steps.push(quote! { #check #step });
            }
        }
        let known = object.members.iter().map(|member| {
            let (json, cfg) = (&member.json, cfg_of(member));
            quote! { #cfg #json }
        });
        let extra = object
            .open
            .then(|| quote! { writer.extra(&self.extra, &[#(#known),*]); });
        Ok(quote! {
            #cfg_type
            impl Serialize for #ident {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    let mut writer = codec::Writer::new(serializer);
                    #(#steps)*
                    #extra
                    writer.end()
                }
            }
        })
    }
}

/// Generates a field of a struct literal.
pub(super) fn init(name: &syn::Ident, value: &TokenStream) -> TokenStream {
    if *name == value.to_string() {
        quote! { #name }
    } else {
        quote! { #name: #value }
    }
}

/// Returns the members that have a field.
pub(super) fn stored(object: &Object) -> impl Iterator<Item = &Member> {
    object
        .members
        .iter()
        .filter(|member| member.constant().is_none())
}

/// Returns the identifier of a field. A keyword gets the suffix `_`.
pub(super) fn field(member: &Member) -> syn::Ident {
    match syn::parse_str::<syn::Ident>(&member.ident) {
        Ok(ident) => ident,
        Err(_) => format_ident!("{}_", member.ident),
    }
}

pub(super) fn cfg_of(member: &Member) -> Option<TokenStream> {
    cfg(&member.features)
}

/// Returns a type without its bounds, which are not part of the field's type.
fn free(ty: &Ty) -> Ty {
    match ty {
        Ty::Int(_) => Ty::Int(Bounds::default()),
        Ty::Number(_) => Ty::Number(Bounds::default()),
        Ty::String(_) => Ty::String(Bounds::default()),
        Ty::Nullable(inner) => Ty::Nullable(Box::new(free(inner))),
        Ty::Array(item, _) => Ty::Array(Box::new(free(item)), Bounds::default()),
        other => other.clone(),
    }
}
