//! Collects the definitions of a document: those that it lists, its root, and every other schema to
//! which a reference leads.

mod index;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use heck::ToUpperCamelCase;
use serde_json::{Map, Value, json};

use super::keyword::{Holds, holds, is_in, restricts};
use super::pointer;
use super::walk::reference_to;
use index::Index;

/// A reference that leads to nothing.
pub(super) struct Dangling {
    /// JSON pointer to the reference.
    pub(super) pointer: String,
    /// The reference as it is written.
    pub(super) reference: String,
}

/// Returns the definitions of a document, in the order of the file. References to them have the
/// form `#/$defs/Name`; references to other documents are kept as they are.
///
/// The root comes last. A schema elsewhere to which a reference leads becomes a definition, too.
pub(super) fn gather(root: &Value, name: RootName<'_>) -> Result<Gathering, Dangling> {
    let mut gathered = Gathered {
        root,
        root_name: name,
        index: Index::of(root),
        names: BTreeMap::new(),
        taken: BTreeSet::new(),
        definitions: Map::new(),
        ignored: RefCell::default(),
    };
    gathered.name_listed();
    gathered.name_root();
    gathered.name_targets()?;
    for (pointer, name) in gathered.names.clone() {
        let target = root.pointer(&pointer).cloned().unwrap_or_default();
        let base = gathered.index.base(&pointer);
        let schema = gathered.content(&target, &pointer, &base);
        gathered.definitions.insert(name, schema);
    }
    let left_out = gathered.ignored.take();
    let names = gathered.names.clone();
    let definitions = gathered.in_order();
    let ignored = left_out.into_iter().filter_map(|(at, keyword)| {
        let starts = at.match_indices('/').map(|(end, _)| &at[..end]);
        let mut all: Vec<&str> = starts.chain([at.as_str()]).collect();
        all.retain(|at| names.contains_key(*at));
        let start = *all.last()?;
        Some(Ignored {
            definition: definitions.keys().position(|name| *name == names[start])?,
            at: at[start.len()..].to_owned(),
            keyword,
        })
    });
    Ok(Gathering {
        root: names.get("").cloned(),
        ignored: ignored.collect(),
        definitions,
    })
}

/// The name of the root of a document, if it becomes a type.
#[derive(Clone, Copy)]
pub(super) enum RootName<'a> {
    /// This name.
    Chosen(&'a str),
    /// The name in its `title`, or else that of the file.
    OfFile(&'a str),
}

/// The definitions of a document.
pub(super) struct Gathering {
    pub(super) definitions: Map<String, Value>,
    /// The name of the definition that is the root of the document.
    pub(super) root: Option<String>,
    pub(super) ignored: Vec<Ignored>,
}

/// A keyword that the draft of a document does not have.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ignored {
    /// The position of the definition.
    pub(super) definition: usize,
    /// JSON pointer to the schema from there.
    pub(super) at: String,
    pub(super) keyword: String,
}

struct Gathered<'a> {
    root: &'a Value,
    root_name: RootName<'a>,
    index: Index,
    /// The names of the definitions by JSON pointer.
    names: BTreeMap<String, String>,
    /// All names in `names`.
    taken: BTreeSet<String>,
    definitions: Map<String, Value>,
    /// The keywords that were left out, with the JSON pointers of their schemas.
    ignored: RefCell<Vec<(String, String)>>,
}

