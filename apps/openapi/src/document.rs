//! [`Document`]: the text of an OpenAPI document as JSON, and its references.
//!
//! The document stays JSON. The crates that have types for it know one version each: `openapiv3`
//! 3.0, `oas3` 3.1, `utoipa` writes documents; and they keep of a schema what their types have, while
//! a schema of 3.1 is JSON Schema with any keyword.

use std::cell::RefCell;
use std::collections::HashMap;

use mcp_guard::yaml::{self, YamlLimits};
use mcp_server::types::json::{self, Object, Value};

use super::error::OpenApiError;
use super::parameter::NestedLists;

/// The maximum size of a document, in bytes.
const BYTES: usize = 64 << 20;
/// What a YAML document may contain at most. JSON has the same limit of depth.
const YAML: YamlLimits = YamlLimits {
    depth: 127,
    values: 8 << 20,
    alias_bytes: BYTES,
};
/// The number of references in a row that are followed, and the longest one, in bytes.
const REFERENCES: usize = 16;
const REFERENCE: usize = 4 << 10;
/// The maximum number of members of an object that others can refer to: they are searched one by one,
/// for each reference.
pub(super) const MEMBERS: usize = 128;
/// Objects with more members are indexed when they are searched.
const FEW: usize = 16;

/// A parsed document.
pub(super) struct Document {
    pub(super) root: Value,
    pub(super) version: Version,
    /// How requests write lists in the style `deepObject`.
    pub(super) nested_lists: NestedLists,
}

/// The versions that differ in their schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    V3_0,
    /// 3.1 and 3.2: their schemas are those of JSON Schema 2020-12.
    V3_1,
}

impl Document {
    pub(super) fn parse(text: &str) -> Result<Self, OpenApiError> {
        if text.len() > BYTES {
            return Err(OpenApiError::TooLong { limit: BYTES });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let root: Value = if text.trim_start().starts_with('{') {
            json::from_str(text).map_err(OpenApiError::Json)?
        } else {
            yaml::parse(text, YAML).map_err(|error| OpenApiError::Yaml(error.to_string()))?
        };
        let version = version(&root)?;
        Ok(Self {
            root,
            version,
            nested_lists: NestedLists::default(),
        })
    }
}

fn version(root: &Value) -> Result<Version, OpenApiError> {
    let found = |found: String| OpenApiError::Version { found };
    if let (Some(version), None) = (root.get("swagger"), root.get("openapi")) {
        let version = version.as_str().map(str::to_owned);
        let found = version.unwrap_or_else(|| "no string".to_owned());
        return Err(OpenApiError::Swagger { found });
    }
    let version = match root.get("openapi") {
        Some(Value::String(version)) => version.as_str(),
        Some(_) => return Err(found("no string".to_owned())),
        None => return Err(found("no such member".to_owned())),
    };
    let is = |minor: &str| {
        let rest = version.strip_prefix(minor);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if is("3.0") {
        Ok(Version::V3_0)
    } else if is("3.1") || is("3.2") {
        Ok(Version::V3_1)
    } else {
        Err(found(format!("`{version}`")))
    }
}

/// Looks up members and references of a document in constant time.
pub(super) struct Resolver<'a> {
    pub(super) root: &'a Value,
    pub(super) version: Version,
    pub(super) nested_lists: NestedLists,
    /// The members of large objects, by the address of the object.
    indexes: RefCell<HashMap<usize, HashMap<&'a str, &'a Value>>>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self {
            root: &document.root,
            version: document.version,
            nested_lists: document.nested_lists,
            indexes: RefCell::default(),
        }
    }

    /// Returns the value that a reference such as `#/components/schemas/Pet` points to.
    pub(super) fn resolve(&self, reference: &str) -> Result<&'a Value, String> {
        let shown = || mcp_server::types::peer_text::PeerText(reference);
        if reference.len() > REFERENCE {
            return Err(format!(
                "`{}` is a reference of more than {REFERENCE} bytes",
                shown()
            ));
        }
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err(format!("`{}` refers to another document", shown()));
        };
        let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8_lossy();
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(format!("`{}` is not a JSON pointer", shown()));
        }
        let mut value = self.root;
        for segment in pointer.split('/').skip(1) {
            let name = segment.replace("~1", "/").replace("~0", "~");
            let next = match value {
                Value::Object(object) => self.member(object, &name),
                Value::Array(items) => name.parse().ok().and_then(|at: usize| items.get(at)),
                _ => None,
            };
            value = next.ok_or_else(|| format!("`{}` points to nothing", shown()))?;
        }
        Ok(value)
    }

    /// Returns the value itself, or what it refers to if it is an object with `$ref`.
    ///
    /// # Errors
    ///
    /// If a reference points to nothing, or to an object with more than 128 members.
    pub(super) fn follow(&self, mut value: &'a Value) -> Result<&'a Value, String> {
        for _ in 0..REFERENCES {
            if value.as_object().is_some_and(|it| it.len() > MEMBERS) {
                return Err(format!("an object with more than {MEMBERS} members"));
            }
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
                return Ok(value);
            };
            value = self.resolve(reference)?;
        }
        Err(format!("more than {REFERENCES} references in a row"))
    }

    /// Returns a member of an object of the document.
    pub(super) fn member(&self, object: &'a Object, name: &str) -> Option<&'a Value> {
        if object.len() <= FEW {
            return object.get(name);
        }
        let mut indexes = self.indexes.borrow_mut();
        let index = indexes
            .entry(std::ptr::from_ref(object).addr())
            .or_insert_with(|| object.iter().collect());
        index.get(name).copied()
    }
}
