//! [`Project::from_files`]: which file of `schema/` has what.

use serde_json::{Map, Value};

use super::generate::{Project, ProjectError, Source};
use crate::hints::Hints;
use crate::schema::{self, SchemaError};

impl Project {
    /// Returns the project that the files of a folder `schema/` describe, without any I/O: each file is
    /// its path in the folder, with `/` between the names, and its content. Files with other names are
    /// ignored, and what has no file is empty.
    ///
    /// # Errors
    ///
    /// Returns an error if the hints, the documentation texts or the examples are invalid. Schemas and
    /// what corrects or extends them are parsed when something is generated.
    pub fn from_files(
        files: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ProjectError> {
        let mut files: Vec<_> = files.into_iter().collect();
        // Revisions from the oldest on, and extensions before proposals.
        files.sort();
        let mut project = Self::default();
        for (path, text) in files {
            let file = format!("schema/{path}");
            match path.split_once('/') {
                None => match path.as_str() {
                    "hints.json" => project.hints = Hints::parse(&file, &text)?,
                    "docs.json" => project.doc_texts = object(file, &text)?,
                    "examples.json" => project.examples = object(file, &text)?,
                    _ => {}
                },
                Some((folder, name)) => project.add(folder, name, file, text),
            }
        }
        Ok(project)
    }

    fn add(&mut self, folder: &str, name: &str, file: String, text: String) {
        let (sources, name) = match (folder, name) {
            (revision, "schema.json") => (&mut self.schemas, Some(revision)),
            (revision, "facts.json") => (&mut self.facts, Some(revision)),
            ("errata", name) => (&mut self.errata, name.strip_suffix(".json")),
            ("extensions" | "proposals", name) => (&mut self.patches, name.strip_suffix(".json")),
            _ => return,
        };
        if let Some(name) = name {
            let name = name.to_owned();
            sources.push(Source { name, file, text });
        }
    }
}

fn object(file: String, text: &str) -> Result<Map<String, Value>, SchemaError> {
    schema::parse(text).map_err(|source| SchemaError::NotJson { file, source })
}
