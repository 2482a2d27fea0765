//! Adds the additions of a patch to a document.

use serde_json::{Map, Value};

use super::error::{PatchError, Side};
use super::marker::{FEATURE, features, unmarked};
use super::{Patch, references};
use crate::schema::structure::equal;
use crate::schema::walk::reference_to;
use crate::schema::{Document, SchemaError, check, duplicate, pointer, reference};

/// What became of the additions of a patch that a newer revision does not need or cannot have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// Additions that the revision itself contains in the same form. Pointers below its
    /// definitions.
    pub adopted: Vec<String>,
    /// Additions to types that the revision does not have. Pointers below its definitions.
    pub left_out: Vec<String>,
    /// Definitions of the revision before that the patch needs and that the revision does not have.
    pub carried: Vec<String>,
}

impl Patch {
    /// Parses a patch.
    ///
    /// # Errors
    ///
    /// Returns [`PatchError::Form`] if the text does not have the form of a patch.
    pub fn parse(file: &str, text: &str) -> Result<Self, PatchError> {
        let patch: Self = duplicate::parse(text).map_err(|source| PatchError::Form {
            file: file.to_owned(),
            source,
        })?;
        Ok(Self {
            file: file.to_owned(),
            ..patch
        })
    }

    /// Applies all additions to the document for which the patch was written. After an error the
    /// document is unchanged.
    ///
    /// # Errors
    ///
    /// Returns the first error.
    pub fn apply(&self, document: &mut Document) -> Result<(), PatchError> {
        self.apply_to(document, None).map(|_| ())
    }

    /// Applies all additions to the document of a newer revision. `previous` is the document of the
    /// revision before, with the additions.
    ///
    /// What the document itself contains in the same form is adopted and stays as it is. Additions
    /// to a type that it does not have are left out. Definitions of the revision before to which
    /// the patch refers are copied if the document does not have them. After an error the document
    /// is unchanged.
    ///
    /// # Errors
    ///
    /// Returns the first error; [`PatchError::Conflict`] for an addition that the document contains
    /// in a different form.
    pub fn apply_to_newer(
        &self,
        document: &mut Document,
        previous: &Document,
    ) -> Result<Applied, PatchError> {
        self.apply_to(document, Some(previous))
    }

    fn apply_to(
        &self,
        document: &mut Document,
        previous: Option<&Document>,
    ) -> Result<Applied, PatchError> {
        let mut work = Application {
            patch: self,
            document: &document.file,
            newer: previous.is_some(),
            root: Value::Object(document.definitions.clone()),
            applied: Applied::default(),
        };
        work.add_definitions()?;
        work.add_members()?;
        work.add_variants()?;
        if let Some(previous) = previous {
            work.carry(previous)?;
        }
        let applied = work.applied;
        if let Value::Object(definitions) = work.root {
            let patched = Document {
                definitions,
                ..document.clone()
            };
            self.check_references(&patched)?;
            *document = patched;
        }
        Ok(applied)
    }

    fn misplaced(&self, pointer: &str, expected: &'static str) -> PatchError {
        PatchError::Misplaced {
            file: self.file.clone(),
            pointer: pointer.to_owned(),
            expected,
        }
    }

    pub(super) fn not_a_schema(&self, source: SchemaError) -> PatchError {
        PatchError::NotASchema {
            name: self.name.clone(),
            source,
        }
    }
}

/// A patch while it is applied to a document.
struct Application<'a> {
    patch: &'a Patch,
    /// The name of the document, for messages.
    document: &'a str,
    /// `true` if the document is newer than the one for which the patch was written.
    newer: bool,
    /// The definitions.
    root: Value,
    applied: Applied,
}

