//! Builds named types from schema documents.

mod checked;
mod error;
mod inline;
mod inline_names;
mod merge;
mod shape;
mod stored;
mod union;

pub use error::BuildError;

use shape::{
    Alternative, any_of, constant, covers_everything, escape, features, is_base64, is_deprecated,
    is_integer, reference, string_enum, strings, types_of,
};

use inline_names::{AutomaticNames, Use};

use super::{
    Bounds, Kind, Member, Model, Note, Object, Recursion, StringEnum, Ty, TypeDef, messages, names,
    own_variants, recursion,
};
use crate::checks::Checks;
use crate::doc_texts::DocTexts;
use crate::hints::Hints;
use crate::schema::{Document, Warning};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Attempts to find names for inline types. Each attempt names at least one more of them.
const MOST_ATTEMPTS: usize = 64;

/// A schema from which a model is built, and what belongs to it.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The name of the file, for messages.
    pub file: &'a str,
    /// The revision.
    pub revision: &'a str,
    /// The definitions. References have the form used by [`crate::schema::Document`]: they start
    /// with `#/$defs/`.
    pub definitions: &'a Map<String, Value>,
    /// The definition that is the root of the file. The names of the inline types of its members do
    /// not begin with its name.
    pub root: Option<&'a str>,
    /// The document of the definitions.
    pub document: &'a Document,
    /// What was left out of the definitions.
    pub left_out: &'a [Warning],
    /// Whether the types accept nothing that the schema excludes, as far as that can be checked: also
    /// where schemas are merged, and with the crate `regex`.
    pub exact: bool,
    /// The model of the revision before. Variants of unions keep the names that they have there.
    pub previous: Option<&'a Model>,
}

/// Builds the model of a schema, from which Rust types are generated.
///
/// # Errors
///
/// Returns a [`BuildError`] with the position of the unsupported definition.
pub fn build(source: Source<'_>, hints: &Hints, doc_texts: &DocTexts) -> Result<Model, BuildError> {
    build_for(source, hints, doc_texts, Target::Rust)
}

/// Builds the model of a schema without the decisions that only Rust types need.
///
/// No definition is implemented by a hand-written type. Constants and bounds stay where the schema
/// has them, also in items, variants and aliases. Types may contain themselves in any way, and there
/// are no tables of checks: the notes name everything that the types do not express.
///
/// # Errors
///
/// Returns a [`BuildError`] with the position of the unsupported definition.
pub fn build_neutral(
    source: Source<'_>,
    hints: &Hints,
    doc_texts: &DocTexts,
) -> Result<Model, BuildError> {
    build_for(source, hints, doc_texts, Target::AnyLanguage)
}

/// What a model is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Rust,
    AnyLanguage,
}

fn build_for(
    source: Source<'_>,
    hints: &Hints,
    doc_texts: &DocTexts,
    target: Target,
) -> Result<Model, BuildError> {
    let mut names = AutomaticNames::default();
    let mut attempts = 0;
    let mut builder = loop {
        let mut builder = Builder {
            source,
            target,
            hints,
            doc_texts: doc_texts.fresh(),
            names,
            current: String::new(),
            types: Vec::new(),
            index: BTreeMap::new(),
            uses: Vec::new(),
            notes: Vec::new(),
        };
        builder.definitions()?;
        attempts += 1;
        if !builder.name_clashes() {
            break builder;
        }
        if attempts == MOST_ATTEMPTS {
            return builder.unsupported("", "inline types that need a name have different forms");
        }
        names = builder.names;
    };
    doc_texts.absorb(&builder.doc_texts);
    let mut notes = builder.name_notes();
    notes.append(&mut builder.notes);
    let inline = builder.inline_names();
    notes.extend(source.left_out.iter().cloned().map(Note::Schema));
    let checks = match target {
        Target::Rust => {
            checked::check(source, hints.null_as_absent, &mut builder.types, &mut notes)
        }
        Target::AnyLanguage => Checks::default(),
    };
    let mut model = Model {
        revision: source.revision.to_owned(),
        types: builder.types,
        messages: Vec::new(),
        constants: Map::new(),
        categories: BTreeMap::new(),
        index: builder.index,
        inline,
        checks,
        notes,
    };
    own_variants::replace(&mut model);
    if target == Target::Rust {
        recursion::bound_sizes(&mut model);
    }
    let (messages, unanswered) = messages::find(&model, &hints.messages);
    model.messages = messages;
    model.notes.extend(unanswered);
    Ok(model)
}

