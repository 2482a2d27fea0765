//! Creates the packages, compiles them, and looks at their content.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::package::Package;
use crate::{process, workspace};

/// The limit of crates.io for a packed package, in bytes.
const MOST_PACKED: u64 = 10 << 20;
/// A larger file was probably included by mistake, in bytes.
const LARGEST_FILE: u64 = 1 << 20;

const REQUIRED: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// They need files of the workspace, so they cannot be compiled from a package.
const FORBIDDEN: [&str; 2] = ["benches", "tests"];

/// A package that was created.
pub(super) struct Archive {
    /// The unpacked package.
    pub(super) folder: PathBuf,
    pub(super) files: usize,
    /// The size of all files, in bytes.
    pub(super) unpacked: u64,
    /// The size of the file that is uploaded, in bytes.
    pub(super) packed: u64,
    /// The path and the size of the largest source file, in bytes.
    pub(super) largest: (String, u64),
    /// What prevents a release.
    pub(super) faults: Vec<String>,
}

/// Packages all crates. Cargo unpacks each package and compiles it, with the packages of the others
/// in place of a registry.
pub(super) fn create(packages: &[Package]) -> Result<Vec<Archive>> {
    let mut command = workspace::cargo();
    command.args(["package", "--allow-dirty"]);
    for package in packages {
        command.args(["--package", &package.name]);
    }
    println!("\n$ {command:?}");
    process::run(command.current_dir(workspace::root()))?;
    let below = workspace::target()?.join("package");
    packages
        .iter()
        .map(|package| inspect(package, &below))
        .collect()
}

fn inspect(package: &Package, below: &Path) -> Result<Archive> {
    let stem = package.file_stem();
    let packed = below.join(format!("{stem}.crate"));
    let packed = fs::metadata(&packed).with_context(|| workspace::display_path(&packed))?;
    let mut archive = Archive {
        folder: below.join(stem),
        files: 0,
        unpacked: 0,
        packed: packed.len(),
        largest: (String::new(), 0),
        faults: Vec::new(),
    };
    let folder = archive.folder.clone();
    archive.count()?;
    let name = &package.name;
    let missing = REQUIRED
        .into_iter()
        .filter(|file| !folder.join(file).is_file());
    let missing = missing.map(|file| format!("the package {name} has no {file}"));
    let extra = FORBIDDEN
        .into_iter()
        .filter(|below| folder.join(below).exists());
    let extra = extra.map(|below| format!("the package {name} contains the folder {below}"));
    let mut faults: Vec<String> = missing.chain(extra).collect();
    let (file, size) = &archive.largest;
    if *size > LARGEST_FILE {
        let most = format!("expected at most {LARGEST_FILE}");
        faults.push(format!(
            "the package {name} contains {file} with {size} bytes; {most}"
        ));
    }
    if archive.packed > MOST_PACKED {
        let size = archive.packed;
        let most = format!("crates.io accepts {MOST_PACKED}");
        faults.push(format!("the package {name} has {size} bytes; {most}"));
    }
    archive.faults = faults;
    Ok(archive)
}

impl Archive {
    /// Counts all files.
    fn count(&mut self) -> Result<()> {
        for path in workspace::files(&self.folder)? {
            let size = fs::metadata(&path)?.len();
            self.files += 1;
            self.unpacked += size;
            if size > self.largest.1 && !path.ends_with("Cargo.lock") {
                let path = path.strip_prefix(&self.folder).unwrap_or(&path);
                self.largest = (path.display().to_string(), size);
            }
        }
        Ok(())
    }
}
