//! Finds places of an older revision in a newer one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::schema::prose::Kind;
use crate::schema::walk::reference_to;
use crate::schema::{Document, pointer, reference, walk, walk_mut};

/// The places of an older revision in a newer one.
pub(in crate::schema) struct Places {
    /// Definitions of the same form with another name.
    renamed: BTreeMap<String, String>,
}

impl Places {
    pub(in crate::schema) fn new(old: &Document, new: &Document) -> Self {
        Self {
            renamed: same_form(old, new),
        }
    }

    /// Returns the name of a definition in the newer revision.
    pub(in crate::schema) fn name<'a>(&'a self, name: &'a str) -> &'a str {
        self.renamed.get(name).map_or(name, String::as_str)
    }

    /// Returns a value with the new names of definitions.
    pub(super) fn renamed(&self, value: &Value) -> Value {
        let mut copy = value.clone();
        let rename = |schema: &mut Value| {
            walk_mut(schema, &mut |members| {
                let place = members.get_mut("$ref");
                if let Some(Value::String(text)) = place
                    && let Some(name) = text.strip_prefix("#/$defs/")
                    && let Some(new) = self.renamed.get(name)
                {
                    *text = reference_to(new);
                }
            });
        };
        match &mut copy {
            Value::Array(items) => items.iter_mut().for_each(rename),
            schema => rename(schema),
        }
        copy
    }

    /// Returns the pointer in the newer revision. A place that does not exist yet has one if what
    /// contains it exists.
    pub(in crate::schema) fn find(&self, old: &Value, new: &Value, at: &str) -> Option<String> {
        let tokens: Vec<String> = at.split('/').skip(1).map(pointer::unescape).collect();
        let (mut from, mut to) = (Some(old), new);
        let mut found = String::new();
        for (depth, token) in tokens.iter().enumerate() {
            let last = depth + 1 == tokens.len();
            let name = match (depth, to) {
                (0, _) => self.renamed.get(token).unwrap_or(token).clone(),
                (_, Value::Array(elements)) => {
                    let index = element(self, from, elements, token, &found)?;
                    index.to_string()
                }
                _ => token.clone(),
            };
            found = pointer::join(&found, &name);
            from = from.and_then(|value| member(value, token));
            match member(to, &name) {
                Some(value) => to = value,
                None if last && (to.is_object() || to.is_array()) => return Some(found),
                None => return None,
            }
        }
        Some(found)
    }
}

fn member<'a>(value: &'a Value, token: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(token),
        Value::Array(elements) => elements.get(token.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Returns the index of an element in the newer list: that of the equal element, or else the same
/// one if the newer list has an element there that the older list does not have.
fn element(
    places: &Places,
    old: Option<&Value>,
    elements: &[Value],
    token: &str,
    at: &str,
) -> Option<usize> {
    let index: usize = token.parse().ok()?;
    let before = old?.as_array()?;
    let Some(wanted) = before.get(index) else {
        // A place after the last element.
        return (index == before.len()).then_some(elements.len());
    };
    let kind = Kind::at(&pointer::join(at, token));
    let bare = |value: &Value| kind.bare(value);
    let wanted = places.renamed(&bare(wanted));
    let equal = elements.iter().position(|one| bare(one) == wanted);
    equal.or_else(|| {
        let candidate = bare(elements.get(index)?);
        let known = before
            .iter()
            .any(|one| places.renamed(&bare(one)) == candidate);
        (!known).then_some(index)
    })
}

/// Returns the definitions that have another name in the newer document: exactly one new definition
/// has the form of one that is gone, and wherever the old one was used, the new one is.
#[must_use]
pub fn renamed(old: &Document, new: &Document) -> BTreeMap<String, String> {
    let (before, after) = (uses(old), uses(new));
    let mut found = same_form(old, new);
    found.retain(|name, other| {
        let places = before.iter().filter(|(_, target)| target == name);
        let mut places = places.map(|(place, _)| place).peekable();
        places.peek().is_some()
            && places.all(|place| after.contains(&(place.clone(), other.clone())))
    });
    found
}

/// Returns the definitions that are gone, each with the only new definition that has its form.
fn same_form(old: &Document, new: &Document) -> BTreeMap<String, String> {
    let gone = || {
        let all = old.definitions.iter();
        all.filter(|(name, _)| !new.definitions.contains_key(*name))
    };
    let fresh = || {
        let all = new.definitions.iter();
        all.filter(|(name, _)| !old.definitions.contains_key(*name))
    };
    let form = |name: &str, schema: &Value| {
        // A definition may refer to itself.
        let mut bare = Kind::Schema.bare(schema);
        walk_mut(&mut bare, &mut |members| {
            if reference(&Value::Object(members.clone())) == Some(name) {
                members.insert("$ref".to_owned(), "itself".into());
            }
        });
        bare
    };
    let mut found = BTreeMap::new();
    for (name, schema) in gone() {
        let own = form(name, schema);
        let mut same = fresh().filter(|(other, schema)| form(other, schema) == own);
        let alone = gone().filter(|(other, schema)| form(other, schema) == own);
        if let (Some((other, _)), None, 1) = (same.next(), same.next(), alone.count()) {
            found.insert(name.clone(), other.clone());
        }
    }
    found
}

/// Returns the places of references, with the names to which they refer. All elements of a list
/// have the same place.
fn uses(document: &Document) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (name, schema) in &document.definitions {
        walk(schema, &pointer::join("", name), &mut |at, members| {
            if let Some(target) = reference(&Value::Object(members.clone())) {
                let number = |token: &str| token.bytes().all(|byte| byte.is_ascii_digit());
                let place = match at.rsplit_once('/') {
                    Some((list, token)) if number(token) => list,
                    _ => at,
                };
                found.insert((place.to_owned(), target.to_owned()));
            }
        });
    }
    found
}

/// Returns the variants of the unions to which a list of schemas refers, and of unions among them.
pub(super) fn variants<'a>(
    definitions: &'a Map<String, Value>,
    list: &'a [Value],
) -> Vec<&'a Value> {
    let mut found: Vec<&Value> = Vec::new();
    let mut open: Vec<&Value> = list.iter().collect();
    while let Some(schema) = open.pop() {
        let target = reference(schema).and_then(|name| definitions.get(name));
        let members = ["anyOf", "oneOf"]
            .into_iter()
            .find_map(|keyword| target?.get(keyword)?.as_array());
        for member in members.into_iter().flatten() {
            if !found.contains(&member) {
                found.push(member);
                open.push(member);
            }
        }
    }
    found
}
