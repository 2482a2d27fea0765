//! Types that contain themselves: decides which values are stored in a `Box`.

mod ranks;

use super::{Kind, Member, Model, Note, Recursion, Ty, TypeDef};
use ranks::Ranks;
use std::collections::{BTreeMap, BTreeSet};

/// Makes the size of every type finite.
///
/// A value is stored in a `Box` if its type would contain itself otherwise. The boxes are in
/// optional members, in members that may be `null`, and in variants of unions, so that each type
/// has a value without any box. A required member of a type that has no finite value at all accepts
/// any value; a note tells so.
///
/// The result for a type depends only on the types that it refers to. So two revisions that share a
/// type have the same boxes in it.
pub(super) fn bound_sizes(model: &mut Model) {
    loosen_infinite_members(model);
    loosen_circular_aliases(model);
    let groups = Groups::of(model);
    mark_recursion(model, &groups);
    let owners = sorted_by_name(model);
    let mut edges = Edges::default();
    for stage in [Stage::Whole, Stage::Variants, Stage::Optional] {
        for at in &owners {
            let found = inner_types(&model.types[*at], model, stage);
            for (place, target) in found {
                let owner = &model.types[*at].name;
                if !groups.together(owner, &target) || edges.add(owner, &target) {
                    continue;
                }
                put_in_box(model, *at, place);
            }
        }
    }
}

/// The order in which values are tried without a box: those that cannot be in one come first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Required members, targets of aliases, and the simplest variant of each union.
    Whole,
    /// The other variants.
    Variants,
    /// Optional members, and those that may be `null`.
    Optional,
}

/// A place in a type definition, by number.
#[derive(Clone, Copy)]
enum Place {
    Alias,
    Member(usize),
    Variant(usize),
}

fn sorted_by_name(model: &Model) -> Vec<usize> {
    let mut all: Vec<usize> = (0..model.types.len()).collect();
    all.sort_by(|a, b| model.types[*a].name.cmp(&model.types[*b].name));
    all
}

/// Returns the named type that a value of this type stores without a pointer.
fn stored_type(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Named(name) => Some(name),
        Ty::Nullable(inner) => stored_type(inner),
        _ => None,
    }
}

fn may_be_absent(model: &Model, member: &Member) -> bool {
    !member.required || matches!(model.resolve(&member.ty), Ty::Nullable(_))
}

fn inner_types(def: &TypeDef, model: &Model, stage: Stage) -> Vec<(Place, String)> {
    let mut found = Vec::new();
    let mut add = |place, ty| {
        if let Some(name) = stored_type(ty) {
            found.push((place, name.to_owned()));
        }
    };
    match &def.kind {
        Kind::Alias(target) if stage == Stage::Whole => add(Place::Alias, target),
        Kind::Object(object) => {
            for (at, member) in object.members.iter().enumerate() {
                if may_be_absent(model, member) == (stage == Stage::Optional)
                    && stage != Stage::Variants
                {
                    add(Place::Member(at), &member.ty);
                }
            }
        }
        Kind::Union(union) => {
            for (at, variant) in union.variants.iter().enumerate() {
                let wanted = if at == union.simplest {
                    Stage::Whole
                } else {
                    Stage::Variants
                };
                if wanted == stage {
                    add(Place::Variant(at), &variant.ty);
                }
            }
        }
        _ => {}
    }
    found
}

fn put_in_box(model: &mut Model, at: usize, place: Place) {
    // The box is inside the `Option`. An alias of a type that may be `null` has its `Option`
    // inside.
    let spelled_out = match (&model.types[at].kind, place) {
        (Kind::Object(object), Place::Member(number)) => {
            let ty = &object.members[number].ty;
            match model.resolve(ty) {
                nullable @ Ty::Nullable(_) => Some(nullable.clone()),
                _ => None,
            }
        }
        _ => None,
    };
    match (&mut model.types[at].kind, place) {
        (Kind::Object(object), Place::Member(number)) => {
            let member = &mut object.members[number];
            member.recursion = Recursion::Boxed;
            member.ty = spelled_out.unwrap_or_else(|| member.ty.clone());
        }
        (Kind::Union(union), Place::Variant(number)) => {
            union.variants[number].recursion = Recursion::Boxed
        }
        // A type that only consists of its own name was made `Ty::Any` before.
        _ => {}
    }
}

/// Marks the members and variants through which a value can contain another one of its type, and
/// the simplest variant of each union.
fn mark_recursion(model: &mut Model, groups: &Groups) {
    let ranks = Ranks::of(model);
    for def in &mut model.types {
        let name = def.name.clone();
        let returns = |ty: &Ty| {
            let mut found = false;
            ty.walk(&mut |target| found |= groups.together(&name, target));
            if found {
                Recursion::Indirect
            } else {
                Recursion::None
            }
        };
        match &mut def.kind {
            Kind::Object(object) => {
                // The hints may have put a member in a box already.
                let members = object.members.iter_mut();
                for member in members.filter(|member| !member.is_boxed()) {
                    member.recursion = returns(&member.ty);
                }
            }
            Kind::Union(union) => {
                for variant in &mut union.variants {
                    variant.recursion = returns(&variant.ty);
                }
                union.simplest = ranks.simplest(union);
            }
            _ => {}
        }
    }
}

