//! The step `layers`: checks which packages depend on each other, which folders of a crate import each
//! other, that modules with the same parent do not import each other in a circle, and the length and
//! names of files.
//! `docs/architecture.md` explains the rules.

mod cycles;
mod modules;
mod packages;
mod resolve;
mod siblings;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use self::cycles::Edges;
use self::modules::{Crate, LINES, SourceFile};
use self::siblings::Circle;
use crate::workspace::{self, Member};

/// The maximum number of `mod` lines in a `lib.rs`.
const ROOT_MODULES: usize = 12;

/// The folders of a crate by layer, lowest first. A folder may import those of lower layers;
/// folders of the same layer must not import each other.
struct Layers {
    package: &'static str,
    folders: &'static [&'static [&'static str]],
}

const CRATES: [Layers; 2] = [
    Layers {
        package: "mcp-server",
        folders: &[
            &["util"],
            &["protocol"],
            &["features", "stores", "transport"],
            &["extensions", "proposals"],
            &["server"],
        ],
    },
    Layers {
        package: "mcp-client",
        folders: &[
            &["protocol"],
            &["features", "transport"],
            &["extensions", "proposals"],
            &["client"],
        ],
    },
];

/// Modules outside the layers: documentation.
const UNLAYERED: [&str; 1] = ["guide"];

/// Returns the violations of the rules in all crates.
pub(super) fn faults() -> Result<Vec<String>> {
    let mut faults = packages::faults(&workspace::metadata(&["--no-deps"])?);
    for layers in &CRATES {
        let sources = workspace::root().join(layers.package).join("src");
        faults.extend(faults_of(layers, &sources)?);
    }
    // In crates without layers, only the length of files and circles of siblings are checked.
    let members = workspace::members()?;
    let is_layered = |folder: &str| CRATES.iter().any(|layers| layers.package == folder);
    for Member {
        folder: package, ..
    } in members.iter().filter(|one| !is_layered(&one.folder))
    {
        let tree = Crate::read(&workspace::root().join(package).join("src"))?;
        let long = tree.files.iter().filter(|file| file.is_long());
        faults.extend(long.map(|file| file.fault(package, &too_long(file.lines))));
        faults.extend(circles(package, &tree, &resolve::imports(&tree)));
    }
    Ok(faults)
}

fn too_long(lines: usize) -> String {
    format!("{lines} lines; at most {LINES} are allowed; split the file by subject")
}

fn faults_of(layers: &Layers, sources: &Path) -> Result<Vec<String>> {
    let tree = Crate::read(sources)?;
    let imports = resolve::imports(&tree);
    let mut faults = Vec::new();
    let fault = |file: &SourceFile, text: String| file.fault(layers.package, &text);
    let roots = tree.root_modules();
    if roots > ROOT_MODULES {
        faults.push(format!(
            "{}/src/lib.rs: {roots} modules; at most {ROOT_MODULES} are allowed; move \
             some into a folder",
            layers.package
        ));
    }
    for (at, file) in tree.files.iter().enumerate() {
        if file.is_long() {
            faults.push(fault(file, too_long(file.lines)));
        }
        let Some(own) = layers.place(&file.path) else {
            faults.push(fault(
                file,
                format!(
                    "belongs to no layer; move it into one of {}",
                    layers.names()
                ),
            ));
            continue;
        };
        for &target in imports.get(&at).into_iter().flatten() {
            let Some(target) = tree.files.get(target) else {
                continue;
            };
            if let Some(Placement::Layer(folder, rank)) = layers.place(&target.path)
                && let Placement::Layer(own, own_rank) = own
                && own != folder
                && rank >= own_rank
            {
                faults.push(fault(
                    file,
                    format!(
                        "`{own}` must not import `{folder}`, but this file imports {}; move what both \
                         need to a lower layer, or connect them in a higher one",
                        target.path
                    ),
                ));
            }
        }
    }
    let circles = circles(layers.package, &tree, &imports);
    // The cycles of files that remain without circles are those of a module and its children.
    if circles.is_empty() {
        faults.extend(file_cycles(layers.package, &tree, &imports));
    }
    faults.extend(circles);
    faults.extend(duplicate_types(layers.package, &tree));
    Ok(faults)
}

/// Describes the files that import each other in a circle.
fn file_cycles(package: &str, tree: &Crate, imports: &Edges) -> Vec<String> {
    let fault = |cycle: Vec<usize>| {
        let paths: Vec<&str> = cycle.iter().map(|&at| &*tree.files[at].path).collect();
        format!(
            "{package}/src: {} files form an import cycle: {}; move what they share into a file \
             below them",
            paths.len(),
            paths.join(", ")
        )
    };
    let cycles = cycles::of(tree.files.len(), imports).into_iter();
    cycles.map(fault).collect()
}

/// Describes the modules with the same parent that import each other in a circle.
fn circles(package: &str, tree: &Crate, imports: &Edges) -> Vec<String> {
    let fault = |circle: Circle| {
        let imports = circle.imports.iter();
        let imports: Vec<String> = imports
            .map(|(from, to)| format!("{from} imports {to}"))
            .collect();
        format!(
            "{}: the modules {} import each other in a circle: {}; move what they share into a \
             module below them, or merge them",
            [&[package.to_owned(), "src".to_owned()], &*circle.parent]
                .concat()
                .join("/"),
            circle.modules.join(", "),
            imports.join("; ")
        )
    };
    let circles = siblings::circles(tree, imports).into_iter();
    circles.map(fault).collect()
}

/// Returns types that have the same name in different files.
fn duplicate_types(package: &str, tree: &Crate) -> Vec<String> {
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in &tree.files {
        // Programs are crates of their own.
        if file.path.starts_with("bin/") {
            continue;
        }
        for name in &file.types {
            places.entry(name).or_default().insert(&file.path);
        }
    }
    let several = places.into_iter().filter(|(_, files)| files.len() > 1);
    let fault = |(name, files): (&str, BTreeSet<&str>)| {
        let files: Vec<&str> = files.into_iter().collect();
        format!(
            "{package}/src: the name `{name}` is defined in several files: {}; give each type a name of \
             its own",
            files.join(", ")
        )
    };
    several.map(fault).collect()
}

/// The layer of a file.
#[derive(Clone, Copy)]
enum Placement<'a> {
    /// A folder of a layer.
    Layer(&'a str, usize),
    /// Outside the rules: the root, documentation, programs.
    Free,
}

impl Layers {
    /// Returns the layer of a file, or `None` if it belongs to no layer.
    fn place(&self, path: &str) -> Option<Placement<'static>> {
        let first = path.split('/').next().unwrap_or(path);
        let first = first.strip_suffix(".rs").unwrap_or(first);
        if first == "lib" || UNLAYERED.contains(&first) {
            return Some(Placement::Free);
        }
        self.folders.iter().enumerate().find_map(|(rank, folders)| {
            let folder = folders.iter().find(|folder| **folder == first)?;
            Some(Placement::Layer(folder, rank))
        })
    }

    fn names(&self) -> String {
        self.folders.concat().join(", ")
    }
}
