//! [`Project`]: the contents of `schema/`, and the sources that are generated from it.

use super::report::{self, Report};
use super::unused_hints::{UnusedHint, unused_hints};
use crate::doc_texts::DocTexts;
use crate::emit::{EmitError, Emitter, Examples, File, feature_name, module_name};
use crate::hints::{Hints, HintsError};
use crate::model::{
    self, BuildError, DRAFT, Family, Model, Note, build, keep_form_of_structs, share,
};
use crate::schema::{ErratumError, FactsError, Patch, PatchError, SchemaError};
use serde_json::{Map, Value};

/// The contents of `schema/`, as text.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The schemas of the revisions, oldest first.
    pub schemas: Vec<Source>,
    /// Facts that the schemas lose, by revision.
    pub facts: Vec<Source>,
    /// Errata, by revision.
    pub errata: Vec<Source>,
    /// Proposals and extensions.
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
    /// A file of facts is invalid, or a fact does not match its schema.
    #[error(transparent)]
    Facts(#[from] FactsError),
    /// An errata file is invalid, or an erratum does not match its schema.
    #[error("{}", lines(.0))]
    Errata(Vec<ErratumError>),
    /// The file of hints is invalid.
    #[error(transparent)]
    HintsFile(#[from] HintsError),
    /// Entries of the hints have no effect on the schema.
    #[error("{}", lines(.0))]
    Hints(Vec<UnusedHint>),
    /// A proposal is invalid.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// A schema uses something for which the generator has no type.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Two requests, or two notifications, of a revision have the same method.
    #[error("{file}: {note}")]
    SameMethod {
        /// The file.
        file: String,
        /// The messages.
        note: Note,
    },
    /// The path of the support code is not one that all files of a crate can use.
    #[error("the support code at `{0}`: expected the path of a module that starts with `crate`")]
    Support(String),
    /// The sources could not be generated.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// There is no schema.
    #[error("the project has no schema")]
    Empty,
    /// There is no schema of a revision.
    #[error("unknown revision `{revision}`: expected one of {}", known.join(", "))]
    Revision {
        /// The revision.
        revision: String,
        /// The revisions of the project.
        known: Vec<String>,
    },
}

fn lines(errors: &[impl ToString]) -> String {
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
    /// What people have to look at or to write.
    pub report: Report,
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
    /// Builds the models of all revisions, with shared types, and reports what is left to people.
    fn family(&self) -> Result<(Family, Report), ProjectError> {
        let doc_texts = DocTexts::new(self.doc_texts.clone());
        let applied = self.rust_documents()?;
        let patches = self.parse_patches()?;
        let mut models: Vec<Model> = Vec::new();
        for (revision, document) in &applied.documents {
            let (definitions, warnings) = document.simplified();
            let source = model::Source {
                file: &document.file,
                revision,
                definitions: &definitions,
                root: None,
                document,
                left_out: &warnings,
                exact: false,
                previous: models.last(),
            };
            // A draft needs no texts of its own, so the report does not list those that it lacks.
            let unrecorded = (revision == DRAFT).then(|| doc_texts.fresh());
            let doc_texts = unrecorded.as_ref().unwrap_or(&doc_texts);
            let mut model = build(source, &self.hints, doc_texts)?;
            model.name_features(&patches);
            let mut notes = model.notes.iter();
            if let Some(note) = notes.find(|note| matches!(note, Note::SameMethod { .. })) {
                let (file, note) = (document.file.clone(), note.clone());
                return Err(ProjectError::SameMethod { file, note });
            }
            if let Some(facts) = self.facts_of(revision)? {
                model.add_facts(facts);
            }
            if let Some(older) = models.last() {
                keep_form_of_structs(older, &mut model, &self.hints);
            }
            models.push(model);
        }
        let notes = models.iter().flat_map(|model| {
            let notes = model.notes.iter().cloned();
            notes.map(|note| (model.revision.clone(), note))
        });
        let unused_hints = unused_hints(&self.hints, &models);
        let report = Report {
            adoptions: applied.adoptions,
            unused_hints: unused_hints.iter().map(ToString::to_string).collect(),
            notes: notes.collect(),
            missing_docs: doc_texts.missing(),
            unused_docs: doc_texts.unused(),
            ..Report::default()
        };
        if models.is_empty() {
            Err(ProjectError::Empty)
        } else {
            Ok((share(models), report))
        }
    }

    /// Generates everything.
    ///
    /// # Errors
    ///
    /// Returns a [`ProjectError`].
    pub fn generate(&self) -> Result<Output, ProjectError> {
        let project = self.annotated()?;
        let (family, mut report) = project.family()?;
        let examples = project.examples(&family, &mut report);
        project.emit(&family, &project.emitter(&family, examples)?, report)
    }

    /// Returns what people have to look at. If only the sources cannot be generated, the report
    /// says why.
    ///
    /// # Errors
    ///
    /// Returns an error if the schemas or the files that belong to them are not valid.
    pub fn review(&self) -> Result<Report, ProjectError> {
        let project = self.annotated()?;
        let (family, mut report) = project.family()?;
        let examples = project.examples(&family, &mut report);
        report.behaviour = report::behaviour(&family, &project.hints);
        let reviewed = project.emitter(&family, examples).and_then(|emitter| {
            let mut report = project.emit(&family, &emitter, report.clone())?.report;
            report.conversions = conversion_losses(&family, &emitter)?;
            Ok(report)
        });
        Ok(reviewed.unwrap_or_else(|error| Report {
            failure: Some(error.to_string()),
            ..report
        }))
    }

    fn emitter<'a>(
        &'a self,
        family: &'a Family,
        examples: Examples,
    ) -> Result<Emitter<'a>, ProjectError> {
        Ok(Emitter::new(family, &self.hints, "crate")?
            .with_examples(examples)
            .with_proposals(&self.parse_patches()?))
    }

    fn emit(
        &self,
        family: &Family,
        emitter: &Emitter<'_>,
        mut report: Report,
    ) -> Result<Output, ProjectError> {
        report.ambiguous = emitter.ambiguities();
        let mut files = emitter.root()?;
        for (at, model) in family.models.iter().enumerate() {
            let module = module_name(&model.revision);
            files.extend(emitter.module(at)?.into_iter().map(|file| File {
                path: format!("{module}/{}", file.path),
                text: file.text,
            }));
        }
        let summary = (0..family.models.len())
            .map(|at| summarise(family, at))
            .collect();
        let schemas = self.corrected(family)?;
        Ok(Output {
            files,
            methods: emitter.methods()?,
            schemas,
            summary,
            features: features(family, &self.parse_patches()?),
            report,
        })
    }
}

/// Returns what the conversions between each revision and the one before lose, invent or reject.
fn conversion_losses(
    family: &Family,
    emitter: &Emitter<'_>,
) -> Result<Vec<(String, String)>, ProjectError> {
    let mut lines = Vec::new();
    for (older, newer) in family.models.iter().skip(1).enumerate() {
        let losses = emitter.conversion_losses(older)?.into_iter();
        lines.extend(losses.map(|loss| (newer.revision.clone(), loss)));
    }
    Ok(lines)
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
/// The draft enables the newest revision.
fn features(family: &Family, patches: &[Patch]) -> Vec<(String, Vec<String>)> {
    let names = family.revisions().iter();
    let names: Vec<String> = names.map(|model| feature_name(&model.revision)).collect();
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
    if let Some(draft) = family.draft() {
        let name = feature_name(&family.models[draft].revision);
        features.push((name, names.last().cloned().into_iter().collect()));
    }
    let added = patches.iter().map(|patch| patch.feature().to_owned());
    features.extend(added.map(|feature| (feature, Vec::new())));
    // All proposals have one feature, and follow the extensions.
    features.dedup();
    features
}
