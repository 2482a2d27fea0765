//! The step `layers`: which folder of a crate may import which other one, and what keeps its files
//! readable. `docs/architecture.md` explains the folders.

mod cycles;
mod modules;
mod resolve;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use self::modules::{Crate, SourceFile};
use crate::workspace;

/// Lines that a file may have, unless it is generated.
const LINES: usize = 400;
/// `mod` lines that a `lib.rs` may have.
const ROOT_MODULES: usize = 12;

/// The folders of a crate by layer, the lowest first. A folder may import those of lower layers;
/// folders of one layer do not know each other.
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
            &["features", "proposals", "transport"],
            &["server"],
        ],
    },
    Layers {
        package: "mcp-client",
        folders: &[
            &["util"],
            &["protocol"],
            &["features", "icons", "proposals", "transport"],
            &["client"],
        ],
    },
];

/// Modules that stand beside the layers: documentation and programs.
const BESIDE: [&str; 2] = ["guide", "bin"];

/// What breaks the rules, in all crates.
pub(super) fn faults() -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for layers in &CRATES {
        let sources = workspace::root().join(layers.package).join("src");
        faults.extend(faults_of(layers, &sources)?);
    }
    Ok(faults)
}

fn faults_of(layers: &Layers, sources: &Path) -> Result<Vec<String>> {
    let tree = Crate::read(sources)?;
    let imports = resolve::imports(&tree);
    let mut faults = Vec::new();
    let fault =
        |file: &SourceFile, text: String| format!("{}/src/{}: {text}", layers.package, file.path);
    let roots = tree.root_modules();
    if roots > ROOT_MODULES {
        faults.push(format!(
            "{}/src/lib.rs: {roots} modules; at most {ROOT_MODULES} may stand at the root, so move \
             some into a folder",
            layers.package
        ));
    }
    for (at, file) in tree.files.iter().enumerate() {
        if file.lines > LINES && !file.is_generated {
            let lines = file.lines;
            faults.push(fault(
                file,
                format!(
                    "{lines} lines; at most {LINES}, so move a subject of its own into another file"
                ),
            ));
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
            if let Some(Place::Layer(folder, rank)) = layers.place(&target.path)
                && let Place::Layer(own, own_rank) = own
                && own != folder
                && rank >= own_rank
            {
                faults.push(fault(
                    file,
                    format!(
                        "`{own}` must not import `{folder}`, but this file imports {}; move what both \
                         need down, or let the layer above connect them",
                        target.path
                    ),
                ));
            }
        }
    }
    for cycle in cycles::of(tree.files.len(), &imports) {
        let paths: Vec<&str> = cycle
            .iter()
            .filter_map(|&at| tree.files.get(at))
            .map(|file| file.path.as_str())
            .collect();
        faults.push(format!(
            "{}/src: {} files import each other in a circle: {}; move what they share into a file \
             below them",
            layers.package,
            paths.len(),
            paths.join(", ")
        ));
    }
    faults.extend(same_names(layers.package, &tree));
    Ok(faults)
}

/// Types that have the same name in different files.
fn same_names(package: &str, tree: &Crate) -> Vec<String> {
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
            "{package}/src: the name `{name}` has several meanings, in {}; give each type a name of \
             its own",
            files.join(", ")
        )
    };
    several.map(fault).collect()
}

/// Where a file stands.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// In a folder of a layer.
    Layer(&'a str, usize),
    /// Where no rule holds: the root, documentation, programs.
    Free,
}

impl Layers {
    /// Where a file stands; `None` where it belongs to no layer.
    fn place(&self, path: &str) -> Option<Place<'static>> {
        let first = path.split('/').next().unwrap_or(path);
        let first = first.strip_suffix(".rs").unwrap_or(first);
        if first == "lib" || BESIDE.contains(&first) {
            return Some(Place::Free);
        }
        self.folders.iter().enumerate().find_map(|(rank, folders)| {
            let folder = folders.iter().find(|folder| **folder == first)?;
            Some(Place::Layer(folder, rank))
        })
    }

    fn names(&self) -> String {
        self.folders.concat().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Layers, faults_of};

    /// The faults of a crate that is made of these files.
    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let folder = std::env::temp_dir().join(format!(
            "layers-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        for (path, text) in files {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, text).expect("written");
        }
        let layers = Layers {
            package: "demo",
            folders: &[&["low"], &["left", "right"]],
        };
        let faults = faults_of(&layers, &folder).expect("readable");
        fs::remove_dir_all(folder).expect("removed");
        faults
    }

    #[test]
    fn crate_that_keeps_the_rules_has_no_faults() {
        let found = faults(&[
            ("lib.rs", "mod low; mod left;\npub use left::Left;"),
            ("low.rs", "pub(crate) struct Low;"),
            ("left.rs", "use crate::low::Low;\npub struct Left(Low);"),
        ]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn import_of_a_neighbour_is_a_fault_even_through_the_root() {
        for import in [
            "use crate::right::Right;",
            "use crate::Right;",
            "use super::{Right};",
        ] {
            let left = format!("{import}\npub struct Left(Right);");
            let found = faults(&[
                ("lib.rs", "mod left; mod right;\nuse right::Right;"),
                ("left.rs", &left),
                ("right.rs", "pub struct Right;"),
            ]);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(
                found[0].contains("src/left.rs: `left` must not import `right`"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn paths_in_bodies_and_macros_are_imports() {
        for body in ["crate::left::f()", "println!(\"{}\", crate::left::f())"] {
            let low = format!("pub fn g() {{ {body}; }}");
            let found = faults(&[
                ("lib.rs", "mod low; mod left;"),
                ("low.rs", &low),
                ("left.rs", "pub fn f() {}"),
            ]);
            assert!(
                found[0].contains("`low` must not import `left`"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn circle_between_files_is_a_fault() {
        let found = faults(&[
            ("lib.rs", "mod low;"),
            ("low.rs", "mod a; mod b; pub use a::A;"),
            ("low/a.rs", "use super::b::B; pub struct A(B);"),
            ("low/b.rs", "use crate::low::A; pub struct B(Vec<A>);"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("low/a.rs, low/b.rs"), "{found:?}");
    }

    #[test]
    fn tests_in_a_file_may_import_anything() {
        let low = "#[cfg(test)] mod tests { use crate::left::Left; }";
        let found = faults(&[
            ("lib.rs", "mod low; mod left;"),
            ("low.rs", low),
            ("left.rs", "pub struct Left;"),
        ]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn long_files_double_names_and_files_outside_the_layers_are_faults() {
        let long = "// a line\n".repeat(401);
        let found = faults(&[
            ("lib.rs", "mod low; mod left; mod other;"),
            ("low.rs", &long),
            ("left.rs", "struct Call;"),
            ("other.rs", "enum Call {}"),
        ]);
        for part in [
            "low.rs: 401 lines",
            "other.rs: belongs to no layer",
            "`Call` has several meanings, in left.rs, other.rs",
        ] {
            assert!(found.iter().any(|fault| fault.contains(part)), "{found:?}");
        }
    }
}
