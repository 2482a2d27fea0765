//! Unions: enums whose decoder selects the variant by the kind of the value, a tag or the shape.

use super::table::{Table, inline};
use super::{EmitError, Item, Scope, cfg, docs};
use crate::discriminate::{Candidate, JsonKind, Objects, plan};
use crate::model::{Kind, Part, Ty, Union, Variant, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;
use std::collections::BTreeSet;

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
            if let Ty::Null = self.model.resolve(&variant.ty) {
                variants.push(quote! { #text #cfg #name });
                continue;
            }
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

    /// Generates the table of the variants, from which the conversions, the decoder and the encoder
    /// follow.
    fn union_codec(&self, union: &Union) -> Result<String, EmitError> {
        let (ident, name, cfg_type) = (self.ident(), &self.def.name, cfg(&self.def.features));
        let mut table = Table::new("codec::union_codec");
        table.condition(cfg_type.as_ref());
        // The simplest variant has no box inside.
        let simplest = union
            .variants
            .get(union.simplest)
            .ok_or_else(|| EmitError::Unsupported(format!("{name}: a union without variants")))?;
        let is_null = |variant: &&Variant| *self.model.resolve(&variant.ty) == Ty::Null;
        let content = if is_null(&simplest) {
            ""
        } else {
            "(codec::Vacant::VACANT)"
        };
        table.line(&format!("{ident} = {name:?}, {}{content};", simplest.ident));
        let (null, others): (Vec<_>, Vec<_>) = union.variants.iter().partition(is_null);
        if !null.is_empty() {
            table.open("null {");
            for variant in null {
                table.condition(cfg(&variant.features).as_ref());
                table.line(&format!("{};", variant.ident));
            }
            table.close("}");
        }
        table.open("variants {");
        for variant in others {
            let resolved = self.model.resolve(&variant.ty);
            let like = union.variants.iter();
            let like = like.filter(|other| self.model.resolve(&other.ty) == resolved);
            let content = if like.count() == 1 {
                let ty = inline(&self.held_type(&variant.ty)?);
                format!("({} {ty})", hold(variant))
            } else {
                String::new()
            };
            table.condition(cfg(&variant.features).as_ref());
            table.line(&format!("{}{content};", variant.ident));
        }
        table.close("}");
        let plan = plan(self.model, self.emitter.hints, name, union);
        let merged = self.merged(union, &plan.objects)?;
        if let Some((merged, _)) = &merged {
            table.line(&format!("merged {merged};"));
        }
        self.object_rows(union, &plan.objects, &mut table);
        if !plan.scalars.is_empty() {
            table.open("values {");
            for (kind, tried) in &plan.scalars {
                match tried.as_slice() {
                    [only] => self.scalar_row(*kind, &union.variants[*only], &mut table),
                    several => {
                        let variants = several.iter().map(|at| &union.variants[*at]);
                        self.several_row(*kind, variants, &mut table);
                    }
                }
            }
            table.close("}");
        }
        let mut text = table.finish();
        if let Some((_, merged)) = merged {
            text.push('\n');
            text.push_str(&merged);
        }
        Ok(text)
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

    /// Generates the decoder for several variants with the same kind of value, tried in order.
    fn several_row<'a>(
        &self,
        kind: JsonKind,
        variants: impl Iterator<Item = &'a Variant>,
        table: &mut Table,
    ) {
        let (argument, text) = match kind {
            JsonKind::Null => ("null", "\"null\""),
            JsonKind::Bool => ("bool(value)", "&Value::Bool(value).to_string()"),
            JsonKind::Number => ("number(value)", "&Value::Number(value).to_string()"),
            JsonKind::String => ("string(value)", "&Value::String(value).to_string()"),
            JsonKind::Array => ("array(items)", "&codec::array(items)?"),
        };
        table.open(&format!("{argument} => codec::first_of({text}, &["));
        for variant in variants {
            table.condition(cfg(&variant.features).as_ref());
            let name = &variant.ident;
            table.line(&if *self.model.resolve(&variant.ty) == Ty::Null {
                format!("|_| Ok(Self::{name}),")
            } else {
                format!("|value| codec::from_part(value).map(Self::{name}),")
            });
        }
        table.close("]);");
    }

    fn scalar_row(&self, kind: JsonKind, variant: &Variant, table: &mut Table) {
        let name = &variant.ident;
        let ty = self.model.resolve(&variant.ty);
        let part = |value: &str| format!("codec::from_part(&{value}).map(Self::{name})");
        let plain = || format!("Ok(Self::{name}(value))");
        let (argument, read) = match (kind, ty) {
            (JsonKind::Null, Ty::Null) => ("null", format!("Ok(Self::{name})")),
            (JsonKind::Null, Ty::Any) => ("null", format!("Ok(Self::{name}(Value::Null))")),
            (JsonKind::Null, _) => ("null", part("Value::Null")),
            (JsonKind::Bool, Ty::Bool) => ("bool(value)", plain()),
            (JsonKind::Bool, _) => ("bool(value)", part("Value::Bool(value)")),
            (JsonKind::Number, Ty::Int(_)) => (
                "number(value)",
                format!("codec::integer(&value).map(Self::{name})"),
            ),
            (JsonKind::Number, Ty::Number(_)) => ("number(value)", plain()),
            (JsonKind::Number, _) => ("number(value)", part("Value::Number(value)")),
            (JsonKind::String, Ty::String(_)) => ("string(value)", plain()),
            (JsonKind::String, _) => ("string(value)", part("Value::String(value)")),
            (JsonKind::Array, Ty::Array(item, _)) => {
                let list = match self.model.resolve(item) {
                    Ty::Int(_) => "integers",
                    _ => "list",
                };
                (
                    "array(items)",
                    format!("codec::{list}(items).map(Self::{name})"),
                )
            }
            (JsonKind::Array, _) => {
                let source = "serde::de::value::SeqAccessDeserializer::new(items)";
                let read = format!("serde::Deserialize::deserialize({source}).map(Self::{name})");
                ("array(items)", read)
            }
        };
        table.condition(cfg(&variant.features).as_ref());
        table.line(&format!("{argument} => {read};"));
    }

    /// Returns how a variant is decoded from the members of an object.
    fn take(&self, variant: &Variant) -> String {
        let read = self.reading(variant);
        format!("{read} {} {};", hold(variant), variant.ident)
    }

    fn object_rows(&self, union: &Union, objects: &Objects, table: &mut Table) {
        match objects {
            Objects::None => {}
            Objects::Only(at) => {
                table.line(&format!("only {{ {} }}", self.take(&union.variants[*at])));
            }
            Objects::Tag {
                name: tag,
                arms,
                absent,
            } => {
                table.open(&format!("tag {tag:?} {{"));
                for (values, at) in arms {
                    let variant = &union.variants[*at];
                    let values: Vec<String> = values.iter().map(|it| format!("{it:?}")).collect();
                    table.condition(cfg(&variant.features).as_ref());
                    table.line(&format!("{} => {}", values.join(" | "), self.take(variant)));
                }
                table.close("}");
                table.line(&match absent {
                    Some(at) => format!("absent {{ {} }}", self.take(&union.variants[*at])),
                    None => format!("required {{ {tag:?} }}"),
                });
            }
            Objects::Shape { shared, candidates } => {
                table.open(&format!("shape{} [", list("all", shared)));
                self.shape_rows(union, candidates, table);
            }
        }
    }

    fn shape_rows(&self, union: &Union, candidates: &[Candidate], table: &mut Table) {
        for candidate in candidates {
            let way = self.way(union, candidate);
            way.conditions(table);
            let is_struct = self.reading(way.end()) == "object";
            table.line(&row(way.end(), candidate, is_struct));
        }
        table.close("] {");
        table.indent();
        let mut known = Vec::new();
        for candidate in candidates {
            let way = self.way(union, candidate);
            let shown = shown(way.end());
            if !known.contains(&shown) {
                way.conditions(table);
                let read = self.reading(way.end());
                table.line(&format!("{shown:?} => {read} {};", way.steps()));
                known.push(shown);
            }
        }
        table.close("}");
    }

    /// Returns the variants that a candidate leads to.
    pub(super) fn way<'u>(&'u self, union: &'u Union, candidate: &'u Candidate) -> Way<'u> {
        let inner = candidate.inner.iter().filter_map(|inner| {
            match self.model.get(&inner.union).map(|def| &def.kind) {
                Some(Kind::Union(union)) => {
                    Some((inner.union.as_str(), &union.variants[inner.variant]))
                }
                _ => None,
            }
        });
        Way {
            outer: &union.variants[candidate.variant],
            inner: inner.collect(),
        }
    }

    /// Returns the name of the method that decodes an object as a variant.
    fn reading(&self, variant: &Variant) -> &'static str {
        match self.kind_of(variant) {
            Some(Kind::Object(_)) => "object",
            Some(Kind::Union(_)) => "union",
            _ => "map",
        }
    }

    fn kind_of(&self, variant: &Variant) -> Option<&Kind> {
        match &variant.ty {
            Ty::Named(target) => self.model.get(target).map(|def| &def.kind),
            _ => None,
        }
    }
}

