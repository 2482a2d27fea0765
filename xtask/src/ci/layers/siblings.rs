//! Circles of modules with the same parent. A module includes all modules below it, so an import
//! between files is one between the two siblings that contain them. An import between a module and
//! one that contains it does not count: a parent may use its children, and a child `super::Type`.
//! Generated files do not count either: they are tables for the macros of the modules that use them.

use std::collections::{BTreeMap, BTreeSet};

use super::cycles::{self, Edges};
use super::modules::{Crate, module_of};

/// Siblings that import each other in a circle.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Circle {
    /// The path of their parent from the root.
    pub(super) parent: Vec<String>,
    pub(super) modules: Vec<String>,
    /// For each two siblings, the first of the imports in that direction, as paths of files.
    pub(super) imports: Vec<(String, String)>,
}

/// The imports between the children of a module: the first one for each two children.
type Imports<'a> = BTreeMap<(String, String), (&'a str, &'a str)>;

/// Returns all circles of siblings.
pub(super) fn circles(tree: &Crate, imports: &Edges) -> Vec<Circle> {
    let mut parents: BTreeMap<Vec<String>, Imports<'_>> = BTreeMap::new();
    for (&importing, targets) in imports {
        for &imported in targets {
            let (from, to) = (&tree.files[importing], &tree.files[imported]);
            if from.is_generated || to.is_generated {
                continue;
            }
            let (from, to) = (&from.path, &to.path);
            let (from_module, to_module) = (module_of(from), module_of(to));
            let shared = from_module.iter().zip(&to_module);
            let depth = shared.take_while(|(one, other)| one == other).count();
            if let (Some(one), Some(other)) = (from_module.get(depth), to_module.get(depth)) {
                let siblings = parents.entry(from_module[..depth].to_vec()).or_default();
                let pair = (one.clone(), other.clone());
                siblings.entry(pair).or_insert((from, to));
            }
        }
    }
    let circles = parents.into_iter();
    circles
        .flat_map(|(parent, imports)| among(&parent, &imports))
        .collect()
}

/// Returns the circles among the children of one module.
fn among(parent: &[String], imports: &Imports<'_>) -> Vec<Circle> {
    let names: BTreeSet<&String> = imports
        .keys()
        .flat_map(|(one, other)| [one, other])
        .collect();
    let names: Vec<&String> = names.into_iter().collect();
    let index = |name: &String| names.binary_search(&name).unwrap_or_default();
    let mut edges = Edges::new();
    for (one, other) in imports.keys() {
        edges.entry(index(one)).or_default().insert(index(other));
    }
    let circle = |nodes: Vec<usize>| {
        let modules: Vec<String> = nodes.iter().map(|&node| names[node].clone()).collect();
        let within = imports
            .iter()
            .filter(|((one, other), _)| modules.contains(one) && modules.contains(other));
        let imports = within.map(|(_, (from, to))| ((*from).to_owned(), (*to).to_owned()));
        Circle {
            parent: parent.to_vec(),
            imports: imports.collect(),
            modules,
        }
    };
    let found = cycles::of(names.len(), &edges);
    found.into_iter().map(circle).collect()
}
