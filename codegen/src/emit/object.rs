//! Structs: fields, constructors, setters, decoding and encoding.

mod kind;

use super::table::{Table, inline};
use super::{EmitError, Item, Scope, cfg, docs};
use crate::hints::with_origin;
use crate::model::{Bounds, Kind, Member, Object, Part, Ty, is_valid};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;

/// The maximum number of members: their numbers and one more have to fit in 16 bits.
const MOST_MEMBERS: usize = u16::MAX as usize;

impl Scope<'_> {
    pub(super) fn object(&self, object: &Object) -> Result<Item, EmitError> {
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
        let all_optional = stored(object).all(Member::is_option);
        let default = all_optional.then(|| quote! { , Default });
        let extra = object.open.then(|| {
            quote! {
                /// Undeclared members.
                pub extra: Extra,
            }
        });
        Ok(Item {
            definition: quote! {
                #docs
                #cfg
                #[derive(Clone, Debug, PartialEq #default)]
                #[non_exhaustive]
                pub struct #ident { #(#fields,)* #extra }
            },
            codec: self.object_codec(object)?,
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
        if member.stays_option {
            text.push_str(" This revision requires it: `None` is written as an empty value.");
        }
        if field(member) != member.json {
            text.push_str(&format!("\n\nIn JSON: `{}`.", member.json));
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
        Ok(if member.is_option() {
            quote! { Option<#ty> }
        } else {
            quote! { #ty }
        })
    }

    /// Generates the table of the members, from which the constructor, the setters, the decoder and
    /// the encoder follow.
    fn object_codec(&self, object: &Object) -> Result<String, EmitError> {
        let (ident, name, cfg) = (self.ident(), &self.def.name, cfg(&self.def.features));
        let mut table = Table::new("codec::object_codec");
        let (mut parameters, mut presets, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (at, member) in object.members.iter().enumerate() {
            if at >= MOST_MEMBERS {
                return Err(EmitError::Unsupported(format!(
                    "{name}: more than {MOST_MEMBERS} members"
                )));
            }
            let kind = self.kind(member)?;
            let mut row = format!("{at} {:?} {kind}", member.json);
            if member.constant().is_some() {
                if !member.features.is_empty() {
                    return Err(EmitError::Unsupported(format!(
                        "{name}.{}: a constant that a proposal adds",
                        member.json
                    )));
                }
                rows.push((String::new(), None, row + ";"));
                continue;
            }
            let field = field(member);
            if member.stays_option {
                row.push_str(" @kept");
            }
            row.push_str(&format!(" {field}"));
            let parameter = inline(&self.argument(&member.ty)?);
            let how = self.fill(member);
            let mut docs = String::new();
            if member.parameter {
                parameters.push(format!("{field}: {how}({parameter})"));
            } else if !member.is_option() {
                presets.extend(self.preset(member)?);
            }
            if !member.parameter || member.is_option() {
                docs = self.prose(&member.docs);
                row.push_str(&format!(" = {how}({parameter})"));
            }
            rows.push((docs, cfg_of(member), row + ";"));
        }
        table.condition(cfg.as_ref());
        let rest = if object.open {
            "extra(extra)"
        } else {
            "unknown"
        };
        let exact = if self.emitter.hints.null_as_absent {
            ""
        } else {
            ", exact"
        };
        let checked = self.checked();
        table.line(&format!("{ident} = {name:?}, {rest}{exact}{checked};"));
        if parameters.len() > 7 {
            table.line(
                "#[expect(clippy::too_many_arguments, reason = \"the schema requires them\")]",
            );
        }
        table.list("new(", &parameters, ");");
        if !presets.is_empty() {
            table.list("default(", &presets, ");");
        }
        for (docs, condition, row) in &rows {
            table.docs(docs);
            table.condition(condition.as_ref());
            table.line(row);
        }
        let mut text = table.finish();
        let derived = stored(object).all(Member::is_option);
        if parameters.is_empty() && !derived {
            let cfg = cfg
                .as_ref()
                .map(|cfg| inline(cfg) + " ")
                .unwrap_or_default();
            text.push_str(&format!("codec::default_codec! {{ {cfg}{ident} }}\n"));
        }
        Ok(text)
    }

    /// Returns the value of a required member that the constructor does not take, unless it starts
    /// as an empty one: its default, or what a conversion from an older revision sets.
    fn preset(&self, member: &Member) -> Result<Option<String>, EmitError> {
        let (hints, revision) = (self.emitter.hints, &self.model.revision);
        let (name, json) = (&self.def.name, &member.json);
        let default = hints.default_of(revision, name, json);
        let set = || {
            let set = hints.conversion_value(revision, true, name, json)?;
            let is_literal = with_origin(set, revision) == *set;
            (is_literal && is_valid(self.model, &member.ty, set)).then_some(set)
        };
        let Some(value) = default.or_else(set) else {
            return Ok(None);
        };
        let value = match self.literal(&member.ty, value) {
            Err(_) if is_valid(self.model, &member.ty, value) => {
                let text = value.to_string();
                quote! { codec::fill::decoded(#text) }
            }
            literal => literal?,
        };
        Ok(Some(format!("{} = {}", field(member), inline(&value))))
    }

    /// Returns the function that makes the value of a field of the parameter of its setter.
    fn fill(&self, member: &Member) -> &'static str {
        let nullable = matches!(self.model.resolve(&member.ty), Ty::Nullable(_));
        match (member.is_option(), member.is_boxed(), nullable) {
            (false, false, _) => "value",
            (false, true, false) => "boxed",
            (false, true, true) => "nullable_boxed",
            (true, false, _) => "some",
            (true, true, false) => "some_boxed",
            (true, true, true) => "some_nullable_boxed",
        }
    }

    /// Returns the type of a setter's parameter.
    pub(super) fn argument(&self, ty: &Ty) -> Result<TokenStream, EmitError> {
        let into = |ty: TokenStream| quote! { impl Into<#ty> };
        Ok(match self.model.resolve(ty) {
            Ty::Bool => quote! { bool },
            Ty::Int(_) => quote! { i64 },
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
                self.rust_type(ty)?
            }
            Ty::Nullable(_) => self.rust_type(&free(ty))?,
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
}

/// Returns the members that have a field.
pub(super) fn stored(object: &Object) -> impl Iterator<Item = &Member> {
    object
        .members
        .iter()
        .filter(|member| member.constant().is_none())
}

/// Returns the identifier of a field.
pub(super) fn field(member: &Member) -> syn::Ident {
    format_ident!("{}", member.ident)
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
