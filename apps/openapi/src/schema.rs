//! [`Converter`]: schemas of a document as JSON Schema 2020-12 that refers to nothing outside.
//!
//! Referenced schemas become `$defs`, so recursive ones stay finite. A tool's schema is part of what a
//! model reads, and some documents refer to nearly all of their schemas from each operation: what does
//! not fit into a budget is replaced by `{}`, which every value fits.

mod keywords;
mod values;

pub(super) use keywords::size;

use std::collections::{HashMap, HashSet, VecDeque};

use mcp_server::types::json::{Object, Value};

use super::document::{Resolver, Version};
use super::names::{Names, clean, shortened};

/// The maximum nesting of a schema, without that of the schemas it refers to.
const DEPTH: usize = 20;
/// The maximum number of keywords of a schema. They are searched one by one.
const KEYWORDS: usize = 128;
/// The longest description of a part, in characters.
const DESCRIPTION: usize = 400;
/// The largest default or example, in bytes.
const EXAMPLE: usize = 256;

/// What a schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Values that the model writes: without members that are only read.
    Request,
    /// Values that the API returns. Their schema tells types and names. Bounds, formats and patterns are
    /// left out: clients would refuse a result because of them, and APIs do not observe them strictly.
    Response,
}

/// How much of the schemas is kept. Each is tried when the one before is not a valid schema, or one
/// that costs too much to validate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Full,
    /// No patterns and examples, and fewer referenced schemas.
    Less,
    /// Types, names and descriptions, and no referenced schemas.
    Least,
}

impl Detail {
    pub(super) const ALL: [Self; 3] = [Self::Full, Self::Less, Self::Least];

    /// The number of bytes that schemas may have, approximately. The schema of a result matters less:
    /// the model reads the result itself.
    fn budget(self, direction: Direction) -> usize {
        match (self, direction) {
            (Self::Full, Direction::Request) => 48 << 10,
            (Self::Less, Direction::Request) => 32 << 10,
            (Self::Full, Direction::Response) => 16 << 10,
            (Self::Less, Direction::Response) => 8 << 10,
            (Self::Least, _) => 4 << 10,
        }
    }
}

/// Converts the schemas of one tool's arguments, or of its result.
pub(super) struct Converter<'a, 'r> {
    pub(super) resolver: &'r Resolver<'a>,
    direction: Direction,
    detail: Detail,
    budget: usize,
    /// The names of definitions, by reference.
    names: HashMap<&'a str, String>,
    used: Names,
    queue: VecDeque<(String, &'a Value)>,
    /// What could not be kept.
    notes: Vec<String>,
    /// The names of members that were left out because they are only read, or only written.
    hidden: HashSet<String>,
    /// Set if a keyword is kept that would refuse too much beside schemas of which parts are left out.
    is_strict: bool,
}

impl<'a, 'r> Converter<'a, 'r> {
    pub(super) fn new(resolver: &'r Resolver<'a>, direction: Direction, detail: Detail) -> Self {
        Self {
            resolver,
            direction,
            detail,
            budget: detail.budget(direction),
            names: HashMap::new(),
            used: Names::default(),
            queue: VecDeque::new(),
            notes: Vec::new(),
            hidden: HashSet::new(),
            is_strict: false,
        }
    }

    /// Converts a schema. What it refers to is converted by [`finish`](Self::finish).
    pub(super) fn convert(&mut self, schema: &'a Value) -> Value {
        self.schema(schema, 0)
    }

    /// Converts the referenced schemas, adds them to the schema of the whole, and returns what could
    /// not be kept. `None` if the whole might refuse values because of that; less detail never does.
    pub(super) fn finish(mut self, whole: &mut Object) -> Option<Vec<String>> {
        let mut definitions = Object::new();
        while let Some((name, schema)) = self.queue.pop_front() {
            let schema = self.schema(schema, 0);
            definitions.push(&name, schema);
        }
        if !definitions.is_empty() {
            whole.insert("$defs", definitions);
        }
        if !self.hidden.is_empty() {
            not_required(&self.hidden, whole);
        }
        (self.notes.is_empty() || !self.is_strict).then_some(self.notes)
    }

