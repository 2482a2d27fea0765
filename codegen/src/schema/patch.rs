//! Patches: the additions of a proposal or an extension to a schema, each marked with its name.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::walk::reference_to;
use super::{Document, SchemaError, check, pointer, reference, walk, walk_mut};

/// The keyword that marks an addition. Its value is the name of the patch, or an array of names if
/// several patches add the same.
pub const FEATURE: &str = "x-feature";

/// The additions of a proposal or an extension to a schema.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Patch {
    /// The name of the file, for messages.
    #[serde(skip)]
    pub file: String,
    /// The name, which is also the value of the marker.
    pub name: String,
    /// The identifier that peers announce, if it is not the name.
    pub identifier: Option<String>,
    /// The revision to which the patch applies.
    pub base: String,
    /// The title of the proposal or extension.
    pub title: String,
    /// The address of its description.
    pub source: String,
    /// New types.
    #[serde(default)]
    pub definitions: Map<String, Value>,
    /// New members of existing types. The key is the name of a type, or a pointer below the
    /// definitions without its first slash.
    #[serde(default)]
    pub members: Map<String, Value>,
    /// New variants of existing unions. The key has the form described for `members`; the value is
    /// a list of names of definitions.
    #[serde(default)]
    pub variants: Map<String, Value>,
}

