//! [`Index`]: where the schemas of a document are, and where references lead.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::dialect::{Dialect, Draft};
use super::super::keyword::is_in;
use super::super::pointer;
use super::super::walk::for_each_inner;

/// Where the schemas of a document are.
#[derive(Default)]
pub(super) struct Index {
    is_draft07: bool,
    pub(super) draft: Option<Draft>,
    /// How many schemas have each `$dynamicAnchor`.
    dynamic: BTreeMap<String, usize>,
    /// The base URI of each schema that has one of its own, by JSON pointer.
    pub(super) bases: BTreeMap<String, String>,
    /// The JSON pointers of schemas with a URI: `$id`, or `$anchor` as its fragment.
    uris: BTreeMap<String, String>,
    /// The references, by JSON pointer of the schema.
    pub(super) references: Vec<(String, String)>,
}

impl Index {
    pub(super) fn of(root: &Value) -> Self {
        let mut index = Self {
            is_draft07: Dialect::of(root) == Dialect::Draft07,
            draft: Draft::of(root),
            ..Self::default()
        };
        index.enter(root, "", "");
        index
    }

    fn enter(&mut self, schema: &Value, at: &str, base: &str) {
        let Value::Object(members) = schema else {
            return;
        };
        let draft = self.draft;
        let known = |keyword: &str| members.get(keyword).filter(|it| is_in(draft, keyword, it));
        let text = |keyword| known(keyword).and_then(Value::as_str);
        let mut base = base.to_owned();
        if at.is_empty() {
            self.uris.insert(String::new(), String::new());
            self.bases.insert(String::new(), String::new());
        }
        // In this dialect, what stands beside a reference has no effect.
        let is_hidden = self.is_draft07 && members.contains_key("$ref") && !at.is_empty();
        // In draft 04, the keyword is `id`, without `$`.
        let has_plain = at.is_empty() || draft == Some(Draft::Draft04);
        let id = text("$id").or_else(|| text("id").filter(|_| has_plain));
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
        for_each_inner(members, at, &mut |place, schema| {
            let keyword = place[at.len() + 1..].split('/').next().unwrap_or_default();
            let keyword = pointer::unescape(keyword);
            let value = members.get(&keyword).unwrap_or(schema);
            if is_in(draft, &keyword, value) {
                self.enter(schema, place, &base);
            }
        });
    }

    fn name(&mut self, base: &str, anchor: &str, at: &str) {
        self.uris.insert(format!("{base}#{anchor}"), at.to_owned());
    }

    /// Returns `true` if several schemas have the anchor to which a `$dynamicRef` leads.
    pub(super) fn is_ambiguous(&self, reference: &str) -> bool {
        let anchor = reference.rsplit('#').next().unwrap_or_default();
        self.dynamic.get(anchor).is_some_and(|count| *count > 1)
    }

    /// Returns the base URI at a JSON pointer.
    pub(super) fn base(&self, at: &str) -> String {
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
    pub(super) fn target(&self, reference: &str, base: &str) -> Option<String> {
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
