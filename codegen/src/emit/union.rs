//! Unions: enums whose decoder selects the variant by the kind of the value, a tag or the shape.

use super::table::{Table, inline};
use super::{EmitError, Item, Scope, cfg, docs};
use crate::discriminate::{Candidate, JsonKind, Objects, plan};
use crate::model::{Part, Ty, Union, Variant, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

impl Scope<'_> {
    pub(super) fn union(&self, union: &Union) -> Result<Item, EmitError> {
        let (docs, cfg_type, ident) = (self.docs(), cfg(&self.def.features), self.ident());
        let mut variants = Vec::new();
        for variant in &union.variants {
            let (cfg, name) = (cfg(&variant.features), format_ident!("{}", variant.ident));
            let mut text = self.variant_docs(variant);
            if variant.features.is_empty() {
                self.add_history(&mut text, Part::Variant(&variant.ty));
            }
            let text = docs::lines(&docs::wrap(&text));
            let ty = self.held_type(&variant.ty)?;
            let held = if variant.is_boxed() {
                quote! { Box<#ty> }
            } else {
                ty
            };
            variants.push(quote! { #text #cfg #name(#held) });
        }
        Ok(Item {
            definition: quote! {
                #docs
                #cfg_type
                #[derive(Clone, Debug, PartialEq)]
                #[non_exhaustive]
                pub enum #ident { #(#variants,)* }
            },
            codec: self.union_codec(union)?,
        })
    }

    /// Generates the decoder, and the table from which the conversions and the encoder follow.
    fn union_codec(&self, union: &Union) -> Result<String, EmitError> {
        let mut text = self.decoder(union)?;
        text.push('\n');
        let (ident, cfg_type) = (self.ident(), cfg(&self.def.features));
        let mut table = Table::new("codec::union_codec");
        table.condition(cfg_type.as_ref());
        table.line(&format!("{ident};"));
        for variant in &union.variants {
            let resolved = self.model.resolve(&variant.ty);
            let like = union.variants.iter();
            let like = like.filter(|other| self.model.resolve(&other.ty) == resolved);
            let content = if like.count() == 1 {
                format!("({})", inline(&self.held_type(&variant.ty)?))
            } else {
                String::new()
            };
            table.condition(cfg(&variant.features).as_ref());
            table.line(&format!("{}{content};", variant.ident));
        }
        text.push_str(&table.finish());
        Ok(text)
    }

    fn unsupported(&self, what: &str) -> EmitError {
        EmitError::Unsupported(format!("{}: {what}", self.def.name))
    }

    /// Generates the implementation of `Decode`.
    fn decoder(&self, union: &Union) -> Result<String, EmitError> {
        let (ident, name, cfg_type) = (self.ident(), &self.def.name, cfg(&self.def.features));
        // The simplest variant has no box inside.
        let simplest = union.variants.get(union.simplest);
        let simplest = simplest.ok_or_else(|| self.unsupported("a union without variants"))?;
        let mut code = Table::default();
        code.condition(cfg_type.as_ref());
        code.open(&format!("impl codec::Decode for {ident} {{"));
        code.line(&format!(
            "fn vacant() -> Self {{\n    Self::{}(codec::Decode::vacant())\n}}\n\n",
            simplest.ident
        ));
        code.open(
            "fn decode(&mut self, text: &mut codec::Text<'_>) -> Result<(), codec::DecodeError> {",
        );
        let checks = self.checks();
        if let Some(path) = &checks {
            code.open(&format!("codec::checked(text, {path}, |text| {{"));
        }
        code.open("*self = match text.kind() {");
        let plan = plan(self.model, self.emitter.hints, name, union);
        for (kind, tried) in &plan.scalars {
            let variants: Vec<_> = tried.iter().map(|at| &union.variants[*at]).collect();
            scalar_arm(*kind, &variants, &mut code);
        }
        self.object_arm(union, &plan.objects, &mut code);
        code.line(&format!(
            "_ => return Err(codec::unexpected(text, {name:?})),"
        ));
        code.close("};");
        code.line("Ok(())");
        if checks.is_some() {
            code.close("})");
        }
        code.close("}");
        code.close("}");
        Ok(code.text())
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
                _ => format!("[`{}`]", type_ident(name)),
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

    /// Generates the arm for objects.
    fn object_arm(&self, union: &Union, objects: &Objects, code: &mut Table) {
        const OBJECT: &str = "Some(codec::Kind::Object) =>";
        match objects {
            Objects::None => {}
            Objects::Only(at) => {
                let variant = &union.variants[*at];
                code.condition(cfg(&variant.features).as_ref());
                code.line(&format!("{OBJECT} {},", read(variant)));
            }
            Objects::Tag { name, arms, absent } => {
                let union_name = &self.def.name;
                let (function, close) = match absent {
                    Some(_) => ("tag", ".as_deref()"),
                    None => ("required_tag", ".as_ref()"),
                };
                code.open(&format!(
                    "{OBJECT} match codec::{function}(text, {name:?})?{close} {{"
                ));
                let some = |pattern: &str| match absent {
                    Some(_) => format!("Some({pattern})"),
                    None => pattern.to_owned(),
                };
                for (values, at) in arms {
                    let variant = &union.variants[*at];
                    let values: Vec<String> = values.iter().map(|it| format!("{it:?}")).collect();
                    code.condition(cfg(&variant.features).as_ref());
                    let mut pattern = some(&values.join(" | "));
                    if *absent == Some(*at) {
                        pattern.push_str(" | None");
                    }
                    code.line(&format!("{pattern} => {},", read(variant)));
                }
                if let Some(at) = absent
                    && arms.iter().all(|(_, other)| other != at)
                {
                    code.line(&format!("None => {},", read(&union.variants[*at])));
                }
                code.line(&format!(
                    "{} => return Err(codec::unknown_tag({union_name:?}, {name:?}, other)),",
                    some("other")
                ));
                code.close("},");
            }
            Objects::Shape(candidates) => {
                let name = &self.def.name;
                code.open(&format!("{OBJECT} codec::first_fit(text, {name:?}, &["));
                for candidate in candidates {
                    candidate_row(union, candidate, code);
                }
                code.close("])?,");
            }
        }
    }
}

/// Generates the arm for a kind of value other than objects. Several variants are tried in
/// order.
fn scalar_arm(kind: JsonKind, variants: &[&Variant], code: &mut Table) {
    if let [only] = variants {
        code.condition(cfg(&only.features).as_ref());
        code.line(&format!("Some(codec::Kind::{kind:?}) => {},", read(only)));
        return;
    }
    code.open(&format!(
        "Some(codec::Kind::{kind:?}) => codec::first_of(text, &["
    ));
    for variant in variants {
        code.condition(cfg(&variant.features).as_ref());
        code.line(&format!("{},", closure(variant)));
    }
    code.close("])?,");
}

fn candidate_row(union: &Union, candidate: &Candidate, code: &mut Table) {
    let variant = &union.variants[candidate.variant];
    let has = candidate.required.iter();
    let has = has.map(|member| format!("codec::Has({member:?})"));
    let nested = candidate.nested.iter();
    let nested = nested.map(|(outer, inner)| format!("codec::HasInside({outer:?}, {inner:?})"));
    let constants = candidate.consts.iter().map(|(member, values)| {
        // Other constants are checked by the decoder of the variant.
        if values.iter().all(Value::is_string) {
            let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            format!("codec::HasOneOf({member:?}, &{values:?})")
        } else {
            format!("codec::Has({member:?})")
        }
    });
    let conditions: Vec<String> = has.chain(nested).chain(constants).collect();
    code.condition(cfg(&variant.features).as_ref());
    code.open("codec::Candidate {");
    code.line(&format!("name: {:?},", shown(variant)));
    code.list("conditions: &[", &conditions, "],");
    code.line(&format!("read: {},", closure(variant)));
    code.close("},");
}

/// Returns the expression that decodes a variant.
fn read(variant: &Variant) -> String {
    let name = &variant.ident;
    if variant.is_boxed() {
        format!("Self::{name}(Box::new(codec::read(text)?))")
    } else {
        format!("Self::{name}(codec::read(text)?)")
    }
}

/// Returns a closure that decodes a variant.
fn closure(variant: &Variant) -> String {
    let name = &variant.ident;
    if variant.is_boxed() {
        format!("|text| codec::read(text).map(Box::new).map(Self::{name})")
    } else {
        format!("|text| codec::read(text).map(Self::{name})")
    }
}

/// Returns the name of a variant's type.
fn shown(variant: &Variant) -> String {
    match &variant.ty {
        Ty::Named(name) => name.clone(),
        _ => variant.ident.clone(),
    }
}
