//! The corrected schemas that match the generated types, for tests and for validators.

use super::{Project, ProjectError};
use crate::emit::File;
use crate::model::Family;
use crate::schema::{Document, FEATURE, reference, walk};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

impl Project {
    /// Returns the schema of each revision with errata applied. Additions of proposals are marked
    /// with `x-feature`.
    ///
    /// A type that an older revision shares with a newer one has the additions of proposals to it,
    /// so the schema of the older revision has them, too.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`documents`](Self::documents).
    pub(super) fn corrected(&self, family: &Family) -> Result<Vec<File>, ProjectError> {
        let documents = self.documents()?;
        let mut files = Vec::new();
        for (at, (revision, document)) in documents.iter().enumerate() {
            let mut document = document.clone();
            for name in document.definitions.keys().cloned().collect::<Vec<_>>() {
                let home = family.home(at, &name);
                if home > at {
                    copy_additions(&mut document, &documents[home].1, &name);
                }
            }
            let path = format!("{revision}.json");
            files.push(File {
                path,
                text: document.without_prose().to_json(),
            });
        }
        Ok(files)
    }
}

/// Copies the members that proposals add to a definition, and the definitions that they refer to.
fn copy_additions(document: &mut Document, home: &Document, name: &str) {
    let added = marked(home.definitions.get(name));
    let Some(properties) = document
        .definitions
        .get_mut(name)
        .and_then(|schema| schema.get_mut("properties"))
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    let mut needed = BTreeSet::new();
    for (member, schema) in added {
        walk(&schema, "", &mut |_, node| {
            needed.extend(reference(&Value::Object(node.clone())).map(str::to_owned));
        });
        properties.insert(member, schema);
    }
    for name in needed {
        if !document.definitions.contains_key(&name)
            && let Some(schema) = home.definitions.get(&name)
        {
            document.definitions.insert(name, schema.clone());
        }
    }
}

/// Returns the members that a proposal adds to a definition.
fn marked(schema: Option<&Value>) -> Map<String, Value> {
    let properties = schema
        .and_then(|schema| schema.get("properties"))
        .and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .filter(|(_, property)| property.get(FEATURE).is_some())
        .map(|(name, property)| (name.clone(), property.clone()))
        .collect()
}
