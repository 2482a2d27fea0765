//! Builds named types from schema documents.

mod merge;
mod shape;
mod union;

use shape::{
    any_of, constant, covers_everything, escape, features, is_base64, is_deprecated, reference,
    string_enum, strings, types_of,
};

use union::Alternative;

use super::{
    Bounds, Kind, Member, Model, Object, StringEnum, Ty, TypeDef, field_ident, messages,
    variant_ident,
};
use crate::doc_texts::DocTexts;
use crate::hints::Hints;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The errors of building a model.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A keyword or combination for which the generator has no type.
    #[error("{file}#{pointer}: not supported: {what}")]
    Unsupported {
        /// The file.
        file: String,
        /// The position in the file.
        pointer: String,
        /// The unsupported feature.
        what: String,
    },
    /// Two different types have the same name.
    #[error(
        "{file}#{pointer}: the name `{name}` is already used by a different type; choose another name for this one in the hints"
    )]
    Clash {
        /// The file.
        file: String,
        /// The position in the file.
        pointer: String,
        /// The name.
        name: String,
    },
    /// Requests whose result type is unknown.
    #[error("{file}: unknown result type of {}; add it to the hints, under `messages.results`", .names.join(", "))]
    Unanswered {
        /// The file.
        file: String,
        /// Names of the requests.
        names: Vec<String>,
    },
}

/// Builds the model of a schema.
///
/// References in `definitions` have the form used by [`crate::schema::Document`]: they start with
/// `#/$defs/`.
///
/// # Errors
///
/// Returns a [`BuildError`] with the position of the unsupported or conflicting definition.
pub fn build(
    file: &str,
    revision: &str,
    definitions: &Map<String, Value>,
    hints: &Hints,
    doc_texts: &DocTexts,
) -> Result<Model, BuildError> {
    let mut builder = Builder {
        file,
        revision,
        definitions,
        hints,
        doc_texts,
        types: Vec::new(),
        index: BTreeMap::new(),
        claims: Vec::new(),
    };
    for (name, schema) in definitions {
        let pointer = format!("/{}", escape(name));
        if let Some(native) = hints.native.get(name) {
            let kind = match native.as_str() {
                "Value" => Kind::Alias(Ty::Any),
                "Object" => Kind::Alias(Ty::AnyObject),
                _ => Kind::Native(native.clone()),
            };
            builder.add(name, schema, true, kind);
            continue;
        }
        let kind = builder.kind(name, schema, &pointer)?;
        if let Kind::Alias(ty) = &kind {
            builder.refuse_bounds(ty, &pointer)?;
        }
        builder.add(name, schema, true, kind);
    }
    for (name, kind, pointer) in std::mem::take(&mut builder.claims) {
        let same = builder
            .index
            .get(&name)
            .is_some_and(|at| builder.types[*at].kind == kind);
        if !same {
            return Err(BuildError::Clash {
                file: file.to_owned(),
                pointer,
                name,
            });
        }
    }
    let mut model = Model {
        revision: revision.to_owned(),
        types: builder.types,
        messages: Vec::new(),
        constants: Map::new(),
        index: builder.index,
    };
    model.messages =
        messages::find(&model, &hints.messages).map_err(|names| BuildError::Unanswered {
            file: file.to_owned(),
            names,
        })?;
    Ok(model)
}

struct Builder<'a> {
    file: &'a str,
    revision: &'a str,
    definitions: &'a Map<String, Value>,
    hints: &'a Hints,
    doc_texts: &'a DocTexts,
    types: Vec<TypeDef>,
    index: BTreeMap<String, usize>,
    /// Inline types that have the name of a definition. They are compared with it at the end.
    claims: Vec<(String, Kind, String)>,
}

