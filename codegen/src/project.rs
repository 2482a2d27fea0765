//! [`Project`]: generates all sources from the contents of `schema/`.

mod corrected;
mod standalone;

pub use standalone::Standalone;

use crate::doc_texts::DocTexts;
use crate::emit::{EmitError, Emitter, File, feature_name, module_name};
use crate::hints::Hints;
use crate::model::{BuildError, Family, Model, build, share};
use crate::schema::{Document, Errata, ErratumError, Patch, PatchError, SchemaError};
use serde_json::{Map, Value};

/// The contents of `schema/`, as text.
#[derive(Debug, Default)]
pub struct Project {
    /// The schemas of the revisions, oldest first.
    pub schemas: Vec<Source>,
    /// Errata, by revision.
    pub errata: Vec<Source>,
    /// Proposals and extensions of the newest revision.
    pub patches: Vec<Source>,
    /// Data that controls the generator.
    pub hints: Hints,
    /// Documentation texts.
    pub doc_texts: Map<String, Value>,
    /// Examples, by type.
    pub examples: Map<String, Value>,
}

/// An input file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The revision, or the name of the proposal.
    pub name: String,
    /// The path, for messages.
    pub file: String,
    /// The content.
    pub text: String,
}

/// The errors of generating the sources.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// A schema is invalid.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// An errata file is invalid, or an erratum does not match its schema.
    #[error("{}", lines(.0))]
    Errata(Vec<ErratumError>),
    /// A proposal is invalid.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// A proposal is not based on the newest revision.
    #[error(
        "{file}: the patch is based on {base}, but the newest revision is {newest}; adapt the patch and its `base`"
    )]
    Base {
        /// The file.
        file: String,
        /// The revision on which it is based.
        base: String,
        /// The newest revision.
        newest: String,
    },
    /// A schema uses something for which the generator has no type.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The sources could not be generated.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// Types or members without documentation.
    #[error("docs.json has no text for {}", .0.join(", "))]
    MissingDocs(Vec<String>),
    /// Documentation for types or members that no revision has.
    #[error("docs.json has unused texts: no revision has {}", .0.join(", "))]
    UnusedDocs(Vec<String>),
    /// Messages of the newest revision without an example, or examples of unknown types.
    #[error("examples.json: missing examples: {}; examples of unknown types: {}", .missing.join(", "), .unused.join(", "))]
    Examples {
        /// Messages without an example.
        missing: Vec<String>,
        /// Keys that no revision uses.
        unused: Vec<String>,
    },
    /// There is no schema.
    #[error("the project has no schema")]
    Empty,
}

fn lines(errors: &[ErratumError]) -> String {
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The generated files and a summary of them.
#[derive(Debug)]
pub struct Output {
    /// The files, with paths relative to the folder of the revisions.
    pub files: Vec<File>,
    /// The typed calls of a client, for the client crate.
    pub methods: File,
    /// The corrected schemas, which match the generated types.
    pub schemas: Vec<File>,
    /// One summary for each revision, oldest first.
    pub summary: Vec<Summary>,
    /// Cargo features: the name and the features that it enables.
    pub features: Vec<(String, Vec<String>)>,
}

/// The summary of a revision.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The revision.
    pub revision: String,
    /// The number of definitions in its schema.
    pub definitions: usize,
    /// The number of types generated in its module, including inline types.
    pub generated: usize,
    /// The number of types that are defined in a newer module.
    pub shared: usize,
    /// The number of its messages.
    pub messages: usize,
}

impl Project {
    /// Returns the schemas with errata applied and, for the newest one, all proposals.
    ///
    /// # Errors
    ///
    /// Returns an error if a file is invalid or if an erratum or a patch does not match.
    pub fn documents(&self) -> Result<Vec<(String, Document)>, ProjectError> {
        let mut documents = Vec::new();
        for source in &self.schemas {
            let mut document = Document::parse(&source.file, &source.text)?;
            if let Some(errata) = self.errata_of(&source.name)? {
                errata.apply(&mut document).map_err(ProjectError::Errata)?;
            }
            documents.push((source.name.clone(), document));
        }
        if let Some((name, newest)) = documents.last_mut() {
            for source in &self.patches {
                let patch = Patch::parse(&source.file, &source.text)?;
                if patch.base != *name {
                    let (file, base, newest) = (source.file.clone(), patch.base, name.clone());
                    return Err(ProjectError::Base { file, base, newest });
                }
                patch.apply(newest)?;
            }
            newest.check()?;
        }
        Ok(documents)
    }

    fn errata_of(&self, revision: &str) -> Result<Option<Errata>, ProjectError> {
        let source = self.errata.iter().find(|source| source.name == revision);
        source
            .map(|source| Errata::parse(&source.file, &source.text))
            .transpose()
            .map_err(|error| ProjectError::Errata(vec![error]))
    }

