//! From schema documents to named types.

use super::{
    Bounds, Kind, Member, Model, Object, StringEnum, Ty, TypeDef, Union, Variant, field_ident,
    messages, names, variant_ident,
};
use crate::hints::Hints;
use crate::words::Words;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Why a schema could not be understood.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A keyword or combination that the generator has no type for.
    #[error("{file}#{pointer}: {what}")]
    Unsupported {
        /// The file.
        file: String,
        /// Where in it.
        pointer: String,
        /// What is not supported.
        what: String,
    },
    /// Two different types have one name.
    #[error(
        "{file}#{pointer}: the name `{name}` already stands for a different type; give this one a name of its own in the hints"
    )]
    Clash {
        /// The file.
        file: String,
        /// Where in it.
        pointer: String,
        /// The name.
        name: String,
    },
    /// Requests whose result is not known.
    #[error("{file}: no result is known for {}; say it in the hints, under `messages.results`", .names.join(", "))]
    Unanswered {
        /// The file.
        file: String,
        /// Names of the requests.
        names: Vec<String>,
    },
}

/// Builds the model of a schema.
///
/// `definitions` are in the form of [`crate::schema::Document`]: references begin with `#/$defs/`.
///
/// # Errors
///
/// What the generator has no type for, with its place in the file.
pub fn build(
    file: &str,
    revision: &str,
    definitions: &Map<String, Value>,
    hints: &Hints,
    words: &Words,
) -> Result<Model, BuildError> {
    let mut builder = Builder {
        file,
        revision,
        definitions,
        hints,
        words,
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
    words: &'a Words,
    types: Vec<TypeDef>,
    index: BTreeMap<String, usize>,
    /// Inline types that took the name of a definition, to be compared with it at the end.
    claims: Vec<(String, Kind, String)>,
}

/// One way to satisfy a schema after `allOf` was merged: an object, or a schema that is none.
struct Alternative {
    label: Option<String>,
    schema: Value,
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
                .words
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

    /// The type of an inline schema; one that needs a name gets it and is hoisted.
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
            // The words of an inline type are its own, not those of the member that holds it.
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
                "an enumeration of other values than strings",
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
                Ty::Array(Box::new(item), bounds("minItems", "maxItems"))
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
                Some(value) => match self.inline(&format!("{name}Value"), value, &place)? {
                    Ty::Any => Ty::AnyObject,
                    item => Ty::Map(Box::new(item)),
                },
            }));
        }
        let open = match further {
            None | Some(Value::Bool(true)) => true,
            Some(Value::Bool(false)) => false,
            Some(Value::Object(any)) if any.is_empty() => true,
            Some(_) => {
                return self.unsupported(
                    &format!("{pointer}/additionalProperties"),
                    "named members beside further members of a stated type",
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
                // An optional constant is there or not, which a field has to say.
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
                .words
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
            return self.unsupported(pointer, "two values of the enumeration give the same name");
        }
        let values = values
            .iter()
            .map(|value| {
                let words = self.words.find(self.revision, name, &format!("={value}"));
                (value.clone(), words.unwrap_or_default())
            })
            .collect();
        Ok(Kind::Enum(StringEnum { values, open }))
    }

    /// Merges `allOf`; what remains is one object, or a union of alternatives.
    fn alternatives(
        &mut self,
        name: &str,
        schema: &Value,
        pointer: &str,
    ) -> Result<Kind, BuildError> {
        let mut found = self.expand(schema, pointer, 0)?;
        if found.len() == 1 {
            let only = found.remove(0);
            if any_of(schema).is_none() || reference(&only.schema).is_none() {
                return self.kind(name, &only.schema, pointer);
            }
            found.push(only);
        }
        self.union(name, found, pointer)
    }

    /// The alternatives of a schema: `anyOf` spread out, `allOf` merged into each of them.
    fn expand(
        &self,
        schema: &Value,
        pointer: &str,
        depth: usize,
    ) -> Result<Vec<Alternative>, BuildError> {
        if depth > 32 {
            return self.unsupported(pointer, "`allOf` that refers to itself");
        }
        if let Some(parts) = any_of(schema) {
            if schema.get("properties").is_some() || schema.get("allOf").is_some() {
                return self.unsupported(pointer, "a union beside `properties` or `allOf`");
            }
            let mut all = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                if reference(part).is_some()
                    || part.get("allOf").is_none() && any_of(part).is_none()
                {
                    let label = reference(part).map(str::to_owned);
                    all.push(Alternative {
                        label,
                        schema: part.clone(),
                    });
                } else {
                    all.extend(self.expand(part, &format!("{pointer}/anyOf/{at}"), depth + 1)?);
                }
            }
            return Ok(all);
        }
        let Some(parts) = schema.get("allOf").and_then(Value::as_array) else {
            return Ok(vec![Alternative {
                label: None,
                schema: schema.clone(),
            }]);
        };
        let mut own = schema.clone();
        if let Some(own) = own.as_object_mut() {
            own.shift_remove("allOf");
        }
        let mut merged = vec![Alternative {
            label: None,
            schema: own,
        }];
        for (at, part) in parts.iter().enumerate() {
            let place = format!("{pointer}/allOf/{at}");
            let target = match reference(part) {
                Some(name) => self.definitions.get(name).unwrap_or(part),
                None => part,
            };
            let mut spread = Vec::new();
            for choice in self.expand(target, &place, depth + 1)? {
                let body = match reference(&choice.schema) {
                    Some(name) => self.definitions.get(name).unwrap_or(&choice.schema),
                    None => &choice.schema,
                };
                for base in &merged {
                    spread.push(Alternative {
                        label: choice.label.clone().or_else(|| base.label.clone()),
                        schema: self.merge(&base.schema, body, &place)?,
                    });
                }
            }
            merged = spread;
        }
        Ok(merged)
    }

    /// Two object schemas as one; the second one's members are the narrower ones.
    fn merge(&self, first: &Value, second: &Value, pointer: &str) -> Result<Value, BuildError> {
        let object = |schema: &Value| types_of(schema).iter().all(|ty| *ty == "object");
        let (Value::Object(a), Value::Object(b), true) =
            (first, second, object(first) && object(second))
        else {
            return self.unsupported(pointer, "`allOf` of something else than objects");
        };
        let mut merged = a.clone();
        for (key, value) in b {
            match (key.as_str(), merged.get_mut(key)) {
                ("properties", Some(Value::Object(properties))) => {
                    for (name, property) in value.as_object().into_iter().flatten() {
                        properties.insert(name.clone(), property.clone());
                    }
                }
                ("required", Some(Value::Array(required))) => {
                    for name in value.as_array().into_iter().flatten() {
                        if !required.contains(name) {
                            required.push(name.clone());
                        }
                    }
                }
                ("description" | "deprecated" | "x-feature" | "$schema", Some(_)) => {}
                (_, None) if key == "description" => {}
                _ => {
                    merged.insert(key.clone(), value.clone());
                }
            }
        }
        merged.insert("type".into(), "object".into());
        Ok(Value::Object(merged))
    }

    fn union(
        &mut self,
        name: &str,
        parts: Vec<Alternative>,
        pointer: &str,
    ) -> Result<Kind, BuildError> {
        let parts: Vec<Alternative> = parts.into_iter().flat_map(by_type).collect();
        let is_null = |part: &Alternative| types_of(&part.schema) == ["null"];
        let (nulls, mut rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_null);
        if rest.len() == 1 && !nulls.is_empty() {
            let only = rest.remove(0);
            let ty = self.inline(name, &only.schema, pointer)?;
            return Ok(Kind::Alias(Ty::Nullable(Box::new(ty))));
        }
        rest.extend(nulls);
        let labels: Vec<String> = rest
            .iter()
            .enumerate()
            .map(|(at, part)| label(part, at))
            .collect();
        let short = names::shorten(&labels);
        let mut variants: Vec<Variant> = Vec::new();
        for (part, short) in rest.iter().zip(&short) {
            let ty = match reference(&part.schema) {
                Some(target) => Ty::Named(target.to_owned()),
                None => self.inline(
                    &format!("{name}{}", variant_ident(short)),
                    &part.schema,
                    pointer,
                )?,
            };
            let chosen = match &ty {
                Ty::Named(target) => self
                    .hints
                    .variants
                    .get(name)
                    .and_then(|names| names.get(target)),
                _ => None,
            };
            variants.push(Variant {
                ident: chosen.cloned().unwrap_or_else(|| keep_acronyms(short)),
                features: features(&part.schema),
                ty,
            });
        }
        let mut seen: Vec<&str> = variants
            .iter()
            .map(|variant| variant.ident.as_str())
            .collect();
        seen.sort_unstable();
        if seen.windows(2).any(|pair| pair[0] == pair[1]) {
            return self.unsupported(pointer, "two members of the union give the same name");
        }
        Ok(Kind::Union(Union { variants }))
    }

    /// Keywords that restrict values in a way that no generated type would check.
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