/// The variants on the way from a union to the type as which an object is decoded.
pub(super) struct Way<'a> {
    outer: &'a Variant,
    /// The unions inside the variant, each with its variant, from the outermost to the innermost.
    inner: Vec<(&'a str, &'a Variant)>,
}

impl<'a> Way<'a> {
    /// Returns the last variant.
    pub(super) fn end(&self) -> &'a Variant {
        self.inner.last().map_or(self.outer, |(_, variant)| variant)
    }

    /// Returns all variants, from the outermost to the innermost.
    pub(super) fn variants(&self) -> impl Iterator<Item = &'a Variant> {
        let inner = self.inner.iter().map(|(_, variant)| *variant);
        std::iter::once(self.outer).chain(inner)
    }

    /// Adds the conditions under which all variants exist.
    fn conditions(&self, table: &mut Table) {
        for variant in self.variants() {
            table.condition(cfg(&variant.features).as_ref());
        }
    }

    /// Returns the variants in the notation of the table.
    pub(super) fn steps(&self) -> String {
        let mut steps = format!("{} {}", hold(self.outer), self.outer.ident);
        for (union, variant) in &self.inner {
            let union = type_ident(union);
            steps.push_str(&format!(" > {union} {} {}", hold(variant), variant.ident));
        }
        steps
    }
}