struct Builder<'a> {
    source: Source<'a>,
    target: Target,
    hints: &'a Hints,
    doc_texts: DocTexts,
    names: AutomaticNames,
    /// The definition that is being built.
    current: String,
    types: Vec<TypeDef>,
    index: BTreeMap<String, usize>,
    /// The inline types that need a name.
    uses: Vec<Use>,
    notes: Vec<Note>,
}

impl Builder<'_> {
    fn definitions(&mut self) -> Result<(), BuildError> {
        for (name, schema) in self.source.definitions {
            self.current.clone_from(name);
            let pointer = format!("/{}", escape(name));
            if self.target == Target::Rust
                && let Some(native) = self.hints.native_type(self.source.revision, name)
            {
                let kind = match native.as_str() {
                    "Value" => Kind::Alias(Ty::Any),
                    "Object" => Kind::Alias(Ty::AnyObject),
                    _ => Kind::Native(native.clone()),
                };
                self.add(name, schema, true, kind);
                continue;
            }
            let kind = match self.kind(name, schema, &pointer)? {
                Kind::Alias(ty) => self.alias(name, ty, &pointer),
                kind => kind,
            };
            self.add(name, schema, true, kind);
        }
        Ok(())
    }

    fn unsupported<T>(&self, pointer: &str, what: impl Into<String>) -> Result<T, BuildError> {
        Err(BuildError::Unsupported {
            file: self.source.file.to_owned(),
            pointer: pointer.to_owned(),
            what: what.into(),
        })
    }

    /// Returns the documentation of a type or of a part of it. If `docs.json` has no text for it,
    /// the documentation links to the description in the specification.
    fn text(&self, schema: &Value, owner: &str, part: &str) -> String {
        match schema.get("description").and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => self.find_text(owner, part, &features(schema)),
        }
    }

    fn find_text(&self, owner: &str, part: &str, features: &[String]) -> String {
        let revision = self.source.revision;
        // A type that got a name of its own means the same as the others with the name from the
        // hints.
        let hinted = self.names.hinted(owner);
        let found = hinted.and_then(|hinted| self.doc_texts.known(revision, hinted, part));
        let found = found.or_else(|| {
            if let Some(text) = self.doc_texts.known(revision, owner, part) {
                return Some(text);
            }
            // A definition with a new name still has the texts of the old one.
            let mut old_names = self.hints.old_names(revision, owner).into_iter();
            old_names.find_map(|old| self.doc_texts.known(revision, old, part))
        });
        let found = found.or_else(|| self.doc_texts.find(revision, owner, part));
        found.unwrap_or_else(|| match self.hints.source(revision, &self.current) {
            Some(link) if features.is_empty() => {
                format!("New in {revision}; see the [specification]({link}).")
            }
            _ => String::new(),
        })
    }

    fn add(&mut self, name: &str, schema: &Value, published: bool, kind: Kind) {
        let def = TypeDef {
            docs: self.text(schema, name, ""),
            name: name.to_owned(),
            published,
            deprecated: is_deprecated(schema),
            features: features(schema),
            kind,
        };
        self.index.insert(def.name.clone(), self.types.len());
        self.types.push(def);
    }

    fn kind(&mut self, name: &str, schema: &Value, pointer: &str) -> Result<Kind, BuildError> {
        if let Some(target) = reference(schema) {
            return Ok(Kind::Alias(Ty::Named(target.to_owned())));
        }
        if let Some(value) = constant(schema) {
            return Ok(Kind::Alias(Ty::Const(value.clone())));
        }
        if let Some((values, open)) = string_enum(schema) {
            return Ok(self.string_enum(name, &values, open));
        }
        if schema.get("allOf").is_some() || any_of(schema).is_some() {
            return self.alternatives(name, schema, pointer);
        }
        match types_of(schema).as_slice() {
            [] if schema.get("properties").is_some() => self.object(name, schema, pointer),
            [] => Ok(Kind::Alias(Ty::Any)),
            [one] => self.simple(name, one, schema, pointer),
            several if covers_everything(several) => Ok(Kind::Alias(Ty::Any)),
            _ => {
                let part = Alternative {
                    label: None,
                    schema: schema.clone(),
                };
                self.union(name, vec![part], pointer)
            }
        }
    }

    fn simple(
        &mut self,
        name: &str,
        ty: &str,
        schema: &Value,
        pointer: &str,
    ) -> Result<Kind, BuildError> {
        let bounds = |low: &str, high: &str| Bounds {
            min: schema.get(low).and_then(Value::as_number).cloned(),
            max: schema.get(high).and_then(Value::as_number).cloned(),
        };
        Ok(Kind::Alias(match ty {
            "null" => Ty::Null,
            "boolean" => Ty::Bool,
            "integer" => Ty::Int(bounds("minimum", "maximum")),
            "number" => Ty::Number(bounds("minimum", "maximum")),
            "string" => match bounds("minLength", "maxLength") {
                // The type for base64 does not check the length of the text.
                free if free.is_free() && is_base64(schema) => Ty::Base64,
                bounds => Ty::String(bounds),
            },
            "array" => {
                let bounds = bounds("minItems", "maxItems");
                let place = format!("{pointer}/items");
                let name = format!("{name}Item");
                let item = match schema.get("items") {
                    // The bounds of integers in a list are checked, if the list has none of its
                    // own.
                    Some(items) if is_integer(items) && bounds.is_free() => {
                        self.inline(&name, items, &place)?
                    }
                    Some(items) => self.item(&name, items, &place)?,
                    None => Ty::Any,
                };
                Ty::Array(Box::new(item), bounds)
            }
            _ => return self.object(name, schema, pointer),
        }))
    }

    fn object(&mut self, name: &str, schema: &Value, pointer: &str) -> Result<Kind, BuildError> {
        let none = Map::new();
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&none);
        let required = strings(schema.get("required"));
        let further = schema.get("additionalProperties");
        if properties.is_empty() && required.is_empty() {
            let place = format!("{pointer}/additionalProperties");
            return Ok(Kind::Alias(match further {
                None | Some(Value::Bool(true)) => Ty::AnyObject,
                Some(Value::Bool(false)) => Ty::EmptyObject,
                Some(value) if value.get("not").is_some() => Ty::EmptyObject,
                Some(value) => {
                    let item = self.item(&format!("{name}Value"), value, &place)?;
                    if item == Ty::Any {
                        Ty::AnyObject
                    } else {
                        Ty::Map(Box::new(item))
                    }
                }
            }));
        }
        let open = further != Some(&Value::Bool(false));
        let mut members: Vec<Member> = Vec::new();
        let undeclared = required
            .iter()
            .filter(|json| !properties.contains_key(*json));
        let any = Value::Object(Map::new());
        let all = properties.iter().chain(undeclared.map(|json| (json, &any)));
        for (json, value) in all {
            let place = format!("{pointer}/properties/{}", escape(json));
            let default = self.member_type_name(name, json);
            let is_required = required.contains(json);
            let mut ty = self.inline(&default, value, &place)?;
            if !is_required && matches!(ty, Ty::Const(_)) {
                // An optional constant may be absent, so it needs a field.
                ty = self.constant_type(&default, ty, &place);
            }
            let ident = names::member_ident(json, &|ident| {
                members.iter().any(|member: &Member| member.ident == ident)
            });
            members.push(Member {
                ident,
                required: is_required,
                parameter: is_required
                    && (self.hints.default_of(self.source.revision, name, json)).is_none(),
                stays_option: false,
                one_or_many: self.hints.is_one_or_many(self.source.revision, name, json),
                docs: self.text(value, name, &format!(".{json}")),
                deprecated: is_deprecated(value),
                features: features(value),
                json: json.clone(),
                recursion: if !is_required && self.hints.is_boxed(name, json) {
                    Recursion::BoxedForSize
                } else {
                    Recursion::None
                },
                ty,
            });
        }
        Ok(Kind::Object(Object { members, open }))
    }

    /// Makes an enumeration. A schema may list a value twice.
    fn string_enum(&mut self, name: &str, values: &[String], open: bool) -> Kind {
        let mut known = BTreeSet::new();
        let values = values
            .iter()
            .filter(|value| known.insert(value.as_str()))
            .map(|value| {
                let docs = self.find_text(name, &format!("={value}"), &[]);
                (value.clone(), docs)
            })
            .collect();
        Kind::Enum(StringEnum { values, open })
    }
}