/// An alternative of several types as one for each type.
fn by_type(part: Alternative) -> Vec<Alternative> {
    let types: Vec<String> = types_of(&part.schema)
        .into_iter()
        .map(str::to_owned)
        .collect();
    if types.len() < 2 {
        return vec![part];
    }
    let one = |ty: String| {
        let mut schema = part.schema.clone();
        schema["type"] = Value::String(ty);
        Alternative {
            label: None,
            schema,
        }
    };
    types.into_iter().map(one).collect()
}

/// A name for an alternative: its definition, else its tag, else its type.
fn label(part: &Alternative, at: usize) -> String {
    if let Some(name) = part.label.as_deref().or_else(|| reference(&part.schema)) {
        return name.to_owned();
    }
    let tag = part
        .schema
        .get("properties")
        .and_then(Value::as_object)
        .and_then(|properties| {
            properties
                .values()
                .find_map(|property| constant(property)?.as_str().map(variant_ident))
        });
    if let Some(tag) = tag {
        return tag;
    }
    match types_of(&part.schema).as_slice() {
        [one] if *one != "object" || part.schema.get("properties").is_none() => variant_ident(one),
        _ => format!("Variant{}", at + 1),
    }
}

fn keep_acronyms(short: &str) -> String {
    let plain = short.chars().all(|c| c.is_ascii_alphanumeric());
    if plain && short.starts_with(|c: char| c.is_ascii_uppercase()) && short != "Self" {
        short.to_owned()
    } else {
        variant_ident(short)
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

pub(crate) fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The one value of a schema: `const`, or an enumeration of one.
fn constant(schema: &Value) -> Option<&Value> {
    schema
        .get("const")
        .or_else(|| match schema.get("enum")?.as_array()?.as_slice() {
            [only] => Some(only),
            _ => None,
        })
}

/// The values of a string enumeration and whether it is open: an enumeration or any string.
fn string_enum(schema: &Value) -> Option<(Vec<String>, bool)> {
    let closed = |schema: &Value| {
        let values = schema.get("enum")?.as_array()?;
        values
            .iter()
            .map(|value| value.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
    };
    if let Some(parts) = any_of(schema) {
        let consts: Option<Vec<String>> = parts
            .iter()
            .map(|part| part.get("const")?.as_str().map(str::to_owned))
            .collect();
        if let Some(values) = consts {
            return Some((values, false));
        }
        let [known, rest] = parts.as_slice() else {
            return None;
        };
        let plain = rest.as_object().is_some_and(|rest| {
            rest.get("type").is_some_and(|ty| ty == "string") && rest.len() == 1
        });
        return if plain {
            Some((closed(known)?, true))
        } else {
            None
        };
    }
    Some((closed(schema)?, false))
}

fn any_of(schema: &Value) -> Option<&Vec<Value>> {
    schema
        .get("anyOf")
        .or_else(|| schema.get("oneOf"))?
        .as_array()
}

fn types_of(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn covers_everything(types: &[&str]) -> bool {
    ["array", "boolean", "null", "number", "object", "string"]
        .iter()
        .all(|ty| types.contains(ty))
}

fn is_base64(schema: &Value) -> bool {
    schema.get("format").is_some_and(|format| format == "byte")
        || schema
            .get("contentEncoding")
            .is_some_and(|encoding| encoding == "base64")
}

fn is_deprecated(schema: &Value) -> bool {
    schema.get("deprecated") == Some(&Value::Bool(true))
}

/// Proposals that a node is marked with.
fn features(schema: &Value) -> Vec<String> {
    match schema.get("x-feature") {
        Some(Value::String(one)) => vec![one.clone()],
        several => strings(several),
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
