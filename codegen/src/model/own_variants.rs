//! Unions that list themselves, directly or through other unions.

use super::{Kind, Model, Note, Ty, Variant};
use std::collections::BTreeSet;

/// Replaces each variant that leads back to its own union by the variants inside it.
///
/// A union adds no value to itself, so what it accepts stays the same. As a Rust type, it would be
/// an enum that converts from itself, and a decoder that calls itself without reading anything.
pub(super) fn replace(model: &mut Model) {
    for at in in_circles(model) {
        let def = &model.types[at];
        let Kind::Union(union) = &def.kind else {
            continue;
        };
        let leads_back = |variant: &Variant| leads_to(model, &variant.ty, &def.name);
        if !union.variants.iter().any(leads_back) {
            continue;
        }
        let mut flat = Flat {
            model,
            name: &def.name,
            seen: BTreeSet::from([def.name.as_str()]),
            variants: Vec::new(),
        };
        flat.add(&union.variants);
        let mut union = union.clone();
        union.variants = flat.variants;
        let name = def.name.clone();
        model.types[at].kind = match union.variants.len() {
            0 => Kind::Alias(Ty::Any),
            _ => Kind::Union(union),
        };
        model.notes.push(Note::ListsItself { name });
    }
}

/// Returns the numbers of the types that may contain themselves with no value around them.
fn in_circles(model: &Model) -> Vec<usize> {
    let mut graph = petgraph::graph::DiGraph::<(), ()>::new();
    let nodes: Vec<_> = model.types.iter().map(|_| graph.add_node(())).collect();
    for (def, node) in model.types.iter().zip(&nodes) {
        for target in unwrapped(&def.kind) {
            let target = match target {
                Ty::Nullable(inner) => inner,
                other => other,
            };
            if let Ty::Named(name) = target
                && let Some(at) = model.index.get(name)
            {
                graph.update_edge(*node, nodes[*at], ());
            }
        }
    }
    let groups = petgraph::algo::tarjan_scc(&graph).into_iter();
    let circles = groups.filter(|group| match group.as_slice() {
        [only] => graph.contains_edge(*only, *only),
        _ => true,
    });
    let mut found: Vec<usize> = circles
        .flatten()
        .map(petgraph::graph::NodeIndex::index)
        .collect();
    found.sort_unstable();
    found
}

/// Returns the types whose values are values of a type.
fn unwrapped(kind: &Kind) -> Vec<&Ty> {
    match kind {
        Kind::Alias(target) => vec![target],
        Kind::Union(union) => union.variants.iter().map(|it| &it.ty).collect(),
        Kind::Object(_) | Kind::Enum(_) | Kind::Native(_) => Vec::new(),
    }
}

/// The variants of a union that do not lead back to it.
struct Flat<'a> {
    model: &'a Model,
    name: &'a str,
    seen: BTreeSet<&'a str>,
    variants: Vec<Variant>,
}

impl<'a> Flat<'a> {
    fn add(&mut self, variants: &'a [Variant]) {
        for variant in variants {
            if leads_to(self.model, &variant.ty, self.name) {
                self.add_inner(&variant.ty);
            } else {
                self.push(variant.clone());
            }
        }
    }

    fn add_inner(&mut self, ty: &'a Ty) {
        match ty {
            Ty::Nullable(inner) => {
                self.push(Variant {
                    ident: "Null".to_owned(),
                    ty: Ty::Null,
                    recursion: super::Recursion::None,
                    features: Vec::new(),
                });
                self.add_inner(inner);
            }
            Ty::Named(name) if self.seen.insert(name) => {
                match self.model.get(name).map(|def| &def.kind) {
                    Some(Kind::Alias(target)) => self.add_inner(target),
                    Some(Kind::Union(union)) => self.add(&union.variants),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Adds a variant, with a number if its name is taken, unless the union has one of its type.
    fn push(&mut self, mut variant: Variant) {
        if self.variants.iter().any(|known| known.ty == variant.ty) {
            return;
        }
        let is_free = |ident: &String| self.variants.iter().all(|known| known.ident != *ident);
        let numbered = (2..).map(|number| format!("{}{number}", variant.ident));
        let mut candidates = std::iter::once(variant.ident.clone()).chain(numbered);
        if let Some(ident) = candidates.find(is_free) {
            variant.ident = ident;
        }
        self.variants.push(variant);
    }
}

/// Returns `true` if a value of a type may be one of a named type, with no value around it.
fn leads_to(model: &Model, ty: &Ty, wanted: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut next = vec![ty];
    while let Some(ty) = next.pop() {
        match ty {
            Ty::Nullable(inner) => next.push(inner),
            Ty::Named(name) if name == wanted => return true,
            Ty::Named(name) if seen.insert(name) => {
                next.extend(
                    model
                        .get(name)
                        .into_iter()
                        .flat_map(|def| unwrapped(&def.kind)),
                );
            }
            _ => {}
        }
    }
    false
}