    /// Adds what could not be kept, unless it was said already.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) && self.notes.len() < 16 {
            self.notes.push(note);
        }
    }

    /// Takes bytes of the budget. Returns `false` if there are not that many.
    fn take(&mut self, bytes: usize) -> bool {
        if let Some(left) = self.budget.checked_sub(bytes) {
            self.budget = left;
            return true;
        }
        self.budget = 0;
        self.note("its schemas are too large: parts of them are left out");
        false
    }

    fn schema(&mut self, schema: &'a Value, depth: usize) -> Value {
        let object = match schema {
            Value::Object(object) => object,
            Value::Bool(_) => return schema.clone(),
            _ => {
                self.note("a schema is not an object");
                return Object::new().into();
            }
        };
        if object.len() > KEYWORDS {
            self.note(format!("a schema has more than {KEYWORDS} keywords"));
            return Object::new().into();
        }
        if depth > DEPTH {
            self.note(format!("a schema nests deeper than {DEPTH} levels"));
            return Object::new().into();
        }
        if !self.take(16) {
            return Object::new().into();
        }
        let mut converted = Object::new();
        if let Some(reference) = object.get("$ref") {
            self.reference(reference, &mut converted);
            // In 3.0, the other members have no effect.
            if self.resolver.version == Version::V3_0 {
                self.description(object, &mut converted);
                return self.nullable(object, converted);
            }
        }
        for (keyword, value) in object {
            self.keyword(keyword, value, object, depth, &mut converted);
        }
        self.discriminate(object, &mut converted);
        without_rest(object, &mut converted);
        self.without_hidden(object, &mut converted);
        self.nullable(object, converted)
    }

    /// Adds a reference to a definition.
    fn reference(&mut self, reference: &'a Value, converted: &mut Object) {
        let Some(reference) = reference.as_str() else {
            return self.note("`$ref` is not a string");
        };
        if self.detail == Detail::Least {
            return self.note("referenced schemas are left out");
        }
        let target = self.resolver.resolve(reference);
        if let (Ok(_), Some(name)) = (&target, self.names.get(reference)) {
            converted.insert("$ref", format!("#/$defs/{name}"));
            return;
        }
        // A chain of references, which may be a circle, is replaced by its end.
        match target.and_then(|target| self.resolver.follow(target)) {
            Ok(target) => {
                let last = reference.rsplit('/').next().unwrap_or_default();
                let name = self.used.take(&clean(last));
                converted.insert("$ref", format!("#/$defs/{name}"));
                self.names.insert(reference, name.clone());
                self.queue.push_back((name, target));
            }
            Err(reason) => self.note(format!("a schema: {reason}")),
        }
    }

    /// Removes members that a request must not contain, and does not require those that a response
    /// does not have.
    fn without_hidden(&mut self, object: &'a Object, converted: &mut Object) {
        let keyword = match self.direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let Some(Value::Object(properties)) = object.get("properties") else {
            return;
        };
        let is_hidden = |name: &str| {
            let schema = self.resolver.member(properties, name);
            let schema = schema.and_then(|schema| self.resolver.follow(schema).ok());
            let marked = schema.and_then(|schema| schema.get(keyword));
            marked.and_then(Value::as_bool) == Some(true)
        };
        let kept = converted.get("properties").and_then(Value::as_object);
        let kept = kept.into_iter().flat_map(Object::keys);
        let hidden: HashSet<String> = kept
            .filter(|name| is_hidden(name))
            .map(str::to_owned)
            .collect();
        if hidden.is_empty() {
            return;
        }
        if let Some(Value::Object(properties)) = converted.get_mut("properties") {
            properties.retain(|name, _| !hidden.contains(name));
        }
        if let Some(Value::Array(required)) = converted.get_mut("required") {
            required.retain(|name| name.as_str().is_none_or(|name| !hidden.contains(name)));
        }
        self.hidden.extend(hidden);
    }

    fn description(&mut self, object: &'a Object, converted: &mut Object) {
        if let Some(text) = object.get("description").and_then(Value::as_str) {
            let text = shortened(text, DESCRIPTION);
            if !text.is_empty() && self.take(text.len()) {
                converted.insert("description", text);
            }
        }
    }

    /// Permits `null` where a document of 3.0 does.
    fn nullable(&mut self, object: &'a Object, mut converted: Object) -> Value {
        let is_nullable = object.get("nullable").and_then(Value::as_bool) == Some(true);
        if self.resolver.version != Version::V3_0 || !is_nullable {
            return converted.into();
        }
        let restricts = |keyword: &&str| converted.contains_key(keyword);
        if !["$ref", "allOf", "anyOf", "not"].iter().any(restricts) {
            let kind = converted.get("type").and_then(Value::as_str);
            if let Some(kind) = kind.map(str::to_owned) {
                converted.insert("type", Value::Array(vec![kind.into(), "null".into()]));
            }
            if let Some(Value::Array(values)) = converted.get_mut("enum")
                && !values.iter().any(Value::is_null)
            {
                values.push(Value::Null);
            }
            return converted.into();
        }
        let null = Object::from([("type", "null")]);
        let mut either = Object::new();
        if let Some(text) = converted.remove("description") {
            either.insert("description", text);
        }
        either.insert("anyOf", Value::Array(vec![converted.into(), null.into()]));
        either.into()
    }
}

