//! Generates code for a single schema that is not part of the project.

use super::annotations::AnnotationSet;
use super::unused_hints::unused_hints;
use super::{Project, ProjectError};
use crate::doc_texts::DocTexts;
use crate::emit::{Emitter, File, HEADER};
use crate::hints::{Areas, Hints};
use crate::model::{self, Kind, Note, TypeDef, build, share, type_ident};
use crate::schema::{Dialect, Document, SchemaError, Warning, WarningKind, pointer, verify, walk};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use syn::parse::Parser as _;

/// How the code for a single schema is generated.
#[derive(Clone, Debug, Default)]
pub struct StandaloneOptions {
    /// The hints for the schema, instead of those of the project.
    pub hints: Option<Hints>,
    /// Treats `null` as absent, as [`Hints::null_as_absent`] does.
    pub null_as_absent: bool,
    /// The name of the type of the root.
    pub root: Option<String>,
    /// The path of the support code, from the root of the crate that has the output. Without a path,
    /// the caller adds the support code as the submodule `support`.
    pub support: Option<String>,
}

/// The code generated for a single schema.
#[derive(Debug)]
pub struct Standalone {
    /// The files: a module. The caller adds the submodule `support`, unless it is elsewhere.
    pub files: Vec<File>,
    /// The revision with the same structure, whose errata and hints were applied.
    pub recognised: Option<String>,
    /// What the types do not check, and unions whose variants cannot be distinguished.
    pub warnings: Vec<String>,
    /// Limits of the types that few values reach, for people to read.
    pub notes: Vec<String>,
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
    /// that revision are applied, so that the API is the same. Any other schema uses the hints in
    /// `options`.
    ///
    /// # Errors
    ///
    /// Returns an error with the position if the schema is invalid or uses an unsupported type, or
    /// if an option names nothing in the schema.
    pub fn standalone(
        &self,
        name: &str,
        file: &str,
        text: &str,
        options: &StandaloneOptions,
    ) -> Result<Standalone, ProjectError> {
        let support = support_path(options)?;
        let mut document = match &options.root {
            Some(name) => Document::parse_with_root(file, text, name)?,
            None => Document::parse(file, text)?,
        };
        let recognised = if options.hints.is_some() {
            None
        } else {
            self.recognise(&document)?
        };
        let given = options.hints.clone().unwrap_or_default();
        let mut hints = match &recognised {
            Some(revision) => {
                self.correct(revision, &mut document)?;
                self.hints.clone()
            }
            None => given.clone(),
        };
        hints.null_as_absent |= options.null_as_absent;
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
        document.set_names(model::distinct_names);
        if let Some(name) = &options.root {
            check_root_name(&document, name)?;
        }
        let (definitions, warnings) = document.simplified();
        let source = model::Source {
            file,
            revision,
            definitions: &definitions,
            root: document.root.as_deref(),
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
        let unused = unused_hints(&given, std::slice::from_ref(&model));
        if !unused.is_empty() {
            return Err(ProjectError::Hints(unused));
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
        let emitter = Emitter::new(&family, &hints, support)?;
        let emitter = emitter.standalone(options.support.is_none());
        warnings.extend(super::report::ambiguous(&emitter.ambiguities()));
        let header = header(file);
        let mut files = emitter.module(0)?;
        for file in &mut files {
            file.text = file.text.replacen(HEADER, &header, 1);
        }
        Ok(Standalone {
            files,
            recognised: recognised.clone(),
            warnings,
            notes: wide_integers(&document).into_iter().collect(),
            dialect: document.dialect,
            definitions,
            originals: document.definitions,
            names,
            root: document.root.as_deref().map(type_ident),
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

/// Returns the note about integers that the schema allows, and that do not fit into the type `i64`.
fn wide_integers(document: &Document) -> Option<String> {
    let mut places = Vec::new();
    for (name, schema) in &document.definitions {
        walk(
            schema,
            &format!("/{}", pointer::escape(name)),
            &mut |at, members| {
                let is_integer = match members.get("type") {
                    Some(Value::String(one)) => one == "integer",
                    Some(Value::Array(all)) => {
                        all.iter().any(|ty| ty == "integer") && all.iter().all(|ty| ty != "number")
                    }
                    _ => false,
                };
                let has = |keyword: &str| {
                    let bound = members.get(keyword);
                    bound.is_some_and(Value::is_i64)
                };
                let is_bounded = (has("minimum") || has("exclusiveMinimum"))
                    && (has("maximum") || has("exclusiveMaximum"));
                let is_closed = members.contains_key("enum") || members.contains_key("const");
                // The values of a map are numbers of any size.
                let in_map = at.ends_with("/additionalProperties");
                if is_integer && !in_map && !is_closed && !is_bounded {
                    places.push(at.to_owned());
                }
            },
        );
    }
    let first = places.first()?;
    let others = match places.len() - 1 {
        0 => String::new(),
        1 => ", and at 1 more place".to_owned(),
        count => format!(", and at {count} more places"),
    };
    Some(format!(
        "integers that do not fit into 64 bits are refused, and the schema has no bounds that exclude \
         them: at `{first}`{others}"
    ))
}

fn check_root_name(document: &Document, name: &str) -> Result<(), SchemaError> {
    let problem = if type_ident(name) != name {
        "expected the name of a type, such as `MyType`, that is none of the prelude or the support code"
    } else if document.root.as_deref() != Some(name) {
        "a definition of the file has this name in Rust"
    } else {
        return Ok(());
    };
    Err(SchemaError::RootName {
        file: document.file.clone(),
        name: name.to_owned(),
        problem,
    })
}

/// Returns the path of the support code, relative to the files of the module.
fn support_path(options: &StandaloneOptions) -> Result<&str, ProjectError> {
    let Some(path) = options.support.as_deref() else {
        return Ok("super::support");
    };
    let is_in_crate = |path: syn::Path| {
        let first = path.segments.first().map(|first| first.ident == "crate");
        path.leading_colon.is_none() && path.segments.len() > 1 && first == Some(true)
    };
    if syn::Path::parse_mod_style
        .parse_str(path)
        .is_ok_and(is_in_crate)
    {
        Ok(path)
    } else {
        Err(ProjectError::Support(path.to_owned()))
    }
}

/// Returns the first line of the files, with the name of the schema without its folder.
fn header(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let name = name.escape_debug();
    format!("// Generated by `cargo xtask codegen` from `{name}`. Do not edit.\n\n")
}