/// Lets required members of a type accept any value if each of its values would contain another
/// one.
fn loosen_infinite_members(model: &mut Model) {
    let mut loosened = Vec::new();
    let groups = Groups::of(model);
    let ranks = Ranks::of(model);
    for def in &mut model.types {
        let name = &def.name;
        let is_infinite = |ty: &Ty| {
            let mut returns = false;
            ty.walk(&mut |target| returns |= groups.together(name, target));
            returns && ranks.of_type(ty).is_none()
        };
        if let Kind::Object(object) = &mut def.kind {
            for member in &mut object.members {
                if member.required && is_infinite(&member.ty) {
                    loosened.push(format!("{name}.{}", member.json));
                    member.ty = Ty::Any;
                }
            }
        }
    }
    // What is still infinite consists of names for one another.
    let ranks = Ranks::of(model);
    for def in &mut model.types {
        if ranks.of_kind(&def.kind).is_none() {
            loosened.push(def.name.clone());
            def.kind = Kind::Alias(Ty::Any);
        }
    }
    let notes = loosened.into_iter().map(|place| Note::Infinite { place });
    model.notes.extend(notes);
}

/// Lets names of lists and maps accept any value inside if they contain themselves through nothing
/// but such names: an alias cannot refer to itself.
fn loosen_circular_aliases(model: &mut Model) {
    for at in sorted_by_name(model) {
        let Kind::Alias(target) = &model.types[at].kind else {
            continue;
        };
        let name = model.types[at].name.clone();
        let mut target = target.clone();
        let mut returns = false;
        target.replace(&mut |inner| {
            let is_circular = leads_to(model, inner, &name);
            returns |= is_circular;
            is_circular.then_some(Ty::Any)
        });
        if returns {
            model.types[at].kind = Kind::Alias(target);
            model.notes.push(Note::Circular { name });
        }
    }
}

/// Returns `true` if aliases lead from one name to another.
fn leads_to(model: &Model, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut next = vec![from];
    while let Some(name) = next.pop() {
        if name == to {
            return true;
        }
        if seen.insert(name)
            && let Some(Kind::Alias(target)) = model.get(name).map(|def| &def.kind)
        {
            target.walk(&mut |inner| next.push(inner));
        }
    }
    false
}

/// The groups of types of which each contains all others, directly or through lists.
struct Groups {
    group: BTreeMap<String, usize>,
    /// Types that contain themselves.
    own: BTreeSet<String>,
}

impl Groups {
    fn of(model: &Model) -> Self {
        let mut graph = petgraph::graph::DiGraph::<&str, ()>::new();
        let nodes: BTreeMap<&str, _> = model
            .types
            .iter()
            .map(|def| (def.name.as_str(), graph.add_node(&def.name)))
            .collect();
        let mut own = BTreeSet::new();
        for def in &model.types {
            let mut add = |target: &str| {
                if target == def.name {
                    own.insert(def.name.clone());
                }
                if let (Some(a), Some(b)) = (nodes.get(def.name.as_str()), nodes.get(target)) {
                    graph.add_edge(*a, *b, ());
                }
            };
            match &def.kind {
                Kind::Object(object) => {
                    for member in &object.members {
                        member.ty.walk(&mut add);
                    }
                }
                Kind::Union(union) => {
                    for variant in &union.variants {
                        variant.ty.walk(&mut add);
                    }
                }
                Kind::Alias(target) => target.walk(&mut add),
                Kind::Enum(_) | Kind::Native(_) => {}
            }
        }
        let mut group = BTreeMap::new();
        for (number, members) in petgraph::algo::tarjan_scc(&graph).into_iter().enumerate() {
            for node in members {
                group.insert(graph[node].to_owned(), number);
            }
        }
        Self { group, own }
    }

    /// Returns `true` if a value of one type can contain the other, and the other way round.
    fn together(&self, a: &str, b: &str) -> bool {
        if a == b {
            return self.own.contains(a);
        }
        let (a, b) = (self.group.get(a), self.group.get(b));
        a.is_some() && a == b
    }
}

/// Types that are stored inside one another without a box. There is no cycle.
#[derive(Default)]
struct Edges(BTreeMap<String, BTreeSet<String>>);

impl Edges {
    /// Adds an edge and returns `true`, unless it would close a cycle.
    fn add(&mut self, owner: &str, target: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = vec![target];
        while let Some(name) = next.pop() {
            if name == owner {
                return false;
            }
            if seen.insert(name) {
                next.extend(self.0.get(name).into_iter().flatten().map(String::as_str));
            }
        }
        let targets = self.0.entry(owner.to_owned()).or_default();
        targets.insert(target.to_owned());
        true
    }
}
