//! Applies facts to a published schema.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Facts, FactsError, Variant};
use crate::schema::error::describe_value;
use crate::schema::prose::{Kind, with_texts_of};
use crate::schema::walk::reference_to;
use crate::schema::{Document, pointer, reference};

impl Facts {
    /// Applies all facts. If one of them fails, the document is unchanged.
    ///
    /// # Errors
    ///
    /// Returns the first fact whose place does not exist or has something else, or
    /// [`FactsError::InvalidResult`] if the result is not a valid schema.
    pub fn apply(&self, document: &mut Document) -> Result<(), FactsError> {
        let mut work = Work {
            facts: self,
            published: &document.definitions,
            root: Value::Object(document.definitions.clone()),
        };
        work.apply()?;
        if let Value::Object(definitions) = work.root {
            let complete = Document {
                definitions,
                ..document.clone()
            };
            complete
                .check()
                .map_err(|source| FactsError::InvalidResult {
                    file: self.file.clone(),
                    source,
                })?;
            *document = complete;
        }
        Ok(())
    }
}

struct Work<'a> {
    facts: &'a Facts,
    published: &'a Map<String, Value>,
    root: Value,
}

impl Work<'_> {
    fn apply(&mut self) -> Result<(), FactsError> {
        let facts = self.facts;
        for (at, order) in &facts.members {
            self.members(at, order)?;
        }
        for (at, order) in &facts.values {
            self.values(at, order)?;
        }
        for at in &facts.open {
            self.open(at)?;
        }
        for at in &facts.nullable {
            self.nullable(at)?;
        }
        for at in &facts.deprecated {
            let schema = self.schema("deprecated", at)?;
            schema.insert("deprecated".to_owned(), Value::Bool(true));
        }
        for (category, names) in &facts.categories {
            if let Some(name) = names
                .iter()
                .find(|name| !self.published.contains_key(*name))
            {
                let pointer = pointer::join("", name);
                return Err(self.no_place("categories", &format!("{pointer} ({category})")));
            }
        }
        // What follows replaces whole schemas, so that other facts do not find their places inside
        // of them any more. Inner places come first.
        for (at, known) in &facts.known_values {
            self.known_values(at, known)?;
        }
        for (name, places) in &facts.references {
            for at in places {
                self.reference(at, name)?;
            }
        }
        for (at, variants) in facts.unions.iter().rev() {
            self.union(at, variants)?;
        }
        Ok(())
    }

    fn members(&mut self, at: &str, order: &[String]) -> Result<(), FactsError> {
        let schema = self.schema("members", at)?;
        let Some(Value::Object(members)) = schema.get_mut("properties") else {
            let found = Value::Object(schema.clone());
            return Err(self.mismatch("members", at, "members".to_owned(), Some(&found)));
        };
        let mut ordered = Map::new();
        for name in order {
            if let Some((name, member)) = members.get_key_value(name) {
                ordered.insert(name.clone(), member.clone());
            }
        }
        if ordered.len() != members.len() || order.len() != members.len() {
            let present: Vec<&String> = members.keys().collect();
            let found = json!(present);
            return Err(self.mismatch("members", at, set(order), Some(&found)));
        }
        *members = ordered;
        Ok(())
    }

    fn values(&mut self, at: &str, order: &[String]) -> Result<(), FactsError> {
        let schema = self.schema("values", at)?;
        let found = schema.get("enum").cloned();
        let wanted: BTreeSet<&str> = order.iter().map(String::as_str).collect();
        let present = found.as_ref().and_then(Value::as_array);
        let equal = present.is_some_and(|present| {
            let names: BTreeSet<&str> = present.iter().filter_map(Value::as_str).collect();
            names == wanted && present.len() == order.len()
        });
        if !equal {
            return Err(self.mismatch("values", at, set(order), found.as_ref()));
        }
        schema.insert("enum".to_owned(), json!(order));
        Ok(())
    }

    fn known_values(&mut self, at: &str, known: &[String]) -> Result<(), FactsError> {
        let kind = "known_values";
        let schema = Value::Object(self.schema(kind, at)?.clone());
        if Kind::Schema.bare(&schema).get("type") != Some(&json!("string")) {
            return Err(self.mismatch(kind, at, "a string".to_owned(), Some(&schema)));
        }
        let known = json!({"anyOf": [{"type": "string", "enum": known}, {"type": "string"}]});
        self.replace(at, &known);
        Ok(())
    }

    fn open(&mut self, at: &str) -> Result<(), FactsError> {
        let schema = self.schema("open", at)?;
        let found = schema.get("additionalProperties").cloned();
        let is_object = schema.get("type") == Some(&json!("object"));
        if !is_object || found.as_ref().is_some_and(|value| *value != json!({})) {
            let found = found.unwrap_or_else(|| Value::Object(schema.clone()));
            let expected = "an object without further members".to_owned();
            return Err(self.mismatch("open", at, expected, Some(&found)));
        }
        schema.insert("additionalProperties".to_owned(), json!({}));
        Ok(())
    }

    fn nullable(&mut self, at: &str) -> Result<(), FactsError> {
        let schema = self.schema("nullable", at)?;
        let null = json!("null");
        match schema.get_mut("type") {
            Some(Value::Array(types)) => {
                if !types.contains(&null) {
                    types.push(null);
                }
            }
            Some(one) if one.is_string() => *one = Value::from(vec![one.clone(), null]),
            other => {
                let found = other.cloned();
                let expected = "a list of types".to_owned();
                return Err(self.mismatch("nullable", at, expected, found.as_ref()));
            }
        }
        Ok(())
    }

    fn reference(&mut self, at: &str, name: &str) -> Result<(), FactsError> {
        let kind = "references";
        let Some(found) = place(self.published, at) else {
            return Err(self.no_place(kind, at));
        };
        if !same(self.published, found, name) {
            return Err(self.mismatch(kind, at, format!("the type `{name}`"), Some(found)));
        }
        self.replace(at, &json!({"$ref": reference_to(name)}));
        Ok(())
    }

    fn union(&mut self, at: &str, variants: &[Variant]) -> Result<(), FactsError> {
        let kind = "unions";
        let Some(found) = place(self.published, at) else {
            return Err(self.no_place(kind, at));
        };
        let list = [found.clone()];
        let (keyword, published) = variants_of(found).unwrap_or(("anyOf", &list));
        let mut listed = Vec::new();
        let mut covered: BTreeSet<usize> = BTreeSet::new();
        for variant in variants {
            match variant {
                Variant::Name(name) => {
                    let accepted = accepted(self.published, name);
                    let matches = |one: &Value| {
                        same(self.published, one, name)
                            || accepted
                                .iter()
                                .any(|other| Kind::Schema.bare(other) == Kind::Schema.bare(one))
                    };
                    let before = covered.len();
                    let indexes = published.iter().enumerate();
                    covered.extend(
                        indexes
                            .filter(|(_, one)| matches(one))
                            .map(|(index, _)| index),
                    );
                    if covered.len() == before {
                        let expected = format!("a variant that is part of `{name}`");
                        return Err(self.mismatch(kind, at, expected, Some(found)));
                    }
                    listed.push(json!({"$ref": reference_to(name)}));
                }
                Variant::Published(index) => {
                    let inner = format!("{at}/{keyword}/{index}");
                    // With its own facts.
                    let Some(variant) = self.root.pointer(&inner) else {
                        return Err(self.no_place(kind, &inner));
                    };
                    listed.push(variant.clone());
                    covered.insert(*index);
                }
            }
        }
        if let Some(lost) = (0..published.len()).find(|index| !covered.contains(index)) {
            let expected = "a variant that one of the names covers".to_owned();
            let pointer = format!("{at}/{keyword}/{lost}");
            return Err(self.mismatch(kind, &pointer, expected, published.get(lost)));
        }
        let mut union = Map::new();
        union.insert(keyword.to_owned(), listed.into());
        self.replace(at, &Value::Object(union));
        Ok(())
    }

    fn schema(
        &mut self,
        kind: &'static str,
        at: &str,
    ) -> Result<&mut Map<String, Value>, FactsError> {
        if Kind::at(at) != Kind::Schema || place(self.published, at).is_none() {
            return Err(self.no_place(kind, at));
        }
        let file = &self.facts.file;
        match self.root.pointer_mut(at) {
            Some(Value::Object(schema)) => Ok(schema),
            _ => Err(FactsError::NoPlace {
                file: file.clone(),
                kind,
                pointer: at.to_owned(),
            }),
        }
    }

    /// Replaces a schema. Its texts and its deprecation are kept.
    fn replace(&mut self, at: &str, new: &Value) {
        if let Some(old) = self.root.pointer_mut(at) {
            let mut new = with_texts_of(old, new);
            if let (Some(mark), Value::Object(new)) = (old.get("deprecated"), &mut new) {
                new.insert("deprecated".to_owned(), mark.clone());
            }
            *old = new;
        }
    }

    fn no_place(&self, kind: &'static str, at: &str) -> FactsError {
        FactsError::NoPlace {
            file: self.facts.file.clone(),
            kind,
            pointer: at.to_owned(),
        }
    }

    fn mismatch(
        &self,
        kind: &'static str,
        at: &str,
        expected: String,
        found: Option<&Value>,
    ) -> FactsError {
        FactsError::Mismatch {
            file: self.facts.file.clone(),
            kind,
            pointer: at.to_owned(),
            expected,
            found: describe_value(found),
        }
    }
}

