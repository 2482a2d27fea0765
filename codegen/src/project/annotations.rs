//! What a schema states beyond the form of values: annotations, in keywords that begin with `x-`.
//!
//! The published schemas have none of them, so the same facts stand in files beside the schema: in
//! the hints, and in the facts of a revision. This reader adds what annotations state to these
//! tables, where it takes precedence, so that nothing else in the generator knows where a fact
//! stands.

use super::{Project, ProjectError, Source};
use crate::hints::{Hints, scoped};
use crate::schema::{Document, Facts, SchemaError, pointer};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What belongs to the message that a definition describes.
const MESSAGE: &str = "x-message";
/// How an error is answered.
const ERROR: &str = "x-error";
/// The side that sends the members of a union.
const SENDER: &str = "x-sender";
/// `true` if the members of an object are the capabilities of a side.
const CAPABILITIES: &str = "x-capabilities";
/// The category of a definition in the documentation.
const CATEGORY: &str = "x-category";
/// Names of constants, with their values.
const CONSTANTS: &str = "x-constants";

/// The value of [`MESSAGE`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    /// The definition of the result, if it does not follow from names or from a response.
    result: Option<String>,
    /// The definitions of the errors with which the request is often answered.
    #[serde(default)]
    errors: Vec<String>,
    /// The capability that the other side must have declared: a pointer below the definitions.
    requires: Option<String>,
    /// The member of the params that a header repeats: a pointer below the definitions.
    header: Option<String>,
}

/// The value of [`ERROR`].
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorAbout {
    /// The HTTP status of a response with the error.
    status: u16,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Client,
    Server,
}

/// The annotations of a document.
#[derive(Debug, Default)]
pub(super) struct AnnotationSet {
    messages: BTreeMap<String, About>,
    senders: BTreeMap<String, Side>,
    capabilities: Vec<String>,
    facts: Facts,
}

impl AnnotationSet {
    /// Reads the annotations of a document, and checks that what they name exists.
    ///
    /// # Errors
    ///
    /// Returns [`SchemaError::BadAnnotation`] with the position.
    pub(super) fn read(document: &Document) -> Result<Self, SchemaError> {
        let root = Value::Object(document.definitions.clone());
        let mut all = Self::default();
        for (name, schema) in &document.definitions {
            let reader = Reader {
                document,
                root: &root,
                name,
                schema,
            };
            if let Some(about) = reader.value::<About>(MESSAGE)? {
                let definitions = about.result.iter().chain(&about.errors);
                let definitions = definitions.map(|name| pointer::join("", name));
                let places = about.requires.iter().chain(&about.header).cloned();
                reader.all_exist(MESSAGE, definitions.chain(places))?;
                all.messages.insert(name.clone(), about);
            }
            if let Some(error) = reader.value::<ErrorAbout>(ERROR)?
                && !(400..600).contains(&error.status)
            {
                let problem = format!("{} is not the HTTP status of an error", error.status);
                return Err(reader.fault(ERROR, problem));
            }
            if let Some(side) = reader.value(SENDER)? {
                all.senders.insert(name.clone(), side);
            }
            if reader.value(CAPABILITIES)? == Some(true) {
                all.capabilities.push(name.clone());
            }
            if let Some(category) = reader.value::<String>(CATEGORY)? {
                let names = all.facts.categories.entry(category).or_default();
                names.insert(name.clone());
            }
            if let Some(constants) = reader.value::<Map<String, Value>>(CONSTANTS)? {
                all.facts.constants.extend(constants);
            }
        }
        Ok(all)
    }

    /// Adds what the annotations of a revision state to the hints.
    pub(super) fn add_to(&self, hints: &mut Hints, revision: &str) {
        for (name, about) in &self.messages {
            let key = format!("{revision}/{name}");
            if let Some(result) = &about.result {
                hints.messages.results.insert(key.clone(), result.clone());
            }
            if !about.errors.is_empty() {
                let mut usage = scoped(&hints.usage, revision, name).cloned();
                let usage = usage.get_or_insert_default();
                usage.errors.clone_from(&about.errors);
                hints.usage.insert(key, usage.clone());
            }
        }
        let messages = &mut hints.messages;
        for (union, side) in &self.senders {
            let list = match side {
                Side::Client => &mut messages.client,
                Side::Server => &mut messages.server,
            };
            add(list, union);
        }
        for owner in &self.capabilities {
            add(&mut messages.capabilities, owner);
        }
    }

    /// Returns facts with what the annotations state in place of what the facts do.
    pub(super) fn over(self, facts: Option<Facts>) -> Option<Facts> {
        if self.facts.is_empty() {
            return facts;
        }
        let mut all = facts.unwrap_or_default();
        all.constants.extend(self.facts.constants);
        if !self.facts.categories.is_empty() {
            all.categories = self.facts.categories;
        }
        Some(all)
    }
}

fn add(list: &mut Vec<String>, name: &String) {
    if !list.contains(name) {
        list.push(name.clone());
    }
}

impl Project {
    /// Returns the project with the annotations of its schemas in the hints and the facts.
    pub(super) fn annotated(&self) -> Result<Self, ProjectError> {
        let mut project = self.clone();
        for source in &self.schemas {
            let document = Document::parse(&source.file, &source.text)?;
            let annotations = AnnotationSet::read(&document)?;
            annotations.add_to(&mut project.hints, &source.name);
            if let Some(facts) = annotations.over(self.facts_of(&source.name)?) {
                project.facts.retain(|facts| facts.name != source.name);
                let revision = source.name.clone();
                project.facts.push(Source {
                    text: Facts { revision, ..facts }.to_json(),
                    ..source.clone()
                });
            }
        }
        Ok(project)
    }
}

/// Reads the annotations of one definition.
struct Reader<'a> {
    document: &'a Document,
    root: &'a Value,
    name: &'a str,
    schema: &'a Value,
}

impl Reader<'_> {
    fn value<T: DeserializeOwned>(&self, keyword: &str) -> Result<Option<T>, SchemaError> {
        let value = self.schema.get(keyword).map(T::deserialize);
        value
            .transpose()
            .map_err(|error| self.fault(keyword, error.to_string()))
    }

    fn all_exist(
        &self,
        keyword: &str,
        places: impl Iterator<Item = String>,
    ) -> Result<(), SchemaError> {
        let mut places = places.filter(|at| self.root.pointer(at).is_none());
        match places.next() {
            Some(at) => Err(self.fault(keyword, format!("`{at}` is not in this document"))),
            None => Ok(()),
        }
    }

    fn fault(&self, keyword: &str, problem: String) -> SchemaError {
        let at = pointer::join("", self.document.dialect.keyword());
        SchemaError::BadAnnotation {
            file: self.document.file.clone(),
            pointer: pointer::join(&pointer::join(&at, self.name), keyword),
            problem,
        }
    }
}