/// Generates a row in the table of candidates.
fn row(variant: &Variant, candidate: &Candidate, is_struct: bool) -> String {
    let nested = candidate.nested.iter();
    let nested: Vec<String> = nested.map(|pair| format!("{pair:?}")).collect();
    let texts = candidate.consts.iter().map(|(member, values)| {
        // Other constants are checked by the decoder of the variant.
        let values: Vec<&str> = if values.iter().all(Value::is_string) {
            values.iter().filter_map(Value::as_str).collect()
        } else {
            Vec::new()
        };
        format!("({member:?}, &{values:?})")
    });
    let texts: Vec<String> = texts.collect();
    let mut more = list("when", &candidate.when);
    // Only the decoder of a struct knows which members are undeclared.
    if is_struct {
        more += &list("owns", &candidate.owned);
        more += &list("unless", &candidate.unless);
    }
    format!(
        "{:?}: [{}] [{}] [{}]{more};",
        shown(variant),
        quoted(&candidate.required),
        nested.join(", "),
        texts.join(", ")
    )
}

fn quoted(names: &BTreeSet<String>) -> String {
    let names = names.iter().map(|name| format!("{name:?}"));
    names.collect::<Vec<_>>().join(", ")
}

/// Generates a list of names after a word, if there are any.
fn list(word: &str, names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return String::new();
    }
    format!(" {word} [{}]", quoted(names))
}

/// Returns the name of a variant's type.
fn shown(variant: &Variant) -> String {
    match &variant.ty {
        Ty::Named(name) => name.clone(),
        _ => variant.ident.clone(),
    }
}

/// Returns the function that stores the content of a variant.
fn hold(variant: &Variant) -> &'static str {
    if variant.is_boxed() { "boxed" } else { "plain" }
}
