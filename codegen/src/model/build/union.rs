//! Unions: one variant for each alternative.

use super::shape::{Alternative, constant, features, is_integer, reference, types_of};
use super::{BuildError, Builder};
use crate::model::{Kind, Note, Recursion, Ty, Union, Variant, names, type_ident, variant_ident};
use serde_json::Value;
use std::collections::BTreeSet;

impl Builder<'_> {
    pub(super) fn union(
        &mut self,
        name: &str,
        parts: Vec<Alternative>,
        pointer: &str,
    ) -> Result<Kind, BuildError> {
        let parts: Vec<Alternative> = parts.into_iter().flat_map(by_type).collect();
        let is_null = |part: &Alternative| types_of(&part.schema) == ["null"];
        let (nulls, mut rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_null);
        if rest.len() == 1 && !nulls.is_empty() {
            let only = rest.remove(0);
            let is_integer = is_integer(&only.schema);
            let ty = if is_integer {
                self.inline(name, &only.schema, pointer)?
            } else {
                self.item(name, &only.schema, pointer)?
            };
            return Ok(Kind::Alias(Ty::Nullable(Box::new(ty))));
        }
        if rest.is_empty() {
            return Ok(Kind::Alias(Ty::Null));
        }
        // Several alternatives may allow `null`, which is one variant.
        rest.extend(nulls.into_iter().take(1));
        let labels: Vec<String> = rest
            .iter()
            .enumerate()
            .map(|(at, part)| label(part, at))
            .collect();
        let short = names::shorten(&labels);
        let mut variants: Vec<Variant> = Vec::new();
        let mut fixed = Vec::new();
        for (part, short) in rest.iter().zip(&short) {
            let ty = match reference(&part.schema) {
                Some(target) => Ty::Named(target.to_owned()),
                None => self.item(
                    &format!("{name}{}", variant_ident(short)),
                    &part.schema,
                    pointer,
                )?,
            };
            let chosen = match &ty {
                Ty::Named(target) => self.hints.variant_name(self.source.revision, name, target),
                _ => None,
            };
            let kept = chosen.or_else(|| self.ident_before(name, &ty)).cloned();
            fixed.push(kept.is_some());
            variants.push(Variant {
                ident: kept.unwrap_or_else(|| keep_acronyms(short)),
                features: features(&part.schema),
                recursion: Recursion::None,
                ty,
            });
        }
        self.make_distinct(name, &mut variants, &fixed);
        Ok(Kind::Union(Union {
            variants,
            simplest: 0,
        }))
    }

    /// Returns the name that a variant has in the revision before.
    fn ident_before(&self, union: &str, ty: &Ty) -> Option<&String> {
        let (revision, previous) = (self.source.revision, self.source.previous?);
        let mut names = vec![union];
        names.extend(self.hints.old_names(revision, union));
        let def = names.into_iter().find_map(|name| previous.get(name))?;
        let Kind::Union(before) = &def.kind else {
            return None;
        };
        let same = |other: &&Variant| match (&other.ty, ty) {
            (Ty::Named(old), Ty::Named(new)) => self.hints.new_name(revision, old) == new,
            (old, new) => old == new,
        };
        before.variants.iter().find(same).map(|it| &it.ident)
    }

    /// Gives variants with the same name distinct ones. Names that are fixed stay.
    fn make_distinct(&mut self, union: &str, variants: &mut [Variant], fixed: &[bool]) {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for pass in [true, false] {
            for (variant, is_fixed) in variants.iter_mut().zip(fixed) {
                if *is_fixed != pass || taken.insert(variant.ident.clone()) {
                    continue;
                }
                let wanted = variant.ident.clone();
                let whole = match &variant.ty {
                    Ty::Named(name) => Some(type_ident(name)),
                    _ => None,
                };
                let numbered = (2..).map(|number| format!("{wanted}{number}"));
                let mut candidates = whole.into_iter().chain(numbered);
                if let Some(name) = candidates.find(|name| taken.insert(name.clone())) {
                    variant.ident.clone_from(&name);
                    self.notes.push(Note::Variant {
                        owner: union.to_owned(),
                        wanted,
                        name,
                    });
                }
            }
        }
    }
}

/// Splits an alternative with several types into one alternative for each type.
fn by_type(part: Alternative) -> Vec<Alternative> {
    let types: Vec<String> = types_of(&part.schema)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if types.len() < 2 {
        return vec![part];
    }
    let one = |ty: String| {
        let mut schema = part.schema.clone();
        schema["type"] = Value::String(ty);
        Alternative {
            label: None,
            schema,
        }
    };
    types.into_iter().map(one).collect()
}

/// Returns a name for an alternative: its definition, or else its tag, or else its type.
fn label(part: &Alternative, at: usize) -> String {
    if let Some(name) = part.label.as_deref().or_else(|| reference(&part.schema)) {
        return name.to_owned();
    }
    let tag = part
        .schema
        .get("properties")
        .and_then(Value::as_object)
        .and_then(|properties| {
            properties
                .values()
                .find_map(|property| constant(property)?.as_str().map(variant_ident))
        });
    if let Some(tag) = tag {
        return tag;
    }
    match types_of(&part.schema).as_slice() {
        [one] if *one != "object" || part.schema.get("properties").is_none() => variant_ident(one),
        _ => format!("Variant{}", at + 1),
    }
}

fn keep_acronyms(short: &str) -> String {
    let plain = short.chars().all(|c| c.is_ascii_alphanumeric());
    if plain && short.starts_with(|c: char| c.is_ascii_uppercase()) && short != "Self" {
        short.to_owned()
    } else {
        variant_ident(short)
    }
}
