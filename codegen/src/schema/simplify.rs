//! Reduces schemas to what types can express.
//!
//! Each keyword of JSON Schema is expressed in types, checked while a value is decoded, taken as a
//! description, or left out with a [`Warning`]. A schema that has nothing to leave out stays as it
//! is.

mod combined;
mod object;
mod position;
mod value;

use std::fmt;

use serde_json::{Map, Value};

use super::keyword::{HINTS, Holds, UNCHECKED, holds, restricts};
use super::{Dialect, Document, Draft, pointer, reference, walk};

/// Something in a schema that the generated type does not check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// JSON pointer below the definitions.
    pub pointer: String,
    /// What was left out.
    pub kind: WarningKind,
}

/// The kind of a [`Warning`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WarningKind {
    /// A keyword that restricts values, but not those of the type.
    Unchecked {
        /// The keyword.
        keyword: String,
    },
    /// A keyword that JSON Schema does not define.
    Unknown {
        /// The keyword.
        keyword: String,
    },
    /// A reference to another document. Any value is accepted there.
    Foreign {
        /// The reference as it is written.
        reference: String,
    },
    /// A keyword that the draft of the document does not have, or has in another form.
    OtherDraft {
        /// The keyword.
        keyword: String,
        /// The draft.
        draft: Draft,
    },
    /// A schema that describes the members of objects, and allows other values than objects, too.
    /// The type accepts only objects.
    OnlyObjects,
    /// The first integer of a document of draft 04. There, `1.0` is not an integer. The types accept it,
    /// as later drafts do.
    WholeNumbers,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = &self.pointer;
        match &self.kind {
            WarningKind::Unchecked { keyword } => write!(
                f,
                "`{keyword}` at `{pointer}` is not checked: the type accepts more than the schema"
            ),
            WarningKind::Unknown { keyword } => {
                write!(
                    f,
                    "the unknown keyword `{keyword}` at `{pointer}` is ignored"
                )
            }
            WarningKind::Foreign { reference } => write!(
                f,
                "`{reference}` at `{pointer}` is in another document: any value is accepted"
            ),
            WarningKind::OtherDraft { keyword, draft } => write!(
                f,
                "`{keyword}` at `{pointer}` is ignored: it has no such meaning in {}",
                draft.name()
            ),
            WarningKind::OnlyObjects => write!(
                f,
                "the schema at `{pointer}` has no `type`, but describes members: only objects are \
                 accepted"
            ),
            WarningKind::WholeNumbers => write!(
                f,
                "`1.0` is accepted as an integer at `{pointer}`, and at all other integers, as in \
                 later drafts"
            ),
        }
    }
}

impl Document {
    /// Returns the definitions with nothing but what types can express, and warnings about what was
    /// left out.
    #[must_use]
    pub fn simplified(&self) -> (Map<String, Value>, Vec<Warning>) {
        self.simplified_for(false)
    }

    /// Returns the definitions like [`simplified`](Self::simplified), but with bounds and integers
    /// also in positions in which generated Rust types do not check them.
    #[must_use]
    pub fn simplified_everywhere(&self) -> (Map<String, Value>, Vec<Warning>) {
        self.simplified_for(true)
    }

    fn simplified_for(&self, everywhere: bool) -> (Map<String, Value>, Vec<Warning>) {
        let ignored = self.ignored.iter().filter_map(|ignored| {
            let name = self.definitions.keys().nth(ignored.definition)?;
            Some(Warning {
                pointer: format!("/{}{}", pointer::escape(name), ignored.at),
                kind: WarningKind::OtherDraft {
                    keyword: ignored.keyword.clone(),
                    draft: self.draft?,
                },
            })
        });
        let mut simplifier = Simplifier {
            document: self,
            everywhere,
            warnings: ignored.chain(self.first_integer()).collect(),
        };
        let definitions = self
            .definitions
            .iter()
            .map(|(name, schema)| {
                let at = format!("/{}", pointer::escape(name));
                let mut schema = simplifier.schema(schema, &at);
                simplifier.drop_misplaced(&mut schema, &at);
                (name.clone(), schema)
            })
            .collect();
        (definitions, simplifier.warnings)
    }

    /// Returns a warning about the first integer of a document of draft 04.
    fn first_integer(&self) -> Option<Warning> {
        let is_integer = |ty: &Value| match ty {
            Value::Array(types) => types.contains(&"integer".into()),
            ty => ty == "integer",
        };
        if self.draft != Some(Draft::Draft04) {
            return None;
        }
        let mut found = None;
        for (name, schema) in &self.definitions {
            let at = format!("/{}", pointer::escape(name));
            walk(schema, &at, &mut |at, members| {
                if found.is_none() && members.get("type").is_some_and(is_integer) {
                    found = Some(at.to_owned());
                }
            });
        }
        let kind = WarningKind::WholeNumbers;
        found.map(|pointer| Warning { pointer, kind })
    }
}

struct Simplifier<'a> {
    document: &'a Document,
    /// Whether bounds and integers are kept in all positions.
    everywhere: bool,
    warnings: Vec<Warning>,
}

