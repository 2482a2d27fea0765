//! The definitions of one revision.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use super::node::{Node, UNBOUNDED, compile};
use super::valid::Validator;

/// The definitions of one revision, compiled for the generators.
#[derive(Debug)]
pub(crate) struct Schemas {
    definitions: Map<String, Value>,
    /// Whether the types treat `null` as an absent member.
    pub(super) null_as_absent: bool,
    nodes: BTreeMap<String, Node>,
    depths: BTreeMap<String, usize>,
    names: Vec<String>,
    tags: Vec<String>,
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

impl Schemas {
    /// Creates the schemas from the map of definitions. References may use `$defs` or
    /// `definitions`.
    ///
    /// # Panics
    ///
    /// Panics if the definitions use something that this module does not support.
    pub(crate) fn new(definitions: Map<String, Value>) -> Arc<Self> {
        Self::with(definitions, true)
    }

    /// The same for types to which `null` is not an absent member.
    ///
    /// # Panics
    ///
    /// Panics as [`new`](Self::new) does.
    pub(crate) fn exact(definitions: Map<String, Value>) -> Arc<Self> {
        Self::with(definitions, false)
    }

    fn with(definitions: Map<String, Value>, null_as_absent: bool) -> Arc<Self> {
        let nodes: BTreeMap<String, Node> = definitions
            .iter()
            .map(|(name, schema)| (name.clone(), compile(&definitions, schema)))
            .collect();
        let (mut names, mut tags) = (BTreeSet::new(), BTreeSet::new());
        for node in nodes.values() {
            collect(node, &mut names, &mut tags);
        }
        Arc::new(Schemas {
            depths: depths(&nodes),
            definitions,
            null_as_absent,
            nodes,
            names: names.into_iter().collect(),
            tags: tags.into_iter().collect(),
            validators: Mutex::default(),
        })
    }

    /// Loads a published schema, or one of ours.
    ///
    /// # Panics
    ///
    /// Panics if the file cannot be read or is not a schema with definitions.
    pub(crate) fn load(file: &Path) -> Arc<Self> {
        let fail = |why: &dyn std::fmt::Display| -> ! { panic!("{}: {why}", file.display()) };
        let text = std::fs::read_to_string(file).unwrap_or_else(|why| fail(&why));
        let mut schema: Value = serde_json::from_str(&text).unwrap_or_else(|why| fail(&why));
        for keyword in ["$defs", "definitions"] {
            if let Some(Value::Object(definitions)) = schema.get_mut(keyword) {
                return Self::new(std::mem::take(definitions));
            }
        }
        fail(&"neither $defs nor definitions")
    }

    /// Returns the file with the structure of a revision.
    pub(crate) fn file(revision: &str) -> Option<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
        let file = root.join("schema").join(revision).join("schema.json");
        file.is_file().then_some(file)
    }

    /// Returns the names of all definitions.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &str> {
        self.definitions.keys().map(String::as_str)
    }

    /// Returns `true` if the value is a valid instance of the definition.
    pub(crate) fn is_valid(&self, name: &str, value: &Value) -> bool {
        self.validator(name).is_valid(value)
    }

    /// Returns the validator of a definition, which is created by the first call.
    pub(crate) fn validator(&self, name: &str) -> Arc<Validator> {
        let mut validators = self
            .validators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = validators.get(name) {
            return Arc::clone(validator);
        }
        let validator = Arc::new(Validator::new(&self.definitions, name));
        validators.insert(name.to_owned(), Arc::clone(&validator));
        validator
    }

    /// Returns the compiled definition with that name.
    ///
    /// # Panics
    ///
    /// Panics if there is no such definition.
    pub(crate) fn node(&self, name: &str) -> &Node {
        self.nodes
            .get(name)
            .unwrap_or_else(|| panic!("no definition {name}"))
    }

    /// Returns the depth of the smallest instance of a node.
    pub(crate) fn depth(&self, node: &Node) -> usize {
        node.depth(&self.depths)
    }

    /// Returns every member name that some definition declares.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns every string that is a constant or an enumerated value.
    pub(crate) fn tags(&self) -> &[String] {
        &self.tags
    }
}

/// Computes the depth of the smallest instance of each definition, repeating until no depth
/// decreases.
fn depths(nodes: &BTreeMap<String, Node>) -> BTreeMap<String, usize> {
    let mut depths: BTreeMap<String, usize> =
        nodes.keys().map(|name| (name.clone(), UNBOUNDED)).collect();
    loop {
        let next: BTreeMap<String, usize> = nodes
            .iter()
            .map(|(name, node)| (name.clone(), node.depth(&depths)))
            .collect();
        if next == depths {
            return depths;
        }
        depths = next;
    }
}

fn collect(node: &Node, names: &mut BTreeSet<String>, tags: &mut BTreeSet<String>) {
    match node {
        Node::Union { variants, .. } => variants.iter().for_each(|v| collect(v, names, tags)),
        Node::Array { items, .. } => collect(items, names, tags),
        Node::Enum(values) => {
            tags.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
        }
        Node::Object { members, rest } => {
            names.extend(members.keys().cloned());
            for member in members.values() {
                collect(&member.node, names, tags);
            }
            collect(rest, names, tags);
        }
        _ => {}
    }
}
