//! Errata: corrections of a published schema. Each one fails when it is no longer needed.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::error::describe_value;
use super::prose::{Kind, with_texts_of};
use super::{Document, SchemaError, duplicate, pointer};

/// The corrections of one revision.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Errata {
    /// The name of the file, for messages.
    pub file: String,
    /// The revision to which they apply.
    pub revision: String,
    /// The corrections, in the order in which they are applied.
    pub errata: Vec<Erratum>,
}

/// The correction of one defect, in one or several positions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Erratum {
    /// A short name, in kebab case.
    pub name: String,
    /// The reason for the correction.
    pub reason: String,
    /// The changes.
    pub changes: Vec<Change>,
}

/// A change at one position.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// JSON pointer below the definitions.
    pub at: String,
    /// The action.
    pub action: Action,
}

/// The action of a change.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Replaces one value by another. `None` means that there is no value.
    Replace {
        /// The published value.
        was: Option<Value>,
        /// The correct value.
        now: Option<Value>,
    },
    /// Sorts the members of an object (by the given names) or the elements of an array.
    Order(Vec<Value>),
}

/// The errors of parsing and applying a file of errata.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErratumError {
    /// The file does not have the form of an errata file.
    #[error("{file}:{}:{}: not an errata file", .source.line(), .source.column())]
    Form {
        /// The file of errata.
        file: String,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// A change that does nothing or is contradictory.
    #[error("{file}: erratum `{name}`: the change at `{pointer}` {problem}")]
    BadChange {
        /// The file of errata.
        file: String,
        /// The erratum.
        name: String,
        /// The position that the change names.
        pointer: String,
        /// The error in the change.
        problem: &'static str,
    },
    /// The published schema was fixed and does not need the erratum any more.
    #[error(
        "{file}: erratum `{name}` no longer applies: the published schema is already correct at {}; remove {}",
        .pointers.join(", "),
        if *.whole { "the erratum" } else { "these changes of it" }
    )]
    NoLongerApplies {
        /// The file of errata.
        file: String,
        /// The erratum.
        name: String,
        /// The positions that are already correct.
        pointers: Vec<String>,
        /// `true` if all positions of the erratum are already correct.
        whole: bool,
    },
    /// The value at a position is not the one that the erratum expects.
    #[error(
        "{file}: erratum `{name}` does not match at `{pointer}`: expected {expected}, found {found}"
    )]
    UnexpectedValue {
        /// The file of errata.
        file: String,
        /// The erratum.
        name: String,
        /// The position.
        pointer: String,
        /// The expected value.
        expected: String,
        /// The value that was found.
        found: String,
    },
    /// The document is not a valid schema after the errata are applied.
    #[error("{file}: the corrected schema is not valid")]
    InvalidResult {
        /// The file of errata.
        file: String,
        /// The error in the schema.
        source: SchemaError,
    },
}

impl Errata {
    /// Parses an errata file.
    ///
    /// # Errors
    ///
    /// Returns [`ErratumError::Form`] or [`ErratumError::BadChange`].
    pub fn parse(file: &str, text: &str) -> Result<Self, ErratumError> {
        let raw: RawErrata = duplicate::parse(text).map_err(|source| ErratumError::Form {
            file: file.to_owned(),
            source,
        })?;
        let errata = raw.errata.into_iter().map(|erratum| erratum.checked(file));
        Ok(Self {
            file: file.to_owned(),
            revision: raw.revision,
            errata: errata.collect::<Result<_, _>>()?,
        })
    }