    /// Returns the models of all revisions, with shared types.
    ///
    /// # Errors
    ///
    /// Returns an error if a schema, an erratum or a proposal is invalid, or if documentation is
    /// missing.
    pub fn family(&self) -> Result<Family, ProjectError> {
        let doc_texts = DocTexts::new(self.doc_texts.clone());
        let mut models = Vec::new();
        for (revision, document) in self.documents()? {
            let mut model = build(
                &document.file,
                &revision,
                &document.definitions,
                &self.hints,
                &doc_texts,
            )?;
            if let Some(errata) = self.errata_of(&revision)? {
                model.constants = errata.constants;
            }
            models.push(model);
        }
        let missing = doc_texts.missing();
        if !missing.is_empty() {
            return Err(ProjectError::MissingDocs(missing));
        }
        let unused = doc_texts.unused();
        if !unused.is_empty() {
            return Err(ProjectError::UnusedDocs(unused));
        }
        if models.is_empty() {
            Err(ProjectError::Empty)
        } else {
            Ok(share(models))
        }
    }

    /// Returns the keys that a document needs and that `docs.json` does not have.
    ///
    /// # Errors
    ///
    /// Returns an error if the generator has no type for something in the document.
    pub fn missing_docs(
        &self,
        revision: &str,
        document: &Document,
    ) -> Result<Vec<String>, ProjectError> {
        let doc_texts = DocTexts::new(self.doc_texts.clone());
        build(
            &document.file,
            revision,
            &document.definitions,
            &self.hints,
            &doc_texts,
        )?;
        Ok(doc_texts.missing())
    }

    /// Checks that every message of the newest revision has an example, and that no example is
    /// unused.
    fn check_examples(&self, family: &Family) -> Result<(), ProjectError> {
        let Some(newest) = family.models.last() else {
            return Err(ProjectError::Empty);
        };
        let names = newest.messages.iter().map(|message| message.name.clone());
        let missing: Vec<String> = names
            .filter(|name| !self.examples.contains_key(name))
            .collect();
        let known = |key: &str| match key.split_once('/') {
            None => newest.get(key).is_some(),
            Some((revision, name)) => {
                let mut models = family.models.iter();
                models.any(|model| model.revision == revision && model.get(name).is_some())
            }
        };
        let unused: Vec<String> = self
            .examples
            .keys()
            .filter(|key| !known(key))
            .cloned()
            .collect();
        if missing.is_empty() && unused.is_empty() {
            return Ok(());
        }
        Err(ProjectError::Examples { missing, unused })
    }

    /// Generates everything.
    ///
    /// # Errors
    ///
    /// Returns a [`ProjectError`].
    pub fn generate(&self) -> Result<Output, ProjectError> {
        let family = self.family()?;
        self.check_examples(&family)?;
        let patches = self.patches.iter();
        let patches = patches.map(|source| Patch::parse(&source.file, &source.text));
        let emitter = Emitter::new(&family, &self.hints, "crate")?
            .with_examples(self.examples.clone())
            .with_proposals(&patches.collect::<Result<Vec<_>, _>>()?);
        let ambiguous = emitter.ambiguities();
        if !ambiguous.is_empty() {
            return Err(EmitError::Ambiguous(ambiguous).into());
        }
        let mut files = emitter.root()?;
        for (at, model) in family.models.iter().enumerate() {
            let module = module_name(&model.revision);
            files.extend(emitter.module(at)?.into_iter().map(|file| File {
                path: format!("{module}/{}", file.path),
                text: file.text,
            }));
        }
        let summary = (0..family.models.len())
            .map(|at| summarise(&family, at))
            .collect();
        let schemas = self.corrected(&family)?;
        Ok(Output {
            files,
            methods: emitter.methods()?,
            schemas,
            summary,
            features: features(&family, &self.patches),
        })
    }
}

fn summarise(family: &Family, at: usize) -> Summary {
    let model: &Model = &family.models[at];
    let home = |name: &str| family.is_home(at, name);
    let stable = || model.types.iter().filter(|def| def.features.is_empty());
    Summary {
        revision: model.revision.clone(),
        definitions: stable().filter(|def| def.published).count(),
        generated: stable().filter(|def| home(&def.name)).count(),
        shared: stable().filter(|def| !home(&def.name)).count(),
        messages: model
            .messages
            .iter()
            .filter(|message| {
                model
                    .get(&message.name)
                    .is_some_and(|def| def.features.is_empty())
            })
            .count(),
    }
}

/// Returns the features. Each revision enables the next newer one, because its module refers to it.
fn features(family: &Family, patches: &[Source]) -> Vec<(String, Vec<String>)> {
    let names: Vec<String> = family
        .models
        .iter()
        .map(|model| feature_name(&model.revision))
        .collect();
    let mut features = vec![(
        "default".to_owned(),
        names.last().cloned().into_iter().collect(),
    )];
    for (at, name) in names.iter().enumerate() {
        features.push((
            name.clone(),
            names.get(at + 1).cloned().into_iter().collect(),
        ));
    }
    features.extend(patches.iter().map(|patch| (patch.name.clone(), Vec::new())));
    features
}
