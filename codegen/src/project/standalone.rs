//! Generates code for a single schema that is not part of the project.

use super::{Project, ProjectError};
use crate::doc_texts::DocTexts;
use crate::emit::{Emitter, File};
use crate::hints::Hints;
use crate::model::{self, Note, build, share};
use crate::schema::{Document, verify};

/// The code generated for a single schema.
#[derive(Debug)]
pub struct Standalone {
    /// The files: a module. The caller adds the submodule `support`.
    pub files: Vec<File>,
    /// The revision with the same structure, whose errata and hints were applied.
    pub recognised: Option<String>,
    /// What the types do not check, and unions whose variants cannot be distinguished.
    pub warnings: Vec<String>,
    /// The number of types, including inline types.
    pub types: usize,
    /// The number of messages.
    pub messages: usize,
}

impl Project {
    /// Generates a module tree for any schema with definitions.
    ///
    /// For a schema with the structure of one of the project's revisions, the errata and hints of
    /// that revision are applied, so that the API is the same. Any other schema uses `hints`.
    ///
    /// # Errors
    ///
    /// Returns an error with the position if the schema is invalid or uses an unsupported type.
    pub fn standalone(
        &self,
        name: &str,
        file: &str,
        text: &str,
        hints: Option<Hints>,
    ) -> Result<Standalone, ProjectError> {
        let mut document = Document::parse(file, text)?;
        let recognised = if hints.is_some() {
            None
        } else {
            self.recognise(&document)?
        };
        let hints = match (&recognised, hints) {
            (Some(revision), _) => {
                self.correct(revision, &mut document)?;
                self.hints.clone()
            }
            (None, hints) => hints.unwrap_or_default(),
        };
        let doc_texts = DocTexts::new(if recognised.is_some() {
            self.doc_texts.clone()
        } else {
            serde_json::Map::default()
        });
        let revision = recognised.as_deref().unwrap_or(name);
        let (definitions, warnings) = document.simplified();
        let source = model::Source {
            file,
            revision,
            definitions: &definitions,
            previous: None,
        };
        let mut model = build(source, &hints, &doc_texts)?;
        if let Some(revision) = &recognised
            && let Some(facts) = self.facts_of(revision)?
        {
            model.constants = facts.constants;
        }
        model.notes.extend(warnings.into_iter().map(Note::Schema));
        let mut warnings = super::report::warnings(&model.notes);
        let (types, messages) = (model.types.len(), model.messages.len());
        let family = share(vec![model]);
        let emitter = Emitter::new(&family, &hints, "super::support")?.standalone();
        warnings.extend(super::report::ambiguous(&emitter.ambiguities()));
        Ok(Standalone {
            files: emitter.module(0)?,
            recognised: recognised.clone(),
            warnings,
            types,
            messages,
        })
    }

    /// Returns the revision that has the structure of a document.
    fn recognise(&self, document: &Document) -> Result<Option<String>, ProjectError> {
        for source in &self.schemas {
            let ours = Document::parse(&source.file, &source.text)?;
            if verify(document, &ours).is_empty() {
                return Ok(Some(source.name.clone()));
            }
        }
        Ok(None)
    }
}
