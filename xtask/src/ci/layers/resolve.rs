//! Resolves the imports of a crate to files. An import of a reexport counts as an import of the
//! file that defines the item.

use std::collections::BTreeSet;

use super::cycles::Edges;
use super::modules::{Crate, Names};

/// The maximum number of reexports that are followed.
const STEPS: usize = 16;

/// Returns the files with the files that they import.
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

/// Returns the file that defines the item of a path in a module, or `None` for items of other
/// crates.
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
        // A macro, or a name imported by `use a::*`.
        let through = here.globs.iter().find_map(|glob| {
            let mut meant = glob.clone();
            meant.extend_from_slice(&rest);
            defining_file(tree, &at, &meant, steps)
        });
        return through.or(Some(here.file));
    }
}

/// Returns the module in which the search begins, and the remaining names.
fn start(tree: &Crate, module: &[String], path: &[String]) -> Option<(Names, Names)> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some((root_of(module), rest.to_vec())),
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
            // If `use` declares the first name, the search begins at the path of the `use`.
            let is_used = here
                .uses
                .get(name)
                .is_some_and(|meant| meant.first() != path.first());
            (is_known || is_used).then(|| (module.to_vec(), path.to_vec()))
        }
    }
}

/// Returns the root of the crate to which a module belongs. A program below `bin` is a crate of its
/// own.
fn root_of(module: &[String]) -> Names {
    match module {
        [folder, program, ..] if folder == "bin" => vec![folder.clone(), program.clone()],
        _ => Names::new(),
    }
}

/// Follows further `super` after the first name.
fn start_here(module: &[String], rest: &[String]) -> Option<(Names, Names)> {
    match rest.split_first() {
        Some((first, rest)) if first == "super" => {
            let (_, outer) = module.split_last()?;
            start_here(outer, rest)
        }
        _ => Some((module.to_vec(), rest.to_vec())),
    }
}
