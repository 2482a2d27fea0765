//! Collects the definitions of a document: those that it lists, its root, and every other schema to
//! which a reference leads.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToUpperCamelCase;
use serde_json::{Map, Value};

use super::dialect::Dialect;
use super::keyword::{Holds, holds, restricts};
use super::pointer;
use super::walk::{for_each_inner, reference_to};

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
    let mut index = Index {
        is_draft07: Dialect::of(root) == Dialect::Draft07,
        ..Index::default()
    };
    index.enter(root, "", "");
    let mut gathered = Gathered {
        root,
        root_name: name,
        index,
        names: BTreeMap::new(),
        taken: BTreeSet::new(),
        definitions: Map::new(),
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
    Ok(Gathering {
        root: gathered.names.get("").cloned(),
        definitions: gathered.in_order(),
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
}

/// Where the schemas of a document are.
#[derive(Default)]
struct Index {
    is_draft07: bool,
    /// How many schemas have each `$dynamicAnchor`.
    dynamic: BTreeMap<String, usize>,
    /// The base URI of each schema that has one of its own, by JSON pointer.
    bases: BTreeMap<String, String>,
    /// The JSON pointers of schemas with a URI: `$id`, or `$anchor` as its fragment.
    uris: BTreeMap<String, String>,
    /// The references, by JSON pointer of the schema.
    references: Vec<(String, String)>,
}

impl Index {
    fn enter(&mut self, schema: &Value, at: &str, base: &str) {
        let Value::Object(members) = schema else {
            return;
        };
        let text = |keyword| members.get(keyword).and_then(Value::as_str);
        let mut base = base.to_owned();
        if at.is_empty() {
            self.uris.insert(String::new(), String::new());
            self.bases.insert(String::new(), String::new());
        }
        // In this dialect, what stands beside a reference has no effect.
        let is_hidden = self.is_draft07 && members.contains_key("$ref") && !at.is_empty();
        let id = text("$id").or_else(|| text("id").filter(|_| at.is_empty()));
        if let Some(id) = id.filter(|_| !is_hidden) {
            if let Some(anchor) = id.strip_prefix('#') {
                self.name(&base, anchor, at);
            } else {
                base = join(&base, id.trim_end_matches('#'));
                self.bases.insert(at.to_owned(), base.clone());
                self.uris.insert(base.clone(), at.to_owned());
            }
        }
        for anchor in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = text(anchor) {
                self.name(&base, anchor, at);
            }
        }
        if let Some(anchor) = text("$dynamicAnchor") {
            *self.dynamic.entry(anchor.to_owned()).or_default() += 1;
        }
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = text(keyword) {
                let place = (at.to_owned(), reference.to_owned());
                self.references.push(place);
            }
        }
        for_each_inner(members, at, &mut |at, schema| {
            self.enter(schema, at, &base);
        });
    }

    fn name(&mut self, base: &str, anchor: &str, at: &str) {
        self.uris.insert(format!("{base}#{anchor}"), at.to_owned());
    }

    /// Returns `true` if several schemas have the anchor to which a `$dynamicRef` leads.
    fn is_ambiguous(&self, reference: &str) -> bool {
        let anchor = reference.rsplit('#').next().unwrap_or_default();
        self.dynamic.get(anchor).is_some_and(|count| *count > 1)
    }

    /// Returns the base URI at a JSON pointer.
    fn base(&self, at: &str) -> String {
        let mut at = at;
        loop {
            if let Some(base) = self.bases.get(at) {
                return base.clone();
            }
            let Some((outer, _)) = at.rsplit_once('/') else {
                return String::new();
            };
            at = outer;
        }
    }

    /// Returns the JSON pointer to which a reference leads, or `None` if it leads to another
    /// document.
    fn target(&self, reference: &str, base: &str) -> Option<String> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let uri = if uri.is_empty() {
            base.to_owned()
        } else {
            join(base, uri)
        };
        let fragment = percent_decoded(fragment)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(format!("{}{fragment}", self.uris.get(&uri)?));
        }
        self.uris.get(&format!("{uri}#{fragment}")).cloned()
    }
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
        for (keyword, value) in members {
            let place = pointer::join(at, keyword);
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
                    all.insert("$ref".to_owned(), text.into());
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

/// Resolves a relative URI, as far as schemas need it.
fn join(base: &str, uri: &str) -> String {
    let is_absolute = uri.contains("://") || uri.starts_with("urn:");
    match base.rsplit_once('/') {
        Some((folder, _)) if !is_absolute => format!("{folder}/{uri}"),
        _ => uri.to_owned(),
    }
}

/// Decodes the fragment of a URI. Returns `None` if it is not valid.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