impl Application<'_> {
    fn add_definitions(&mut self) -> Result<(), PatchError> {
        for (name, schema) in &self.patch.definitions {
            let place = pointer::join("/definitions", name);
            self.add(&pointer::join("", name), &place, schema)?;
        }
        Ok(())
    }

    fn add_members(&mut self) -> Result<(), PatchError> {
        for (target, addition) in &self.patch.members {
            let place = pointer::join("/members", target);
            let properties = addition
                .as_object()
                .filter(|addition| addition.len() == 1)
                .and_then(|addition| addition.get("properties")?.as_object())
                .ok_or_else(|| {
                    self.patch
                        .misplaced(&place, "an object with `properties` alone")
                })?;
            let at = format!("/{target}");
            let properties_at = format!("{at}/properties");
            if !self.root.pointer(&at).is_some_and(is_object_schema) {
                let names = properties.keys();
                let missing = names.map(|name| pointer::join(&properties_at, name));
                self.leave_out(target, missing.collect(), "members", "an object type")?;
                continue;
            }
            pointer::insert(&mut self.root, &properties_at, Value::Object(Map::new()));
            for (name, schema) in properties {
                let place = pointer::join(&format!("{place}/properties"), name);
                self.add(&pointer::join(&properties_at, name), &place, schema)?;
            }
        }
        Ok(())
    }

    fn add_variants(&mut self) -> Result<(), PatchError> {
        for (target, names) in &self.patch.variants {
            let place = pointer::join("/variants", target);
            let misplaced = || {
                let expected = "an array of names of definitions";
                self.patch.misplaced(&place, expected)
            };
            let names = names.as_array().ok_or_else(misplaced)?.iter();
            let names: Option<Vec<&str>> = names.map(Value::as_str).collect();
            let names = names.ok_or_else(misplaced)?;
            if self.newer {
                self.write_as_union(target);
            }
            for name in names {
                let keyword = ["anyOf", "oneOf"].into_iter().find_map(|keyword| {
                    let at = format!("/{target}/{keyword}");
                    self.root.pointer(&at)?.as_array().map(|list| (at, list))
                });
                let Some((at, list)) = keyword else {
                    let missing = vec![format!("/{target}: {name}")];
                    self.leave_out(target, missing, "variants", "a union")?;
                    continue;
                };
                // An equal variant may exist already, added by another patch: find its position.
                let index = list.iter().position(|entry| reference(entry) == Some(name));
                let at = format!("{at}/{}", index.unwrap_or(list.len()));
                let entry = Map::from_iter([("$ref".to_owned(), reference_to(name).into())]);
                self.add(&at, &place, &Value::Object(entry))?;
            }
        }
        Ok(())
    }

    /// Writes a reference to a definition as a union with one variant. This is what a published
    /// union becomes when all other variants are removed.
    fn write_as_union(&mut self, target: &str) {
        if let Some(place) = self.root.pointer_mut(&format!("/{target}"))
            && reference(place).is_some()
        {
            *place = serde_json::json!({ "anyOf": [place.clone()] });
        }
    }

    /// Records additions to a type that a newer document does not have. They are an error for the
    /// document for which the patch was written.
    fn leave_out(
        &mut self,
        target: &str,
        mut additions: Vec<String>,
        what: &'static str,
        expected: &'static str,
    ) -> Result<(), PatchError> {
        if !self.newer {
            return Err(PatchError::NoSuchTarget {
                file: self.patch.file.clone(),
                target: target.to_owned(),
                what,
                expected,
                document: self.document.to_owned(),
            });
        }
        self.applied.left_out.append(&mut additions);
        Ok(())
    }

    /// Copies definitions of the revision before to which the patch refers, and those to which they
    /// refer.
    fn carry(&mut self, previous: &Document) -> Result<(), PatchError> {
        while let Some(name) = references::missing(self.patch, &self.root, previous) {
            let Some(schema) = previous.definitions.get(&name).map(unmarked) else {
                break;
            };
            let at = pointer::join("", &name);
            self.add(&at, &at, &schema)?;
            self.applied.carried.push(name);
        }
        Ok(())
    }

    /// Inserts one marked addition, or adds the marker to an equal addition of another patch.
    fn add(&mut self, at: &str, place: &str, schema: &Value) -> Result<(), PatchError> {
        let patch = self.patch;
        check::schema(&patch.file, place, schema).map_err(|source| patch.not_a_schema(source))?;
        let mut marked = schema.clone();
        let Some(members) = marked.as_object_mut() else {
            return Err(patch.misplaced(place, "an object schema"));
        };
        members.insert(FEATURE.to_owned(), patch.name.clone().into());
        match self.root.pointer_mut(at) {
            None => {
                if pointer::insert(&mut self.root, at, marked) {
                    Ok(())
                } else {
                    Err(patch.misplaced(place, "the name of a new member"))
                }
            }
            Some(present) => {
                let owners = features(present);
                let equal = equal(&unmarked(present), &unmarked(schema));
                if owners.is_empty() && self.newer {
                    if !equal {
                        return Err(PatchError::Conflict {
                            ours: Box::new(Side::new(&patch.file, place, schema)),
                            theirs: Box::new(Side::new(self.document, at, present)),
                        });
                    }
                    self.applied.adopted.push(at.to_owned());
                    return Ok(());
                }
                if owners.is_empty() || !equal || owners.contains(&patch.name.as_str()) {
                    let owner = match owners.as_slice() {
                        [] => self.document.to_owned(),
                        names => format!("`{}`", names.join("`, `")),
                    };
                    let (name, target) = (patch.name.clone(), at.to_owned());
                    return Err(PatchError::Clash {
                        name,
                        target,
                        owner,
                        equal,
                    });
                }
                let names: Vec<Value> = owners
                    .into_iter()
                    .chain([patch.name.as_str()])
                    .map(Value::from)
                    .collect();
                if let Some(members) = present.as_object_mut() {
                    members.insert(FEATURE.to_owned(), names.into());
                }
                Ok(())
            }
        }
    }
}

fn is_object_schema(schema: &Value) -> bool {
    let object = schema.get("type").and_then(Value::as_str) == Some("object");
    object || schema.get("properties").is_some()
}
