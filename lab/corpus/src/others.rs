//! What programs of others generate for the same schemas.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use super::batch::{self, Module};
use super::source::Packages;
use crate::{process, workspace};

/// Returns a line that says for how many schemas each program generates types.
pub(super) fn compare(files: &[(String, PathBuf)], packages: &Packages) -> Result<String> {
    let modules = files.iter().filter_map(|(_, file)| typify(file));
    let modules: Vec<Module> = modules
        .map(|text| vec![("mod.rs".to_owned(), text)])
        .collect();
    let source = workspace::root().join("lab/corpus/typify");
    let package = packages.folder.join("corpus-typify");
    let list = |_: &BTreeSet<usize>| String::from("//! Nothing is called.\n");
    let (_, failed) = batch::compile(&source, &package, &modules, list)?;

    let paths: Vec<&PathBuf> = files.iter().map(|(_, file)| file).collect();
    let list = packages.folder.join("schemas.json");
    fs::write(&list, serde_json::to_string(&paths)?)?;
    let mut script = Command::new(&packages.node);
    script.arg(packages.folder.join("others.mjs")).arg(&list);
    let output = process::output(script.stderr(Stdio::inherit()))?;
    let outcomes: Vec<[bool; 2]> = serde_json::from_str(&output).context("others.mjs")?;
    let count = |program: usize| outcomes.iter().filter(|all| all[program]).count();
    Ok(format!(
        "of {} files, typify generates types for {}, of which {} compile; quicktype for {}; \
         json-schema-to-typescript for {}",
        files.len(),
        modules.len(),
        modules.len() - failed.len(),
        count(1),
        count(0),
    ))
}

/// Returns the types that typify generates, or `None` if it fails or panics.
fn typify(file: &Path) -> Option<String> {
    let text = workspace::read(file).ok()?;
    let generate = || {
        let root: schemars::schema::RootSchema = serde_json::from_str(&text).ok()?;
        let mut space = typify::TypeSpace::new(&typify::TypeSpaceSettings::default());
        space.add_root_schema(root).ok()?;
        syn::parse2(space.to_stream()).ok()
    };
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(AssertUnwindSafe(generate));
    panic::set_hook(hook);
    let file: syn::File = outcome.ok()??;
    Some(prettyplease::unparse(&file))
}
