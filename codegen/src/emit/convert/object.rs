//! Conversions of objects, member by member.

use super::super::object::{field, stored};
use super::super::table::{Table, inline};
use super::super::{EmitError, Scope, cfg};
use super::converted::{Converted, function, through_json, try_function};
use super::direction::Direction;
use crate::hints::{ORIGIN, with_origin};
use crate::model::{Kind, Member, Model, Object, Ty, TypeDef, invent};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

/// The conversion of an object.
#[derive(Default)]
pub(super) struct ObjectConversion {
    /// The statement that creates the undeclared members.
    start: Option<TokenStream>,
    /// The statements that change them.
    stash: Vec<TokenStream>,
    /// The fields that are moved.
    same: Vec<String>,
    /// The other fields with their values.
    others: Vec<String>,
    pub(super) fails: bool,
}

impl ObjectConversion {
    fn push(&mut self, condition: Option<TokenStream>, name: &syn::Ident, value: &Converted) {
        self.fails |= value.fails;
        let condition = condition.map(|it| inline(&it) + " ").unwrap_or_default();
        let value = inline(&value.tokens);
        if value == format!("from.{name}") {
            self.same.push(format!("{condition}{name}"));
        } else {
            self.others.push(format!("{condition}{name} = {value},"));
        }
    }

    pub(super) fn rows(&self, head: &str, table: &mut Table) {
        table.line(&format!("{head};"));
        if let Some(start) = &self.start {
            table.open("{");
            table.line(&inline(start));
            for statement in &self.stash {
                table.line(&inline(statement));
            }
            table.close("}");
        }
        table.list("same {", &self.same, "}");
        for other in &self.others {
            table.line(other);
        }
    }
}