impl Simplifier<'_> {
    fn warn(&mut self, at: &str, kind: WarningKind) {
        self.warnings.push(Warning {
            pointer: at.to_owned(),
            kind,
        });
    }

    fn unchecked(&mut self, at: &str, keyword: &str) {
        let keyword = keyword.to_owned();
        self.warn(at, WarningKind::Unchecked { keyword });
    }

    /// Returns the simplified form of a schema.
    fn schema(&mut self, schema: &Value, at: &str) -> Value {
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(false) => {
                self.unchecked(at, "false");
                return Value::Object(Map::new());
            }
            _ => return Value::Object(Map::new()),
        };
        let mut simple = Map::new();
        for (keyword, value) in members {
            if let Some(value) = self.member(members, keyword, value, at) {
                simple.insert(keyword.clone(), value);
            }
        }
        self.tuple(members, &mut simple, at);
        self.bounds(members, &mut simple, at);
        self.unevaluated(members, &mut simple, at);
        self.pattern_properties(members, &mut simple, at);
        self.values(&mut simple, at);
        self.all_of(&mut simple, at);
        self.union(&mut simple, at);
        self.reference(&mut simple, at);
        self.object(&mut simple, at);
        Value::Object(simple)
    }

    /// Returns the simplified value of a keyword, or `None` if it is left out here or expressed by
    /// other keywords later.
    fn member(
        &mut self,
        members: &Map<String, Value>,
        keyword: &str,
        value: &Value,
        at: &str,
    ) -> Option<Value> {
        let place = pointer::join(at, keyword);
        match keyword {
            "additionalProperties" if value.is_boolean() => return Some(value.clone()),
            "additionalProperties" if accepts_nothing(value) => return Some(Value::Bool(false)),
            // Expressed by `bounds`, `tuple`, `pattern_properties` and `unevaluated`. `then` and
            // `else` belong to `if`.
            "exclusiveMinimum"
            | "exclusiveMaximum"
            | "prefixItems"
            | "additionalItems"
            | "patternProperties"
            | "unevaluatedProperties"
            | "then"
            | "else" => return None,
            "items" if value.is_array() || value.is_boolean() => return None,
            "minimum" | "maximum" | "multipleOf"
                if value
                    .as_number()
                    .is_some_and(|it| self.document.numbers.has(it)) =>
            {
                self.unchecked(at, keyword);
                return None;
            }
            "multipleOf" if is_integer(members) && value.as_f64() == Some(1.0) => return None,
            "uniqueItems" if *value == Value::Bool(false) => return None,
            "not" => {
                self.unchecked(at, keyword);
                return None;
            }
            _ if UNCHECKED.contains(&keyword) => {
                self.unchecked(at, keyword);
                return None;
            }
            _ if HINTS.contains(&keyword) => {
                let is_base64 = keyword == "contentEncoding" && value == "base64";
                return is_base64.then(|| value.clone());
            }
            _ => {}
        }
        match (holds(keyword), value) {
            (Holds::Unknown, _) => {
                let keyword = keyword.to_owned();
                self.warn(at, WarningKind::Unknown { keyword });
                None
            }
            (Holds::SchemaList, Value::Array(schemas)) => Some(self.list(schemas, &place)),
            (Holds::SchemaMap, Value::Object(schemas)) => {
                let simple = schemas.iter().map(|(name, schema)| {
                    let schema = self.schema(schema, &pointer::join(&place, name));
                    (name.clone(), schema)
                });
                Some(Value::Object(simple.collect()))
            }
            (Holds::Schema | Holds::SchemaOrList, schema) => Some(self.schema(schema, &place)),
            _ => Some(value.clone()),
        }
    }

    fn list(&mut self, schemas: &[Value], at: &str) -> Value {
        let schemas = schemas.iter().enumerate();
        schemas
            .map(|(number, schema)| self.schema(schema, &format!("{at}/{number}")))
            .collect()
    }

    /// Handles a reference with other keywords beside it, and one to another document.
    fn reference(&mut self, simple: &mut Map<String, Value>, at: &str) {
        let Some(Value::String(text)) = simple.get("$ref").cloned() else {
            return;
        };
        if reference(&Value::Object(simple.clone())).is_none() {
            simple.shift_remove("$ref");
            self.warn(at, WarningKind::Foreign { reference: text });
            return;
        }
        let mut beside = simple.clone();
        beside.retain(|keyword, _| keyword != "$ref" && restricts(keyword));
        if beside.is_empty() {
            return;
        }
        simple.retain(|keyword, _| !restricts(keyword));
        let target = Value::Object(Map::from_iter([("$ref".to_owned(), text.into())]));
        if self.document.dialect == Dialect::Draft07 {
            // In this dialect they have no effect.
            simple.extend(target.as_object().cloned().unwrap_or_default());
            return;
        }
        let parts = vec![target, Value::Object(beside)];
        simple.insert("allOf".to_owned(), Value::Array(parts));
        self.all_of(simple, at);
    }

    /// Follows references and returns the schema that they lead to, as it is in the document.
    fn resolve<'v>(&'v self, schema: &'v Value) -> &'v Value {
        super::resolve::resolve(self.document, schema)
    }
}

/// Returns `true` for a schema that accepts every value.
pub(crate) fn accepts_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(all) => *all,
        Value::Object(members) => !members.keys().any(|keyword| restricts(keyword)),
        _ => false,
    }
}

/// Returns `true` for a schema that is the opposite of one that accepts every value.
fn accepts_nothing(schema: &Value) -> bool {
    schema.get("not").is_some_and(accepts_all)
}

fn is_integer(members: &Map<String, Value>) -> bool {
    members.get("type").is_some_and(|ty| ty == "integer")
}
