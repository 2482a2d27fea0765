//! Which file each import of a crate leads to. What a module passes on from elsewhere counts as an
//! import of the file in which it is defined.

use std::collections::BTreeSet;

use super::cycles::Edges;
use super::modules::{Crate, Names};

/// How many times a name may stand for another one.
const STEPS: usize = 16;

/// The files by what they import.
pub(super) fn imports(tree: &Crate) -> Edges {
    let mut edges = Edges::new();
    for (at, file) in tree.files.iter().enumerate() {
        let targets: BTreeSet<usize> = file
            .mentioned
            .iter()
            .filter_map(|(module, path)| defining_file(tree, module, path, STEPS))
            .filter(|&target| target != at)
            .collect();
        edges.insert(at, targets);
    }
    edges
}

/// The file that defines what a path means in a module; `None` for what other crates define.
fn defining_file(tree: &Crate, module: &[String], path: &[String], steps: usize) -> Option<usize> {
    let steps = steps.checked_sub(1)?;
    let (mut at, mut rest) = start(tree, module, path)?;
    loop {
        let here = tree.modules.get(&at)?;
        let Some((name, after)) = rest.split_first() else {
            return Some(here.file);
        };
        let mut below = at.clone();
        below.push(name.clone());
        if tree.modules.contains_key(&below) {
            (at, rest) = (below, after.to_vec());
            continue;
        }
        if here.items.contains(name) {
            return Some(here.file);
        }
        if let Some(meant) = here.uses.get(name) {
            let mut meant = meant.clone();
            meant.extend_from_slice(after);
            return defining_file(tree, &at, &meant, steps);
        }
        // A macro, or a name that comes by `use a::*`.
        let through = here.globs.iter().find_map(|glob| {
            let mut meant = glob.clone();
            meant.extend_from_slice(&rest);
            defining_file(tree, &at, &meant, steps)
        });
        return through.or(Some(here.file));
    }
}

/// The module in which the search begins, and the names that are left.
fn start(tree: &Crate, module: &[String], path: &[String]) -> Option<(Names, Names)> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some((Names::new(), rest.to_vec())),
        "self" => start_here(module, rest),
        "super" => {
            let (_, outer) = module.split_last()?;
            start_here(outer, rest)
        }
        name => {
            let here = tree.modules.get(module)?;
            let mut below = module.to_vec();
            below.push(name.to_owned());
            let is_known = tree.modules.contains_key(&below) || here.items.contains(name);
            // What a path means whose first name was brought in by `use` is found there.
            let is_used = here
                .uses
                .get(name)
                .is_some_and(|meant| meant.first() != path.first());
            (is_known || is_used).then(|| (module.to_vec(), path.to_vec()))
        }
    }
}

/// Follows more `super` behind the first name.
fn start_here(module: &[String], rest: &[String]) -> Option<(Names, Names)> {
    match rest.split_first() {
        Some((first, rest)) if first == "super" => {
            let (_, outer) = module.split_last()?;
            start_here(outer, rest)
        }
        _ => Some((module.to_vec(), rest.to_vec())),
    }
}
