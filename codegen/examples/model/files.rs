//! Reads the folder `schema/`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use codegen::hints::Hints;
use codegen::project::{Project, Source};
use codegen::schema;
use serde_json::{Map, Value};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Reads the project of this repository.
pub(crate) fn project() -> Result<Project> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let mut schemas = Vec::new();
    let mut facts = Vec::new();
    for revision in names(&root)? {
        for (sources, file) in [(&mut schemas, "schema.json"), (&mut facts, "facts.json")] {
            let path = format!("{revision}/{file}");
            if root.join(&path).is_file() {
                sources.push(source(&root, &revision, &path)?);
            }
        }
    }
    let mut patches = sources(&root, "extensions")?;
    patches.extend(sources(&root, "proposals")?);
    Ok(Project {
        schemas,
        facts,
        errata: sources(&root, "errata")?,
        patches,
        hints: Hints::parse("schema/hints.json", &read(&root.join("hints.json"))?)?,
        doc_texts: object(&root.join("docs.json"))?,
        examples: object(&root.join("examples.json"))?,
    })
}

fn object(path: &Path) -> Result<Map<String, Value>> {
    Ok(schema::parse(&read(path)?)?)
}

fn sources(root: &Path, folder: &str) -> Result<Vec<Source>> {
    let names = names(&root.join(folder))?.into_iter();
    let names = names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()));
    names
        .map(|name| {
            let path = format!("{folder}/{name}.json");
            source(root, &name, &path)
        })
        .collect()
}

fn source(root: &Path, name: &str, path: &str) -> Result<Source> {
    Ok(Source {
        name: name.to_owned(),
        text: read(&root.join(path))?,
        file: format!("schema/{path}"),
    })
}

/// Returns the names in a folder, sorted.
fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}
