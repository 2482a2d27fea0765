//! All of `schema/` in, all of the generated sources out.

mod corrected;
mod standalone;

pub use standalone::Standalone;

use crate::emit::{EmitError, Emitter, File, feature_name, module_name};
use crate::hints::Hints;
use crate::model::{BuildError, Family, Model, build, share};
use crate::schema::{Document, Errata, ErratumError, Patch, PatchError, SchemaError};
use crate::words::Words;
use serde_json::{Map, Value};

/// What stands under `schema/`, as text.
#[derive(Debug, Default)]
pub struct Project {
    /// Revisions, oldest first: name, file and text of the schema.
    pub schemas: Vec<Source>,
    /// Errata, by revision.
    pub errata: Vec<Source>,
    /// Proposals and extensions on the newest revision.
    pub patches: Vec<Source>,
    /// Data that steers the generator.
    pub hints: Hints,
    /// Documentation texts.
    pub words: Map<String, Value>,
    /// Examples by type.
    pub examples: Map<String, Value>,
}

/// A file and what it is about.
#[derive(Clone, Debug)]
pub struct Source {
    /// Revision or name of the proposal.
    pub name: String,
    /// Path, for messages.
    pub file: String,
    /// Content.
    pub text: String,
}

/// Why nothing was generated.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// A schema is at fault.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A file of errata is at fault, or an erratum does not fit.
    #[error("{}", lines(.0))]
    Errata(Vec<ErratumError>),
    /// A proposal is at fault.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// A proposal is not on the newest revision.
    #[error(
        "{file}: its base is {base}, but the newest revision is {newest}: adapt it and its `base`"
    )]
    Base {
        /// The file.
        file: String,
        /// The revision that it is on.
        base: String,
        /// The newest revision.
        newest: String,
    },
    /// A schema has something that there is no type for.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The sources could not be written.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// Types or members without words.
    #[error("docs.json has no text for {}", .0.join(", "))]
    Words(Vec<String>),
    /// Texts for what no revision has.
    #[error("docs.json has texts for what no revision has: {}", .0.join(", "))]
    UnusedWords(Vec<String>),
    /// Messages of the newest revision without an example, or examples of nothing.
    #[error("examples.json: no example of {}; examples of no type: {}", .missing.join(", "), .unused.join(", "))]
    Examples {
        /// Messages without an example.
        missing: Vec<String>,
        /// Keys that no revision has.
        unused: Vec<String>,
    },
    /// There is no schema.
    #[error("there is no schema")]
    Empty,
}

fn lines(errors: &[ErratumError]) -> String {
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Generated files and what there is to say about them.
#[derive(Debug)]
pub struct Output {
    /// The files, below the folder of the revisions.
    pub files: Vec<File>,
    /// The calls of a client, for the crate that has it.
    pub methods: File,
    /// The corrected schemas that the types agree with.
    pub schemas: Vec<File>,
    /// One row a revision, oldest first.
    pub summary: Vec<Summary>,
    /// Cargo features: name and the features that it switches on.
    pub features: Vec<(String, Vec<String>)>,
}

/// What came of a revision.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The revision.
    pub revision: String,
    /// Definitions of its schema.
    pub definitions: usize,
    /// Types generated in its module, inline ones included.
    pub generated: usize,
    /// Types that stand in a newer module.
    pub shared: usize,
    /// Messages of its method table.
    pub messages: usize,
}

impl Project {
    /// The schemas with errata and, on the newest, all proposals.
    ///
    /// # Errors
    ///
    /// When a file cannot be read as what it should be, or a correction does not fit.
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

    /// The models of all revisions, types shared.
    ///
    /// # Errors
    ///
    /// When a schema, an erratum or a proposal is at fault, or words are missing.
    pub fn family(&self) -> Result<Family, ProjectError> {
        let words = Words::new(self.words.clone());
        let mut models = Vec::new();
        for (revision, document) in self.documents()? {
            let mut model = build(
                &document.file,
                &revision,
                &document.definitions,
                &self.hints,
                &words,
            )?;
            if let Some(errata) = self.errata_of(&revision)? {
                model.constants = errata.constants;
            }
            models.push(model);
        }
        let missing = words.missing();
        if !missing.is_empty() {
            return Err(ProjectError::Words(missing));
        }
        let unused = words.unused();
        if !unused.is_empty() {
            return Err(ProjectError::UnusedWords(unused));
        }
        if models.is_empty() {
            Err(ProjectError::Empty)
        } else {
            Ok(share(models))
        }
    }

    /// Keys of `docs.json` that a document needs and that are not there.
    ///
    /// # Errors
    ///
    /// When there is no type for something in the document.
    pub fn missing_words(
        &self,
        revision: &str,
        document: &Document,
    ) -> Result<Vec<String>, ProjectError> {
        let words = Words::new(self.words.clone());
        build(
            &document.file,
            revision,
            &document.definitions,
            &self.hints,
            &words,
        )?;
        Ok(words.missing())
    }

    /// Every message of the newest revision has an example, and no example is left over.
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
    /// See [`ProjectError`].
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

/// Features: a revision switches on the next newer one, since its module refers to it.
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
