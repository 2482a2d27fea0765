//! The definitions of one revision.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use super::node::{BOTTOMLESS, Node, compile};
use super::valid::Validator;

/// The definitions of one revision, ready to be drawn from.
#[derive(Debug)]
pub(crate) struct Schemas {
    definitions: Map<String, Value>,
    nodes: BTreeMap<String, Node>,
    depths: BTreeMap<String, usize>,
    names: Vec<String>,
    tags: Vec<String>,
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

impl Schemas {
    /// Takes the map of definitions; references in it may say `$defs` or `definitions`.
    ///
    /// # Panics
    /// When the definitions say something that this module does not understand.
    pub(crate) fn new(definitions: Map<String, Value>) -> Arc<Self> {
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
            nodes,
            names: names.into_iter().collect(),
            tags: tags.into_iter().collect(),
            validators: Mutex::default(),
        })
    }

    /// Reads a published schema, or one of ours.
    ///
    /// # Panics
    /// When the file cannot be read or is no schema of definitions.
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

    /// The file with a revision's structure: the project's own, else the published one beside the
    /// project, else none.
    pub(crate) fn file(revision: &str) -> Option<PathBuf> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.parent()?;
        let own = root.join("schema").join(revision).join("schema.json");
        let beside = package
            .ancestors()
            .map(|dir| dir.join("shared/spec").join(revision));
        std::iter::once(own)
            .chain(beside.map(|dir| dir.join("schema.json")))
            .find(|file| file.is_file())
    }

    /// The names of all definitions.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &str> {
        self.definitions.keys().map(String::as_str)
    }

    /// Whether the schema accepts this value as an instance of that definition.
    pub(crate) fn is_valid(&self, name: &str, value: &Value) -> bool {
        self.validator(name).is_valid(value)
    }

    /// The validator of a definition, built at the first call.
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

    /// What is drawn for the definition of that name.
    ///
    /// # Panics
    /// When there is no such definition.
    pub(crate) fn node(&self, name: &str) -> &Node {
        self.nodes
            .get(name)
            .unwrap_or_else(|| panic!("no definition {name}"))
    }

    /// How deep the smallest instance of a node is.
    pub(crate) fn depth(&self, node: &Node) -> usize {
        node.depth(&self.depths)
    }

    /// Every member name that some definition declares.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Every string that is a constant or an enumerated value somewhere.
    pub(crate) fn tags(&self) -> &[String] {
        &self.tags
    }
}

/// The depth of the smallest instance of each definition, found by repeating until nothing sinks.
fn depths(nodes: &BTreeMap<String, Node>) -> BTreeMap<String, usize> {
    let mut depths: BTreeMap<String, usize> = nodes
        .keys()
        .map(|name| (name.clone(), BOTTOMLESS))
        .collect();
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