impl Direction<'_> {
    pub(super) fn object(
        &self,
        def: &TypeDef,
        a: &Object,
        target: &TypeDef,
        b: &Object,
    ) -> Result<ObjectConversion, EmitError> {
        let mut conversion = ObjectConversion::default();
        let mut stash = Vec::new();
        let find = |object: &Object, json: &str| stored(object).find(|m| m.json == json).cloned();
        let declared = |json: &str| b.members.iter().any(|member| member.json == json);
        for member in &a.members {
            let keeps = self.upward() || self.emitter.hints().keeps(&def.name, &member.json);
            if declared(&member.json) || !member.features.is_empty() {
                continue;
            }
            if !keeps {
                self.add_loss(format!("`{}.{}` is dropped", def.name, member.json));
                continue;
            }
            if let Some(constant) = member.constant() {
                let is_schema = self.emitter.hints().is_schema(&def.name);
                if let (true, Some(text)) = (!self.upward() || is_schema, constant.as_str()) {
                    let json = &member.json;
                    stash.push(quote! { extra.stash(#json, &#text); });
                }
            } else {
                let (name, json) = (field(member), &member.json);
                stash.push(if member.is_option() {
                    quote! { extra.stash_some(#json, &from.#name); }
                } else {
                    quote! { extra.stash(#json, &from.#name); }
                });
            }
        }
        for member in b
            .members
            .iter()
            .filter(|member| member.constant().is_some())
        {
            // The constant is written by the target type itself.
            if a.open && b.open && !a.members.iter().any(|other| other.json == member.json) {
                let json = &member.json;
                // A schema of a user that lacks the constant, or has another one, says something else.
                let text = member.constant().and_then(Value::as_str);
                match text.filter(|_| self.emitter.hints().is_schema(&def.name)) {
                    Some(text) => {
                        conversion.fails = true;
                        self.add_loss(format!(
                            "`{}` without `{json}`: `{text}` is an error",
                            def.name
                        ));
                        let kind = &target.name;
                        stash.push(quote! { extra.take_constant(#kind, #json, #text)?; });
                    }
                    None => stash.push(quote! { extra.remove(#json); }),
                }
            }
        }
        for member in stored(b) {
            let name = field(member);
            let source = find(a, &member.json);
            let added = source.as_ref().filter(|source| !source.features.is_empty());
            // Where the features are off, a member that a proposal adds does not exist.
            let without = source.as_ref().filter(|source| source.features.is_empty());
            let open = b.open && a.open;
            if !member.features.is_empty() {
                let same = added.filter(|source| source.features == member.features);
                let converted = match same {
                    Some(source) => self.member(def, Some(source), target, member, open)?,
                    None => Converted::infallible(quote! { None }),
                };
                conversion.push(cfg(&member.features), &name, &converted);
                continue;
            }
            if let Some(source) = added {
                // The newer revision adopted the member.
                let features = &source.features;
                let converted = self.member(def, Some(source), target, member, open)?;
                let on = quote! { #[cfg(any(#(feature = #features),*))] };
                conversion.push(Some(on), &name, &converted);
                let converted = self.member(def, None, target, member, open)?;
                let off = quote! { #[cfg(not(any(#(feature = #features),*)))] };
                conversion.push(Some(off), &name, &converted);
                continue;
            }
            let converted = self.member(def, without, target, member, open)?;
            conversion.push(None, &name, &converted);
        }
        let takes = conversion
            .others
            .iter()
            .any(|value| value.contains("extra.take"));
        let changes = takes || !stash.is_empty();
        conversion.start = match (a.open, b.open) {
            (true, true) if changes => Some(quote! { let mut extra = from.extra; }),
            (false, true) if changes => Some(quote! { let mut extra = codec::Extra::new(); }),
            _ => None,
        };
        conversion.stash = stash;
        let extra = format_ident!("extra");
        let value = match (a.open, b.open) {
            (_, true) if changes => Some(quote! { extra }),
            (true, true) => Some(quote! { from.extra }),
            (false, true) => Some(quote! { codec::Extra::new() }),
            _ => None,
        };
        if let Some(value) = value {
            conversion.push(None, &extra, &Converted::infallible(value));
        }
        Ok(conversion)
    }

    /// Generates the value of a member of the target.
    fn member(
        &self,
        def: &TypeDef,
        source: Option<&Member>,
        target: &TypeDef,
        member: &Member,
        open: bool,
    ) -> Result<Converted, EmitError> {
        let json = &member.json;
        let absent = || self.absent_member(target, member);
        let Some(source) = source else {
            let is_schema = open && self.emitter.hints().is_schema(&def.name);
            if is_schema {
                let place = format!("`{}.{json}`", def.name);
                self.add_loss(format!("{place} of another type is an error"));
            }
            let from_extra = match (is_schema, open) {
                (true, _) => quote! { extra.take_keyword(#json)? },
                (false, true) => quote! { extra.take(#json) },
                (false, false) => quote! { None },
            };
            if !member.required {
                return Ok(Converted {
                    tokens: from_extra,
                    fails: is_schema,
                });
            }
            let absent = absent()?;
            return Ok(Converted {
                tokens: in_form(member, or_else(&from_extra, &absent)),
                fails: is_schema || absent.fails,
            });
        };
        let name = field(source);
        let convert = |expression: &TokenStream| {
            let same = || self.same(&source.ty, &member.ty).then_some(());
            if source.is_boxed() && member.is_boxed() && self.search(1, same).is_some() {
                return Converted::infallible(expression.clone());
            }
            let is_nullable = |model: &Model, ty| matches!(model.resolve(ty), Ty::Nullable(_));
            let expression = match is_nullable(self.source(), &source.ty) {
                _ if !source.is_boxed() => expression.clone(),
                true => quote! { #expression.map(|value| *value) },
                false if self.same(&source.ty, &member.ty) => quote! { *#expression },
                // A method of the value is called.
                false => quote! { (*#expression) },
            };
            let converted = self.search(1, || self.value(&source.ty, &member.ty, &expression));
            let mut converted = converted.unwrap_or_else(|| {
                let place = format!("`{}.{json}`", def.name);
                self.add_loss(format!(
                    "{place} is an error unless it is valid in both revisions"
                ));
                through_json(&expression)
            });
            let value = &converted.tokens;
            converted.tokens = match is_nullable(self.target(), &member.ty) {
                _ if !member.is_boxed() => return converted,
                true => quote! { #value.map(Box::new) },
                false => quote! { Box::new(#value) },
            };
            converted
        };
        let may_lack = member.required && !source.required;
        Ok(match (source.is_option(), member.is_option()) {
            (false, false) => convert(&quote! { from.#name }).inside(json),
            (true, true) if !may_lack => {
                let converted = convert(&quote! { value });
                let value = &converted.tokens;
                let tokens = if value.to_string() == "value" {
                    quote! { from.#name }
                } else if converted.fails && self.is_schema(&source.ty) {
                    let place = format!("`{}.{json}`", def.name);
                    self.add_loss(format!("{place} is left out if it cannot be converted"));
                    let function = try_function(value);
                    return Ok(Converted::infallible(
                        quote! { convert::or_absent(from.#name, #function) },
                    ));
                } else if converted.fails {
                    let function = try_function(value);
                    quote! { convert::optional(from.#name, #function)? }
                } else {
                    let function = function(value);
                    quote! { from.#name.map(#function) }
                };
                let fails = converted.fails;
                Converted { tokens, fails }.inside(json)
            }
            (false, true) => {
                let converted = convert(&quote! { from.#name }).inside(json);
                let value = converted.tokens;
                // An empty object that only the conversion in the other direction adds is removed
                // again.
                let added = invent(
                    self.source(),
                    self.emitter.hints(),
                    &self.target().revision,
                    !self.upward(),
                    &def.name,
                    source,
                );
                let tokens = if !member.required
                    && matches!(added.value, Some(Value::Object(_)))
                    && self.has_default(&member.ty)
                {
                    let empty_value = self.empty_value(&member.ty);
                    quote! { Some(#value).filter(|value| *value != #empty_value) }
                } else {
                    quote! { Some(#value) }
                };
                Converted {
                    tokens,
                    fails: converted.fails,
                }
            }
            (true, _) => {
                let converted = convert(&quote! { value }).inside(json);
                let absent = absent()?;
                let value = converted.tokens;
                let fails = converted.fails || absent.fails;
                let tokens = if value.to_string() == "value" {
                    or_else(&quote! { from.#name }, &absent)
                } else {
                    let otherwise = absent.tokens;
                    quote! { match from.#name { Some(value) => #value, None => #otherwise } }
                };
                let tokens = in_form(member, tokens);
                Converted { tokens, fails }
            }
        })
    }

    /// Returns `true` if a type of the source is a JSON Schema that users write.
    fn is_schema(&self, ty: &Ty) -> bool {
        matches!(self.source().resolve(ty), Ty::Named(name) if self.emitter.hints().is_schema(name))
    }

    /// Generates the value of a required member of the target that the source does not have.
    fn absent_member(&self, target: &TypeDef, member: &Member) -> Result<Converted, EmitError> {
        let (kind, json) = (&target.name, &member.json);
        let invented = invent(
            self.target(),
            self.emitter.hints(),
            &self.source().revision,
            self.upward(),
            kind,
            member,
        );
        let Some(value) = &invented.value else {
            self.add_loss(format!("`{kind}` without `{json}` is an error"));
            return Ok(Converted::fallible(
                quote! { Err(ConvertError::missing(#kind, #json))? },
            ));
        };
        let from = &self.source().revision;
        let shown = with_origin(value, from);
        if shown != *value && !self.upward() {
            return Err(EmitError::Unsupported(format!(
                "`{kind}.{json}`: the text `{ORIGIN}` in a conversion to an older revision"
            )));
        }
        self.add_loss(format!("a missing `{kind}.{json}` is set to `{shown}`"));
        let scope = Scope {
            emitter: self.emitter,
            at: self.to,
            model: self.target(),
            def: target,
        };
        let prefix = if self.upward() {
            quote! { new }
        } else {
            quote! { old }
        };
        scope.hinted_value(&member.ty, value, from, &prefix)
    }

    /// Generates the value of a type with all of its members absent.
    fn empty_value(&self, ty: &Ty) -> TokenStream {
        if let Ty::Named(name) = self.target().resolve(ty) {
            let path = self.path(false, name);
            quote! { #path::default() }
        } else {
            quote! { Object::new() }
        }
    }

    fn has_default(&self, ty: &Ty) -> bool {
        match self.target().resolve(ty) {
            Ty::AnyObject => true,
            Ty::Named(name) => match self.target().get(name).map(|def| &def.kind) {
                Some(Kind::Object(object)) => stored(object).all(Member::is_option),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Puts the value of a required member in the form of its field.
fn in_form(member: &Member, value: TokenStream) -> TokenStream {
    if member.stays_option {
        quote! { Some(#value) }
    } else {
        value
    }
}

/// Generates an optional value with its replacement if it is absent.
fn or_else(value: &TokenStream, absent: &Converted) -> TokenStream {
    let otherwise = &absent.tokens;
    let text = otherwise.to_string();
    if absent.fails {
        return quote! { match #value { Some(value) => value, None => #otherwise } };
    }
    if text.ends_with("as codec :: Decode > :: vacant ()") {
        // The function without its call.
        let tokens: Vec<_> = otherwise.clone().into_iter().collect();
        let function: TokenStream = tokens.iter().take(tokens.len() - 1).cloned().collect();
        return quote! { #value.unwrap_or_else(#function) };
    }
    match text.as_str() {
        "Object :: new ()" | "Map :: new ()" | "Vec :: new ()" => {
            quote! { #value.unwrap_or_default() }
        }
        _ if text.contains(['(', '{']) => quote! { #value.unwrap_or_else(|| #otherwise) },
        _ => quote! { #value.unwrap_or(#otherwise) },
    }
}
