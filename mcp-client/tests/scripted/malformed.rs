//! Results with one malformed member each, drawn from the schema of a revision.

use std::path::Path;
use std::rc::Rc;

use mcp_client::types::Revision;
use serde_json::{Value, json};

/// A result with one malformed member.
pub(crate) struct Case {
    pub(crate) path: String,
    pub(crate) result: Value,
}

type Wrap = Rc<dyn Fn(Value) -> Value>;

/// The definitions of a schema.
pub(crate) struct Definitions(Value);

impl Definitions {
    pub(crate) fn read(revision: Revision) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp-types/tests/schemas");
        let text = std::fs::read_to_string(folder.join(format!("{revision}.json")));
        let mut schema: Value = serde_json::from_str(&text.expect("a schema")).expect("JSON");
        let name = ["$defs", "definitions"]
            .into_iter()
            .find(|name| !schema[name].is_null());
        Self(schema[name.expect("definitions")].take())
    }

    /// Returns `false` for a definition that the revision has not.
    pub(crate) fn has(&self, definition: &str) -> bool {
        !self.0[definition].is_null()
    }

    /// Returns `true` if an object has a member of this name.
    pub(crate) fn names(&self, member: &str) -> bool {
        self.0.to_string().contains(&format!("\"{member}\":"))
    }

    fn resolve<'a>(&'a self, node: &'a Value) -> &'a Value {
        match node["$ref"].as_str() {
            Some(target) => {
                let name = target.rsplit('/').next().unwrap_or_default();
                self.resolve(&self.0[name])
            }
            None => node,
        }
    }

    /// Returns the smallest value that is valid.
    fn smallest(&self, node: &Value) -> Value {
        let node = self.resolve(node);
        if !node["const"].is_null() {
            return node["const"].clone();
        }
        if let Some(first) = node["enum"].get(0) {
            return first.clone();
        }
        if let Some(first) = node["anyOf"].get(0) {
            return self.smallest(first);
        }
        match node["type"].as_str() {
            Some("string") if node["format"] == "uri" => json!("x:a"),
            Some("string") if node["format"] == "byte" => json!(""),
            Some("string") => json!("text"),
            Some("integer" | "number") => json!(0),
            Some("boolean") => json!(false),
            Some("array") => json!([]),
            Some("object") => {
                let required = node["required"].as_array().into_iter().flatten();
                let required = required.filter_map(Value::as_str);
                let member = |name: &str| self.smallest(&node["properties"][name]);
                let members = required.map(|name| (name.to_owned(), member(name)));
                Value::Object(members.collect())
            }
            _ => json!({}),
        }
    }

    /// Returns a value that is not valid, unless every value is.
    fn wrong(&self, node: &Value) -> Option<Value> {
        let node = self.resolve(node);
        if let Some(first) = node["anyOf"].get(0) {
            return self.wrong(first).map(|_| json!(true));
        }
        match node["type"].as_str()? {
            _ if node["enum"].is_array() => Some(json!("sepia")),
            "string" | "array" | "object" => Some(json!(7)),
            _ => Some(json!("many")),
        }
    }

    /// Collects a case for each optional member at any depth.
    fn collect(&self, node: &Value, path: &str, wrap: &Wrap, cases: &mut Vec<Case>) {
        let node = self.resolve(node);
        if path.matches(['.', '[']).count() > 8 || !is_enabled(node) {
            return;
        }
        for variant in node["anyOf"].as_array().into_iter().flatten() {
            self.collect(variant, path, wrap, cases);
        }
        if node["type"] == "array" {
            let outer = Rc::clone(wrap);
            let wrap: Wrap = Rc::new(move |value| outer(json!([value])));
            self.collect(&node["items"], &format!("{path}[0]"), &wrap, cases);
        }
        let base = self.smallest(node);
        for (name, member) in node["properties"].as_object().into_iter().flatten() {
            if !is_enabled(member) {
                continue;
            }
            let is_plain = name
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
            let path = if is_plain {
                format!("{path}.{name}")
            } else {
                format!("{path}['{name}']")
            };
            let (outer, base, name) = (Rc::clone(wrap), base.clone(), name.clone());
            let is_required = !base[&name].is_null();
            let wrap: Wrap = Rc::new(move |value| {
                let mut object = base.clone();
                object[&name] = value;
                outer(object)
            });
            if !is_required && let Some(wrong) = self.wrong(member) {
                let result = wrap(wrong);
                cases.push(Case {
                    path: path.clone(),
                    result,
                });
                if let Some(wrong) = self.wrong(&self.resolve(member)["items"]) {
                    let (path, result) = (path.clone(), wrap(json!([wrong])));
                    cases.push(Case { path, result });
                }
            }
            self.collect(member, &path, &wrap, cases);
        }
    }

    pub(crate) fn cases(&self, definition: &str) -> Vec<Case> {
        let mut cases = Vec::new();
        let wrap: Wrap = Rc::new(|value| value);
        self.collect(&self.0[definition], "$", &wrap, &mut cases);
        assert!(cases.len() > 2, "{definition}");
        cases
    }
}

/// Returns `false` for what a disabled proposal adds.
fn is_enabled(node: &Value) -> bool {
    cfg!(feature = "proposals") || matches!(node["x-feature"].as_str(), None | Some("tasks"))
}