impl Builder<'_> {
    fn unsupported<T>(&self, pointer: &str, what: impl Into<String>) -> Result<T, BuildError> {
        Err(BuildError::Unsupported {
            file: self.file.to_owned(),
            pointer: pointer.to_owned(),
            what: what.into(),
        })
    }

    fn text(&self, schema: &Value, owner: &str, part: &str) -> String {
        match schema.get("description").and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => self
                .doc_texts
                .find(self.revision, owner, part)
                .unwrap_or_default(),
        }
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

    /// Returns the type of an inline schema. A type that needs a name becomes a definition.
    fn inline(&mut self, default: &str, schema: &Value, pointer: &str) -> Result<Ty, BuildError> {
        let name = self.hints.inline_name(self.revision, default);
        let kind = self.kind(&name, schema, pointer)?;
        if let Kind::Alias(ty) = kind {
            return Ok(ty);
        }
        if self.definitions.contains_key(&name) {
            self.claims.push((name.clone(), kind, pointer.to_owned()));
        } else if let Some(at) = self.index.get(&name) {
            if self.types[*at].kind != kind {
                return Err(BuildError::Clash {
                    file: self.file.to_owned(),
                    pointer: pointer.to_owned(),
                    name,
                });
            }
        } else {
            // An inline type has its own documentation, not that of the member that contains it.
            let mut bare = schema.clone();
            if !self.keeps_descriptions()
                && let Some(object) = bare.as_object_mut()
            {
                object.shift_remove("description");
            }
            self.add(&name, &bare, false, kind);
        }
        Ok(Ty::Named(name))
    }

    /// Bounds are checked when a member is decoded and encoded, but not deeper inside a type.
    fn refuse_bounds(&self, ty: &Ty, pointer: &str) -> Result<(), BuildError> {
        match ty {
            Ty::Int(bounds) | Ty::Number(bounds) | Ty::String(bounds) | Ty::Array(_, bounds)
                if !bounds.is_free() =>
            {
                self.unsupported(pointer, "bounds that are not on a member of an object")
            }
            Ty::Nullable(inner) => self.refuse_bounds(inner, pointer),
            _ => Ok(()),
        }
    }

    fn keeps_descriptions(&self) -> bool {
        self.definitions
            .values()
            .any(|schema| schema.get("description").is_some())
    }

    fn kind(&mut self, name: &str, schema: &Value, pointer: &str) -> Result<Kind, BuildError> {
        self.refuse_unsupported(schema, pointer)?;
        if let Some(target) = reference(schema) {
            return Ok(Kind::Alias(Ty::Named(target.to_owned())));
        }
        if let Some(value) = constant(schema) {
            return Ok(Kind::Alias(Ty::Const(value.clone())));
        }
        if let Some((values, open)) = string_enum(schema) {
            return self.string_enum(name, &values, open, pointer);
        }
        if schema.get("enum").is_some() {
            return self.unsupported(
                &format!("{pointer}/enum"),
                "an enumeration with values other than strings",
            );
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
            "string" if is_base64(schema) => Ty::Base64,
            "string" => Ty::String(bounds("minLength", "maxLength")),
            "array" => {
                let item = match schema.get("items") {
                    Some(items) => {
                        self.inline(&format!("{name}Item"), items, &format!("{pointer}/items"))?
                    }
                    None => Ty::Any,
                };
                let bounds = bounds("minItems", "maxItems");
                if !(matches!(item, Ty::Int(_)) && bounds.is_free()) {
                    self.refuse_bounds(&item, &format!("{pointer}/items"))?;
                }
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
                    let item = self.inline(&format!("{name}Value"), value, &place)?;
                    self.refuse_bounds(&item, &place)?;
                    if item == Ty::Any {
                        Ty::AnyObject
                    } else {
                        Ty::Map(Box::new(item))
                    }
                }
            }));
        }
        let open = match further {
            None | Some(Value::Bool(true)) => true,
            Some(Value::Bool(false)) => false,
            Some(Value::Object(any)) if any.is_empty() => true,
            Some(_) => {
                return self.unsupported(
                    &format!("{pointer}/additionalProperties"),
                    "`properties` together with typed `additionalProperties`",
                );
            }
        };
        let mut members: Vec<Member> = Vec::new();
        let undeclared = required
            .iter()
            .filter(|json| !properties.contains_key(*json));
        let any = Value::Object(Map::new());
        let all = properties.iter().chain(undeclared.map(|json| (json, &any)));
        for (json, value) in all {
            let place = format!("{pointer}/properties/{}", escape(json));
            let default = format!(
                "{name}{}",
                variant_ident(json.rsplit('/').next().unwrap_or(json))
            );
            let is_required = required.contains(json);
            let mut ty = self.inline(&default, value, &place)?;
            if let (Ty::Const(Value::String(only)), false) = (&ty, is_required) {
                // An optional constant may be absent, so it needs a field.
                let one = serde_json::json!({"type": "string", "enum": [only]});
                ty = self.single_value(&default, &one, only);
            }
            let ident = unique_ident(field_ident(json), json, &members);
            members.push(Member {
                ident,
                required: is_required,
                one_or_many: self.hints.one_or_many.contains(&format!("{name}.{json}")),
                docs: self.text(value, name, &format!(".{json}")),
                deprecated: is_deprecated(value),
                features: features(value),
                json: json.clone(),
                ty,
            });
        }
        Ok(Kind::Object(Object { members, open }))
    }

    fn single_value(&mut self, default: &str, schema: &Value, only: &str) -> Ty {
        let name = self.hints.inline_name(self.revision, default);
        if !self.index.contains_key(&name) {
            let docs = self
                .doc_texts
                .find(self.revision, &name, &format!("={only}"))
                .unwrap_or_default();
            let kind = Kind::Enum(StringEnum {
                values: vec![(only.to_owned(), docs)],
                open: false,
            });
            self.add(&name, schema, false, kind);
        }
        Ty::Named(name)
    }

    fn string_enum(
        &mut self,
        name: &str,
        values: &[String],
        open: bool,
        pointer: &str,
    ) -> Result<Kind, BuildError> {
        let mut idents: Vec<String> = values.iter().map(|value| variant_ident(value)).collect();
        idents.sort();
        idents.dedup();
        if idents.len() != values.len() {
            return self.unsupported(
                pointer,
                "two values of the enumeration have the same Rust name",
            );
        }
        let values = values
            .iter()
            .map(|value| {
                let doc_texts = self
                    .doc_texts
                    .find(self.revision, name, &format!("={value}"));
                (value.clone(), doc_texts.unwrap_or_default())
            })
            .collect();
        Ok(Kind::Enum(StringEnum { values, open }))
    }

    /// Rejects keywords that restrict values in a way that no generated type would check.
    fn refuse_unsupported(&self, schema: &Value, pointer: &str) -> Result<(), BuildError> {
        for key in [
            "pattern",
            "multipleOf",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "uniqueItems",
            "minProperties",
            "maxProperties",
        ] {
            if schema
                .get(key)
                .is_some_and(|value| *value != Value::Bool(false))
            {
                return self
                    .unsupported(&format!("{pointer}/{key}"), format!("the keyword `{key}`"));
            }
        }
        Ok(())
    }
}

fn unique_ident(ident: String, json: &str, members: &[Member]) -> String {
    let taken =
        |ident: &str| ident == "extra" || members.iter().any(|member| member.ident == ident);
    let mut ident = ident;
    if taken(&ident) {
        ident = heck::ToSnakeCase::to_snake_case(json);
    }
    while taken(&ident) {
        ident.push('_');
    }
    ident
}