/// The errors of parsing and applying a patch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The file does not have the form of a patch.
    #[error("{file}:{}:{}: not a patch", .source.line(), .source.column())]
    Form {
        /// The patch.
        file: String,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// A value of the patch is not valid at its position.
    #[error("{file}: at `{pointer}`: expected {expected}")]
    Misplaced {
        /// The patch.
        file: String,
        /// JSON pointer in the patch.
        pointer: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The additions of the patch are not a valid schema.
    #[error("the additions of the patch `{name}` are not a valid schema")]
    NotASchema {
        /// The patch's name.
        name: String,
        /// The error in the schema.
        source: SchemaError,
    },
    /// The patch adds to a type that does not exist or cannot have the addition.
    #[error("{file}: cannot add {what} to `{target}`, which is not {expected} of {document}")]
    NoSuchTarget {
        /// The patch.
        file: String,
        /// The type, or the position in it.
        target: String,
        /// The kind of the addition.
        what: &'static str,
        /// What the target should be.
        expected: &'static str,
        /// The document.
        document: String,
    },
    /// The patch adds something that the document or another patch defines already.
    #[error("the patch `{name}` adds `{target}`, which {owner} already defines{}", if *.equal { "" } else { " differently" })]
    Clash {
        /// The patch's name.
        name: String,
        /// JSON pointer below the definitions.
        target: String,
        /// The owner: the document, or the patches that added it.
        owner: String,
        /// `true` if both definitions are equal.
        equal: bool,
    },
    /// The patch refers to a type that only another patch defines.
    #[error("the patch `{name}` refers at `{pointer}` to `{target}`, which only `{owner}` defines")]
    NeedsOther {
        /// The patch's name.
        name: String,
        /// JSON pointer to the reference.
        pointer: String,
        /// The name of the type.
        target: String,
        /// The patch that defines the type.
        owner: String,
    },
}

impl Patch {
    /// Parses a patch.
    ///
    /// # Errors
    ///
    /// Returns [`PatchError::Form`] if the text does not have the form of a patch.
    pub fn parse(file: &str, text: &str) -> Result<Self, PatchError> {
        let patch: Self = serde_json::from_str(text).map_err(|source| PatchError::Form {
            file: file.to_owned(),
            source,
        })?;
        Ok(Self {
            file: file.to_owned(),
            ..patch
        })
    }

    /// Applies all additions to a document. After an error the document is unchanged.
    ///
    /// # Errors
    ///
    /// Returns the first error.
    pub fn apply(&self, document: &mut Document) -> Result<(), PatchError> {
        let mut root = Value::Object(document.definitions.clone());
        self.add_definitions(&mut root)?;
        self.add_members(document, &mut root)?;
        self.add_variants(document, &mut root)?;
        if let Value::Object(definitions) = root {
            let patched = Document {
                definitions,
                ..document.clone()
            };
            self.check_references(&patched)?;
            *document = patched;
        }
        Ok(())
    }

    fn add_definitions(&self, root: &mut Value) -> Result<(), PatchError> {
        for (name, schema) in &self.definitions {
            let place = pointer::join("/definitions", name);
            self.add(root, &pointer::join("", name), &place, schema)?;
        }
        Ok(())
    }

    fn add_members(&self, document: &Document, root: &mut Value) -> Result<(), PatchError> {
        for (target, addition) in &self.members {
            let place = pointer::join("/members", target);
            let properties = addition
                .as_object()
                .filter(|addition| addition.len() == 1)
                .and_then(|addition| addition.get("properties")?.as_object())
                .ok_or_else(|| self.misplaced(&place, "an object with only `properties`"))?;
            let at = format!("/{target}");
            if !root.pointer(&at).is_some_and(is_object_schema) {
                return Err(self.no_target(document, target, "members", "an object type"));
            }
            let at = format!("{at}/properties");
            pointer::insert(root, &at, Value::Object(Map::new()));
            for (name, schema) in properties {
                let place = pointer::join(&format!("{place}/properties"), name);
                self.add(root, &pointer::join(&at, name), &place, schema)?;
            }
        }
        Ok(())
    }

    fn add_variants(&self, document: &Document, root: &mut Value) -> Result<(), PatchError> {
        for (target, names) in &self.variants {
            let place = pointer::join("/variants", target);
            let expected = "an array of names of definitions";
            let names = names
                .as_array()
                .ok_or_else(|| self.misplaced(&place, expected))?;
            for name in names {
                let name = name
                    .as_str()
                    .ok_or_else(|| self.misplaced(&place, expected))?;
                let keyword = ["anyOf", "oneOf"].into_iter().find_map(|keyword| {
                    let at = format!("/{target}/{keyword}");
                    root.pointer(&at)?.as_array().map(|list| (at, list))
                });
                let Some((at, list)) = keyword else {
                    return Err(self.no_target(document, target, "variants", "a union"));
                };
                // An equal variant may exist already, added by another patch: find its position.
                let index = list.iter().position(|entry| reference(entry) == Some(name));
                let at = format!("{at}/{}", index.unwrap_or(list.len()));
                let entry = Map::from_iter([("$ref".to_owned(), reference_to(name).into())]);
                self.add(root, &at, &place, &Value::Object(entry))?;
            }
        }
        Ok(())
    }

    /// Inserts one marked addition, or adds the marker to an equal addition of another patch.
    fn add(
        &self,
        root: &mut Value,
        at: &str,
        place: &str,
        schema: &Value,
    ) -> Result<(), PatchError> {
        check::schema(&self.file, place, schema).map_err(|source| self.not_a_schema(source))?;
        let mut marked = schema.clone();
        let Some(members) = marked.as_object_mut() else {
            return Err(self.misplaced(place, "an object schema"));
        };
        members.insert(FEATURE.to_owned(), self.name.clone().into());
        match root.pointer_mut(at) {
            None => {
                if pointer::insert(root, at, marked) {
                    Ok(())
                } else {
                    Err(self.misplaced(place, "the name of a new member"))
                }
            }
            Some(present) => {
                let owners = features(present);
                let equal = unmarked(present) == unmarked(schema);
                if owners.is_empty() || !equal || owners.contains(&self.name.as_str()) {
                    let owner = match owners.as_slice() {
                        [] => "the schema".to_owned(),
                        names => format!("`{}`", names.join("`, `")),
                    };
                    let (name, target) = (self.name.clone(), at.to_owned());
                    return Err(PatchError::Clash {
                        name,
                        target,
                        owner,
                        equal,
                    });
                }
                let names: Vec<Value> = owners
                    .into_iter()
                    .chain([self.name.as_str()])
                    .map(Value::from)
                    .collect();
                if let Some(members) = present.as_object_mut() {
                    members.insert(FEATURE.to_owned(), names.into());
                }
                Ok(())
            }
        }
    }

    /// A patch may refer only to the base and to its own types, so that it can be used without
    /// others.
    fn check_references(&self, document: &Document) -> Result<(), PatchError> {
        let mut additions: Vec<(String, &Value)> = Vec::new();
        for (name, schema) in &self.definitions {
            additions.push((pointer::join("/definitions", name), schema));
        }
        for (target, addition) in &self.members {
            additions.push((pointer::join("/members", target), addition));
        }
        let variants: Vec<(String, Value)> = self
            .variants
            .iter()
            .flat_map(|(target, names)| {
                let place = pointer::join("/variants", target);
                let names = names
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str);
                names.map(move |name| {
                    (
                        place.clone(),
                        serde_json::json!({ "$ref": reference_to(name) }),
                    )
                })
            })
            .collect();
        additions.extend(variants.iter().map(|(place, entry)| (place.clone(), entry)));
        for (place, schema) in additions {
            check::references(&self.file, &place, schema, &document.definitions)
                .map_err(|source| self.not_a_schema(source))?;
            self.check_owners(&place, schema, document)?;
        }
        Ok(())
    }

    fn check_owners(
        &self,
        place: &str,
        schema: &Value,
        document: &Document,
    ) -> Result<(), PatchError> {
        let mut fault = None;
        walk(schema, place, &mut |at, members| {
            let name = members.get("$ref").and_then(Value::as_str);
            let Some(target) = name.and_then(|name| name.strip_prefix("#/$defs/")) else {
                return;
            };
            let owners = document
                .definitions
                .get(target)
                .map(features)
                .unwrap_or_default();
            if !owners.is_empty() && !owners.contains(&self.name.as_str()) && fault.is_none() {
                fault = Some(PatchError::NeedsOther {
                    name: self.name.clone(),
                    pointer: at.to_owned(),
                    target: target.to_owned(),
                    owner: owners.join("`, `"),
                });
            }
        });
        fault.map_or(Ok(()), Err)
    }

    fn misplaced(&self, pointer: &str, expected: &'static str) -> PatchError {
        PatchError::Misplaced {
            file: self.file.clone(),
            pointer: pointer.to_owned(),
            expected,
        }
    }

    fn no_target(
        &self,
        document: &Document,
        target: &str,
        what: &'static str,
        expected: &'static str,
    ) -> PatchError {
        PatchError::NoSuchTarget {
            file: self.file.clone(),
            target: target.to_owned(),
            what,
            expected,
            document: document.file.clone(),
        }
    }

    fn not_a_schema(&self, source: SchemaError) -> PatchError {
        PatchError::NotASchema {
            name: self.name.clone(),
            source,
        }
    }
}

fn is_object_schema(schema: &Value) -> bool {
    let object = schema.get("type").and_then(Value::as_str) == Some("object");
    object || schema.get("properties").is_some()
}

/// Returns the names in the marker of a schema.
fn features(schema: &Value) -> Vec<&str> {
    match schema.get(FEATURE) {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn unmarked(schema: &Value) -> Value {
    let mut copy = schema.clone();
    walk_mut(&mut copy, &mut |members| {
        members.shift_remove(FEATURE);
    });
    copy
}
