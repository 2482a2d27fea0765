//! Generates code for a single schema that is not part of the project.

use super::annotations::AnnotationSet;
use super::{Project, ProjectError};
use crate::doc_texts::DocTexts;
use crate::emit::{Emitter, File};
use crate::hints::{Areas, Hints};
use crate::model::{self, Kind, Note, TypeDef, build, share, type_ident};
use crate::schema::{Dialect, Document, Warning, WarningKind, pointer, verify};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The code generated for a single schema.
#[derive(Debug)]
pub struct Standalone {
    /// The files: a module. The caller adds the submodule `support`.
    pub files: Vec<File>,
    /// The revision with the same structure, whose errata and hints were applied.
    pub recognised: Option<String>,
    /// What the types do not check, and unions whose variants cannot be distinguished.
    pub warnings: Vec<String>,
    /// The definitions, reduced to what the types express.
    pub definitions: Map<String, Value>,
    /// The version of JSON Schema of the document.
    pub dialect: Dialect,
    /// The definitions as they are in the document, by the same names.
    pub originals: Map<String, Value>,
    /// The Rust names of the definitions that have a type of their own.
    pub names: BTreeMap<String, String>,
    /// The Rust name of the type of the document itself, unless it only lists definitions.
    pub root: Option<String>,
    /// The definitions whose types accept more than [`definitions`](Self::definitions).
    pub loose: BTreeSet<String>,
    /// The definitions whose types accept only objects, although the document allows other values.
    pub narrow: BTreeSet<String>,
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
        let mut hints = match (&recognised, hints) {
            (Some(revision), _) => {
                self.correct(revision, &mut document)?;
                self.hints.clone()
            }
            (None, hints) => hints.unwrap_or_default(),
        };
        // A single schema becomes a single file of types.
        hints.areas = Areas::default();
        let doc_texts = DocTexts::new(if recognised.is_some() {
            self.doc_texts.clone()
        } else {
            serde_json::Map::default()
        });
        let revision = recognised.as_deref().unwrap_or(name);
        let annotations = AnnotationSet::read(&document)?;
        annotations.add_to(&mut hints, revision);
        let root = document.root.as_ref().map(|root| {
            let mut names = document.definitions.keys();
            names.position(|name| name == root)
        });
        document.definitions = model::distinct_names(document.definitions);
        let root = document
            .definitions
            .keys()
            .nth(root.flatten().unwrap_or(usize::MAX));
        let root = root.map(|name| type_ident(name));
        let (definitions, warnings) = document.simplified();
        let source = model::Source {
            file,
            revision,
            definitions: &definitions,
            document: &document,
            left_out: &warnings,
            exact: true,
            previous: None,
        };
        let mut model = build(source, &hints, &doc_texts)?;
        let facts = recognised.as_ref().map(|revision| self.facts_of(revision));
        if let Some(facts) = annotations.over(facts.transpose()?.flatten()) {
            model.add_facts(facts);
        }
        let owner = |warning: &Warning| {
            let name = warning.pointer.split('/').nth(1).unwrap_or_default();
            pointer::unescape(name)
        };
        let loose = model.notes.iter().filter_map(|note| match note {
            Note::Schema(warning) => Some(owner(warning)),
            Note::Infinite { place } => Some(place.split('.').next()?.to_owned()),
            Note::Circular { name } => Some(name.clone()),
            _ => None,
        });
        let loose = loose.collect();
        let narrow = warnings.iter();
        let narrow = narrow.filter(|warning| warning.kind == WarningKind::OnlyObjects);
        let narrow = narrow.map(owner).collect();
        let mut warnings = super::report::warnings(&model.notes);
        let own = |def: &&TypeDef| def.published && !matches!(def.kind, Kind::Alias(_));
        let published = model.types.iter().filter(own);
        let names = published.map(|def| (def.name.clone(), type_ident(&def.name)));
        let names = names.collect();
        let (types, messages) = (model.types.len(), model.messages.len());
        let family = share(vec![model]);
        let emitter = Emitter::new(&family, &hints, "super::support")?.standalone();
        warnings.extend(super::report::ambiguous(&emitter.ambiguities()));
        Ok(Standalone {
            files: emitter.module(0)?,
            recognised: recognised.clone(),
            warnings,
            dialect: document.dialect,
            definitions,
            originals: document.definitions,
            names,
            root,
            loose,
            narrow,
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