    /// Applies all errata in order. If one of them fails, the document is unchanged.
    ///
    /// # Errors
    ///
    /// Returns all errors: [`ErratumError::NoLongerApplies`], [`ErratumError::UnexpectedValue`],
    /// and [`ErratumError::InvalidResult`] if the result is not a valid schema.
    pub fn apply(&self, document: &mut Document) -> Result<(), Vec<ErratumError>> {
        let mut root = Value::Object(document.definitions.clone());
        let mut faults = Vec::new();
        for erratum in &self.errata {
            erratum.apply(&self.file, &mut root, &mut faults);
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        if let Value::Object(definitions) = root {
            let corrected = Document {
                definitions,
                ..document.clone()
            };
            corrected.check().map_err(|source| {
                vec![ErratumError::InvalidResult {
                    file: self.file.clone(),
                    source,
                }]
            })?;
            *document = corrected;
        }
        Ok(())
    }
}

impl Erratum {
    fn apply(&self, file: &str, root: &mut Value, faults: &mut Vec<ErratumError>) {
        let mut mended = Vec::new();
        for change in &self.changes {
            match change.apply(root) {
                Outcome::Applied => {}
                Outcome::Mended => mended.push(change.at.clone()),
                Outcome::UnexpectedValue { expected, found } => {
                    faults.push(ErratumError::UnexpectedValue {
                        file: file.to_owned(),
                        name: self.name.clone(),
                        pointer: change.at.clone(),
                        expected,
                        found,
                    })
                }
            }
        }
        if !mended.is_empty() {
            faults.push(ErratumError::NoLongerApplies {
                file: file.to_owned(),
                name: self.name.clone(),
                whole: mended.len() == self.changes.len(),
                pointers: mended,
            });
        }
    }
}

pub(super) enum Outcome {
    Applied,
    Mended,
    UnexpectedValue { expected: String, found: String },
}

impl Change {
    pub(super) fn apply(&self, root: &mut Value) -> Outcome {
        match &self.action {
            Action::Replace { was, now } => replace(root, &self.at, was.as_ref(), now.as_ref()),
            Action::Order(order) => reorder(root.pointer_mut(&self.at), order),
        }
    }
}

/// Compares without texts, so that an erratum matches a file with or without them. The texts of a
/// schema are kept when it is replaced.
fn replace(root: &mut Value, at: &str, was: Option<&Value>, now: Option<&Value>) -> Outcome {
    let kind = Kind::at(at);
    let parent = pointer::split(at).and_then(|(parent, _)| root.pointer(parent));
    if !parent.is_some_and(|parent| parent.is_object() || parent.is_array()) {
        return Outcome::UnexpectedValue {
            expected: describe_value(was),
            found: "no such value".to_owned(),
        };
    }
    let found = root.pointer(at).map(|value| kind.bare(value));
    if found.as_ref() == now {
        return Outcome::Mended;
    }
    let unexpected_value = Outcome::UnexpectedValue {
        expected: describe_value(was),
        found: describe_value(found.as_ref()),
    };
    if found.as_ref() != was {
        return unexpected_value;
    }
    let done = match (root.pointer_mut(at), now) {
        (Some(place), Some(now)) if kind == Kind::Schema => {
            *place = with_texts_of(place, now);
            true
        }
        (Some(place), Some(now)) => {
            *place = now.clone();
            true
        }
        (Some(_), None) => pointer::remove(root, at).is_some(),
        (None, Some(now)) => pointer::insert(root, at, now.clone()),
        (None, None) => false,
    };
    if done {
        Outcome::Applied
    } else {
        unexpected_value
    }
}

fn reorder(place: Option<&mut Value>, order: &[Value]) -> Outcome {
    let expected = || {
        format!(
            "these values, in any order: {}",
            describe_value(Some(&Value::from(order.to_vec())))
        )
    };
    match place {
        Some(Value::Array(elements)) => {
            if elements == order {
                return Outcome::Mended;
            }
            if elements.len() != order.len() || elements.iter().any(|each| !order.contains(each)) {
                let found = describe_value(Some(&Value::from(elements.clone())));
                return Outcome::UnexpectedValue {
                    expected: expected(),
                    found,
                };
            }
            elements.clone_from_slice(order);
            Outcome::Applied
        }
        Some(Value::Object(members)) => {
            let present: Vec<Value> = members.keys().map(|name| name.as_str().into()).collect();
            if present == order {
                return Outcome::Mended;
            }
            let mut ordered = Map::new();
            for name in order.iter().filter_map(Value::as_str) {
                if let Some((name, member)) = members.get_key_value(name) {
                    ordered.insert(name.clone(), member.clone());
                }
            }
            if ordered.len() != members.len() || order.len() != members.len() {
                let found = describe_value(Some(&Value::from(present)));
                return Outcome::UnexpectedValue {
                    expected: expected(),
                    found,
                };
            }
            *members = ordered;
            Outcome::Applied
        }
        other => Outcome::UnexpectedValue {
            expected: expected(),
            found: describe_value(other.as_deref()),
        },
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawErrata {
    revision: String,
    errata: Vec<RawErratum>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawErratum {
    name: String,
    reason: String,
    changes: Vec<RawChange>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawChange {
    at: String,
    #[serde(default, deserialize_with = "present")]
    was: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    now: Option<Value>,
    order: Option<Vec<Value>>,
}

/// Deserializes a member that is present, which may be `null`.
fn present<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(source).map(Some)
}

impl RawErratum {
    fn checked(self, file: &str) -> Result<Erratum, ErratumError> {
        let name = self.name;
        let checked = |change: RawChange| {
            let bad = |pointer: String, problem| ErratumError::BadChange {
                file: file.to_owned(),
                name: name.clone(),
                pointer,
                problem,
            };
            let action = match (change.was, change.now, change.order) {
                (None, None, Some(order)) => Action::Order(order),
                (_, _, Some(_)) => return Err(bad(change.at, "has both `order` and a value")),
                (was, now, None) if was == now => {
                    return Err(bad(change.at, "changes nothing"));
                }
                (was, now, None) => Action::Replace { was, now },
            };
            Ok(Change {
                at: change.at,
                action,
            })
        };
        let changes = self
            .changes
            .into_iter()
            .map(checked)
            .collect::<Result<_, _>>()?;
        Ok(Erratum {
            name,
            reason: self.reason,
            changes,
        })
    }
}
