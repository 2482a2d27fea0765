//! The schemas of a project, with everything applied that belongs to them.

use super::report::Adoption;
use super::{Project, ProjectError, Source};
use crate::model;
use crate::schema::{Document, Errata, Facts, Patch, PatchError};

/// The schemas with errata and proposals applied.
pub(super) struct Patched {
    /// The revisions and their schemas, oldest first. Definitions have the names of the schema.
    pub(super) documents: Vec<(String, Document)>,
    pub(super) adoptions: Vec<Adoption>,
}

impl Project {
    /// Returns the schemas with errata and proposals applied.
    ///
    /// # Errors
    ///
    /// Returns an error if a file is invalid or if an erratum or a patch does not match.
    pub fn documents(&self) -> Result<Vec<(String, Document)>, ProjectError> {
        Ok(self.rust_documents()?.documents)
    }

    /// Returns the schemas with the names of definitions made distinct in Rust.
    pub(super) fn rust_documents(&self) -> Result<Patched, ProjectError> {
        let mut patched = self.patched()?;
        for (_, document) in &mut patched.documents {
            let definitions = std::mem::take(&mut document.definitions);
            document.definitions = model::distinct_names(definitions);
        }
        Ok(patched)
    }

    /// Returns the schemas with errata and proposals applied, and what newer revisions did with the
    /// additions of proposals.
    pub(super) fn patched(&self) -> Result<Patched, ProjectError> {
        let patches = self.parse_patches()?;
        let mut adoptions = Vec::new();
        let mut documents: Vec<(String, Document)> = Vec::new();
        for source in &self.schemas {
            let mut document = Document::parse(&source.file, &source.text)?;
            self.correct(&source.name, &mut document)?;
            for patch in patches.iter().filter(|patch| patch.since <= source.name) {
                match documents.last() {
                    Some((before, previous)) if patch.since <= *before => {
                        let applied = patch.apply_to_newer(&mut document, previous)?;
                        adoptions.push(Adoption {
                            revision: source.name.clone(),
                            patch: patch.name.clone(),
                            applied,
                        });
                    }
                    _ => patch.apply(&mut document)?,
                }
            }
            document.check()?;
            documents.push((source.name.clone(), document));
        }
        Ok(Patched {
            documents,
            adoptions,
        })
    }

    pub(super) fn parse_patches(&self) -> Result<Vec<Patch>, PatchError> {
        let parse = |source: &Source| Patch::parse(&source.file, &source.text);
        self.patches.iter().map(parse).collect()
    }

    /// Applies the facts and the errata of a revision.
    pub(super) fn correct(
        &self,
        revision: &str,
        document: &mut Document,
    ) -> Result<(), ProjectError> {
        if let Some(facts) = self.facts_of(revision)? {
            facts.apply(document)?;
        }
        if let Some(errata) = self.errata_of(revision)? {
            errata.apply(document).map_err(ProjectError::Errata)?;
        }
        Ok(())
    }

    pub(super) fn facts_of(&self, revision: &str) -> Result<Option<Facts>, ProjectError> {
        let source = self.facts.iter().find(|source| source.name == revision);
        let facts = source.map(|source| Facts::parse(&source.file, &source.text));
        Ok(facts.transpose()?)
    }

    fn errata_of(&self, revision: &str) -> Result<Option<Errata>, ProjectError> {
        let source = self.errata.iter().find(|source| source.name == revision);
        source
            .map(|source| Errata::parse(&source.file, &source.text))
            .transpose()
            .map_err(|error| ProjectError::Errata(vec![error]))
    }
}
