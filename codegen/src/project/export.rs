//! The model of one revision as JSON.

use super::{Project, ProjectError};
use crate::doc_texts::DocTexts;
use crate::export::export;
use crate::model::{self, Model, build_neutral};
use serde_json::Value;

impl Project {
    /// Returns the model of a revision as JSON, in the form that [`export`] describes.
    ///
    /// Facts, errata, extensions and proposals are applied. The hints only contribute names of inline
    /// types, rules for variants that look alike, and what they say about messages.
    ///
    /// # Errors
    ///
    /// Returns [`ProjectError::Revision`] if the project does not have the revision, or the error of
    /// an invalid file.
    pub fn export(&self, revision: &str) -> Result<Value, ProjectError> {
        let project = self.annotated()?;
        let patches = project.parse_patches()?;
        let doc_texts = DocTexts::new(project.doc_texts.clone());
        let documents = project.patched()?.documents;
        // Inline types keep the names that they have in the revision before.
        let mut previous: Option<Model> = None;
        for (name, document) in &documents {
            let (definitions, warnings) = document.simplified_everywhere();
            let source = model::Source {
                file: &document.file,
                revision: name,
                definitions: &definitions,
                root: None,
                document,
                left_out: &warnings,
                exact: false,
                previous: previous.as_ref(),
            };
            let mut model = build_neutral(source, &project.hints, &doc_texts)?;
            if let Some(facts) = project.facts_of(name)? {
                model.add_facts(facts);
            }
            if name == revision {
                return Ok(export(&model, &project.hints, &patches));
            }
            previous = Some(model);
        }
        Err(ProjectError::Revision {
            revision: revision.to_owned(),
            known: documents.into_iter().map(|(name, _)| name).collect(),
        })
    }
}
