//! The step `layers`: checks which folders of a crate import each other, and the length and names
//! of its files. `docs/architecture.md` explains the folders.

mod cycles;
mod modules;
mod resolve;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use self::modules::{Crate, SourceFile};
use crate::workspace;

/// The maximum number of lines of a file that is not generated.
const LINES: usize = 400;
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
            &["features", "transport"],
            &["proposals"],
            &["server"],
        ],
    },
    Layers {
        package: "mcp-client",
        folders: &[
            &["util"],
            &["protocol"],
            &["features", "icons", "oauth", "proposals", "transport"],
            &["client"],
        ],
    },
];

/// Modules outside the layers: documentation and programs.
const UNLAYERED: [&str; 2] = ["guide", "bin"];

/// Returns the violations of the rules in all crates.
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
            "{}/src/lib.rs: {roots} modules; at most {ROOT_MODULES} are allowed; move \
             some into a folder",
            layers.package
        ));
    }
    for (at, file) in tree.files.iter().enumerate() {
        if file.lines > LINES && !file.is_generated {
            let lines = file.lines;
            faults.push(fault(
                file,
                format!("{lines} lines; at most {LINES} are allowed; split the file by subject"),
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
    for cycle in cycles::of(tree.files.len(), &imports) {
        let paths: Vec<&str> = cycle
            .iter()
            .filter_map(|&at| tree.files.get(at))
            .map(|file| file.path.as_str())
            .collect();
        faults.push(format!(
            "{}/src: {} files form an import cycle: {}; move what they share into a file \
             below them",
            layers.package,
            paths.len(),
            paths.join(", ")
        ));
    }
    faults.extend(duplicate_types(layers.package, &tree));
    Ok(faults)
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Layers, faults_of};

    /// Returns the violations in a crate that consists of these files.
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
    fn valid_crate_has_no_errors() {
        let found = faults(&[
            ("lib.rs", "mod low; mod left;\npub use left::Left;"),
            ("low.rs", "pub(crate) struct Low;"),
            ("left.rs", "use crate::low::Low;\npub struct Left(Low);"),
        ]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn import_of_the_same_layer_is_an_error_even_through_the_root() {
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
    fn cycle_of_files_is_an_error() {
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
    fn test_modules_may_import_any_layer() {
        let low = "#[cfg(test)] mod tests { use crate::left::Left; }";
        let found = faults(&[
            ("lib.rs", "mod low; mod left;"),
            ("low.rs", low),
            ("left.rs", "pub struct Left;"),
        ]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn long_files_duplicate_names_and_unknown_folders_are_errors() {
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
            "`Call` is defined in several files: left.rs, other.rs",
        ] {
            assert!(found.iter().any(|fault| fault.contains(part)), "{found:?}");
        }
    }
}