impl Gathered<'_> {
    fn add(&mut self, at: &str, name: &str) {
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        let name = candidates.find(|name| !self.taken.contains(name));
        let name = name.unwrap_or_else(|| at.to_owned());
        self.taken.insert(name.clone());
        self.names.insert(at.to_owned(), name);
    }

    fn name_listed(&mut self) {
        let root = self.root;
        for keyword in ["definitions", "$defs"] {
            for name in root
                .get(keyword)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                let at = pointer::join(&format!("/{keyword}"), name.0);
                self.add(&at, name.0);
            }
        }
    }

    fn name_root(&mut self) {
        let is_list = |keyword: &str| matches!(keyword, "definitions" | "$defs");
        let has_list = ["definitions", "$defs"]
            .iter()
            .any(|keyword| self.root.get(*keyword).is_some());
        let members = self.root.as_object().into_iter().flatten();
        // A root that only lists definitions often says that it is an object, too.
        let mut content = members.filter(|(keyword, value)| {
            restricts(keyword) && !is_list(keyword) && (*keyword != "type" || *value != "object")
        });
        if !has_list || content.next().is_some() {
            self.add("", &self.root_name(None));
        }
    }

    /// Returns the name of the root. `reserve` replaces the name of the file.
    fn root_name(&self, reserve: Option<&str>) -> String {
        let name = match self.root_name {
            RootName::Chosen(name) => return name.to_owned(),
            RootName::OfFile(name) => name,
        };
        let title = self.root.get("title").and_then(Value::as_str);
        let title = title.filter(|title| title.len() <= 40);
        let name = title.or(reserve).unwrap_or(name);
        name.to_upper_camel_case()
    }

    /// Names the schemas to which references lead.
    fn name_targets(&mut self) -> Result<(), Dangling> {
        for (at, reference) in self.index.references.clone() {
            let Some(target) = self.index.target(&reference, &self.index.base(&at)) else {
                // An anchor or a pointer of this document has to exist.
                if reference.starts_with('#') {
                    return Err(Dangling {
                        pointer: pointer::join(&at, "$ref"),
                        reference,
                    });
                }
                continue;
            };
            if self.names.contains_key(&target) {
                continue;
            }
            let found = self.root.pointer(&target);
            if !found.is_some_and(|found| found.is_object() || found.is_boolean()) {
                return Err(Dangling {
                    pointer: pointer::join(&at, "$ref"),
                    reference,
                });
            }
            if target.is_empty() {
                self.add("", &self.root_name(Some("Root")));
            } else {
                self.add(&target, &position_name(&target));
            }
        }
        Ok(())
    }

    /// Returns a schema with the references in the form that is used in memory, without the
    /// definitions inside it.
    fn content(&self, schema: &Value, at: &str, base: &str) -> Value {
        let Value::Object(members) = schema else {
            return schema.clone();
        };
        let base = self.index.bases.get(at).map_or(base, String::as_str);
        let mut all = Map::new();
        // The second reference, and others: all of them hold.
        let mut others = Vec::new();
        for (keyword, value) in members {
            let place = pointer::join(at, keyword);
            if !is_in(self.index.draft, keyword, value) {
                let ignored = (at.to_owned(), keyword.clone());
                self.ignored.borrow_mut().push(ignored);
                continue;
            }
            let inner = |schema: &Value, at: &str| match self.names.get(at) {
                Some(name) => reference_value(name),
                None => self.content(schema, at, base),
            };
            let value = match (holds(keyword), value) {
                _ if matches!(keyword.as_str(), "definitions" | "$defs") => continue,
                _ if at.is_empty() && keyword == "$schema" => continue,
                // Which schema is meant depends on the way that led here.
                (Holds::Reference, Value::String(text))
                    if keyword == "$dynamicRef" && self.index.is_ambiguous(text) =>
                {
                    value.clone()
                }
                (Holds::Reference, Value::String(text)) => {
                    let target = self.index.target(text, base);
                    let name = target.and_then(|target| self.names.get(&target));
                    let text = name.map_or_else(|| text.clone(), |name| reference_to(name));
                    if all.contains_key("$ref") {
                        others.push(json!({ "$ref": text }));
                    } else {
                        all.insert("$ref".to_owned(), text.into());
                    }
                    continue;
                }
                (Holds::SchemaList | Holds::SchemaOrList, Value::Array(schemas)) => schemas
                    .iter()
                    .enumerate()
                    .map(|(number, schema)| inner(schema, &format!("{place}/{number}")))
                    .collect(),
                (Holds::SchemaMap | Holds::SchemaOrNamesMap, Value::Object(schemas)) => schemas
                    .iter()
                    .map(|(name, schema)| {
                        (name.clone(), inner(schema, &pointer::join(&place, name)))
                    })
                    .collect(),
                (Holds::Schema | Holds::SchemaOrList, schema) => inner(schema, &place),
                _ => value.clone(),
            };
            all.insert(keyword.clone(), value);
        }
        if !others.is_empty() {
            match all.get_mut("allOf") {
                Some(Value::Array(parts)) => parts.append(&mut others),
                _ => {
                    all.insert("allOf".to_owned(), others.into());
                }
            }
        }
        Value::Object(all)
    }

    /// Returns the definitions in the order of the file: those that it lists, the root, and others.
    fn in_order(mut self) -> Map<String, Value> {
        let mut ordered = Map::new();
        let mut take = |name: &String| {
            if let Some(schema) = self.definitions.shift_remove(name) {
                ordered.insert(name.clone(), schema);
            }
        };
        for keyword in ["definitions", "$defs"] {
            let listed = self.root.get(keyword).and_then(Value::as_object);
            for (name, _) in listed.into_iter().flatten() {
                let at = pointer::join(&format!("/{keyword}"), name);
                self.names.get(&at).into_iter().for_each(&mut take);
            }
        }
        self.names.get("").into_iter().for_each(&mut take);
        self.names.values().for_each(&mut take);
        ordered
    }
}

fn reference_value(name: &str) -> Value {
    Value::Object(Map::from_iter([(
        "$ref".to_owned(),
        Value::String(reference_to(name)),
    )]))
}

/// Returns a name for a schema from its JSON pointer: the last two names in it.
fn position_name(at: &str) -> String {
    let tokens = at.split('/').map(pointer::unescape);
    let words: Vec<String> = tokens
        .filter(|token| {
            !token.is_empty()
                && holds(token) == Holds::Unknown
                && !token.chars().all(|c| c.is_ascii_digit())
        })
        .collect();
    let from = words.len().saturating_sub(2);
    let name = words[from..].join(" ").to_upper_camel_case();
    if name.is_empty() {
        "Inner".to_owned()
    } else {
        name
    }
}