fn set(names: &[String]) -> String {
    format!(
        "these, in any order: {}",
        describe_value(Some(&json!(names)))
    )
}

/// Returns the value at a JSON pointer below the definitions.
#[must_use]
pub fn place<'a>(definitions: &'a Map<String, Value>, at: &str) -> Option<&'a Value> {
    let mut tokens = at.strip_prefix('/')?.splitn(2, '/');
    let definition = definitions.get(&pointer::unescape(tokens.next()?))?;
    match tokens.next() {
        Some(rest) => definition.pointer(&format!("/{rest}")),
        None => Some(definition),
    }
}

/// Returns the keyword and the variants of a union.
#[must_use]
pub fn variants_of(schema: &Value) -> Option<(&'static str, &[Value])> {
    ["anyOf", "oneOf"].into_iter().find_map(|keyword| {
        let variants = schema.get(keyword)?.as_array()?;
        Some((keyword, variants.as_slice()))
    })
}

/// Returns `true` if a schema refers to a definition or has its form.
fn same(definitions: &Map<String, Value>, schema: &Value, name: &str) -> bool {
    reference(schema) == Some(name)
        || definitions
            .get(name)
            .is_some_and(|other| Kind::Schema.bare(other) == Kind::Schema.bare(schema))
}

/// Returns the variants of the union with this name, and of the unions among them.
#[must_use]
pub fn accepted<'a>(definitions: &'a Map<String, Value>, name: &str) -> Vec<&'a Value> {
    let mut found: Vec<&Value> = Vec::new();
    let mut open: Vec<&Value> = definitions.get(name).into_iter().collect();
    while let Some(schema) = open.pop() {
        for variant in variants_of(schema).into_iter().flat_map(|(_, list)| list) {
            if !found.contains(&variant) {
                found.push(variant);
                open.extend(reference(variant).and_then(|name| definitions.get(name)));
            }
        }
    }
    found
}
