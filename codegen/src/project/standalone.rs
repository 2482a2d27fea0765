//! One schema, without a project around it.

use super::{Project, ProjectError};
use crate::emit::{Emitter, File};
use crate::hints::Hints;
use crate::model::{build, share};
use crate::schema::{Document, verify};
use crate::words::Words;

/// What came of a schema.
#[derive(Debug)]
pub struct Standalone {
    /// The files: a module whose submodule `support` the caller fills.
    pub files: Vec<File>,
    /// The revision whose structure the schema has, and whose errata and hints were applied.
    pub recognised: Option<String>,
    /// Sentences about unions whose members cannot be told apart.
    pub warnings: Vec<String>,
    /// Number of types, inline ones included.
    pub types: usize,
    /// Number of messages.
    pub messages: usize,
}

impl Project {
    /// Generates a module tree for any schema of definitions.
    ///
    /// A schema with the structure of one of the project's revisions gets that revision's errata
    /// and hints, so that the outcome is the same API. Any other one gets `hints`.
    ///
    /// # Errors
    ///
    /// What is wrong with the schema, or has no type, with its place.
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
                if let Some(errata) = self.errata_of(revision)? {
                    errata.apply(&mut document).map_err(ProjectError::Errata)?;
                }
                self.hints.clone()
            }
            (None, hints) => hints.unwrap_or_default(),
        };
        let words = Words::new(if recognised.is_some() {
            self.words.clone()
        } else {
            serde_json::Map::default()
        });
        let revision = recognised.as_deref().unwrap_or(name);
        let mut model = build(file, revision, &document.definitions, &hints, &words)?;
        if let Some(errata) = recognised
            .as_deref()
            .map(|revision| self.errata_of(revision))
            .transpose()?
            .flatten()
        {
            model.constants = errata.constants;
        }
        let (types, messages) = (model.types.len(), model.messages.len());
        let family = share(vec![model]);
        let emitter = Emitter::new(&family, &hints, "super::support")?.alone();
        Ok(Standalone {
            files: emitter.module(0)?,
            recognised: recognised.clone(),
            warnings: emitter.ambiguities(),
            types,
            messages,
        })
    }

    /// The revision whose structure a document has.
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