/// Does not require members that were left out elsewhere: a part of `allOf` may require what another
/// one describes.
fn not_required(hidden: &HashSet<String>, schema: &mut Object) {
    let own = match schema.get("properties") {
        Some(Value::Object(properties)) => properties.keys().map(str::to_owned).collect(),
        _ => HashSet::<String>::new(),
    };
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        let is_kept = |name: &str| own.contains(name) || !hidden.contains(name);
        required.retain(|name| name.as_str().is_none_or(is_kept));
    }
    for (keyword, value) in schema.iter_mut() {
        match (keyword, value) {
            ("const" | "default" | "enum" | "examples", _) => {}
            (
                "$defs" | "dependentSchemas" | "patternProperties" | "properties",
                Value::Object(parts),
            ) => {
                for (_, part) in parts.iter_mut() {
                    if let Some(part) = part.as_object_mut() {
                        not_required(hidden, part);
                    }
                }
            }
            (_, Value::Object(part)) => not_required(hidden, part),
            (_, Value::Array(parts)) => {
                let parts = parts.iter_mut().filter_map(Value::as_object_mut);
                parts.for_each(|part| not_required(hidden, part));
            }
            _ => {}
        }
    }
}

/// Does not refuse members that a schema names but that were left out.
fn without_rest(object: &Object, converted: &mut Object) {
    let count = |schema: &Object, keyword| match schema.get(keyword) {
        Some(Value::Object(members)) => members.len(),
        _ => 0,
    };
    if ["properties", "patternProperties"]
        .iter()
        .any(|keyword| count(object, keyword) != count(converted, keyword))
    {
        converted.remove("additionalProperties");
    }
}

/// Returns `true` if every value that fits a schema is an object. `fuel` bounds the number of schemas
/// that are looked at.
pub(super) fn is_object<'a>(resolver: &Resolver<'a>, schema: &'a Value, fuel: &mut u32) -> bool {
    let (Ok(schema), Some(left)) = (resolver.follow(schema), fuel.checked_sub(1)) else {
        return false;
    };
    *fuel = left;
    if schema.get("nullable").and_then(Value::as_bool) == Some(true) {
        return false;
    }
    match schema.get("type") {
        Some(Value::String(kind)) => return kind == "object",
        Some(Value::Array(kinds)) => {
            return matches!(kinds.as_slice(), [kind] if kind.as_str() == Some("object"));
        }
        _ => {}
    }
    // Documents leave out the type of objects with properties.
    if schema.get("properties").is_some() {
        return true;
    }
    let parts = |keyword| schema.get(keyword).and_then(Value::as_array);
    let mut is_one = |part: &'a Value| is_object(resolver, part, fuel);
    if let Some(parts) = parts("allOf")
        && parts.iter().take(64).any(&mut is_one)
    {
        return true;
    }
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(parts);
    let mut choices = choices.filter(|parts| !parts.is_empty());
    choices.any(|parts| parts.iter().all(&mut is_one))
}
