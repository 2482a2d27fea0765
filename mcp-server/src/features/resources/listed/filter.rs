//! [`ResourceFilter`]: the resources that a client selects in `resources/list`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use mcp_types::Resource;
use mcp_types::error::{Path, Segment};
use mcp_types::json::{Number, Object, Value};
use mcp_types::uri::{canonical, is_scheme};

use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::short;

/// The maximum number of kinds in a filter.
const KINDS: usize = 64;

/// The criteria with which a client limits `resources/list`, by the proposal `versioned-resources`.
/// A resource has to meet all of them. The proposal lets servers choose which criteria they
/// support.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResourceFilter {
    /// `kind`: the kind of the resource, or a list of at most 64 kinds, of which it has one.
    pub kinds: Option<Vec<String>>,
    /// `uriPrefix`: the beginning of its URI.
    pub uri_prefix: Option<String>,
    /// `metadata`: members that its metadata has, with equal values.
    pub metadata: Option<Object>,
}

impl ResourceFilter {
    /// Decodes the member `filter`.
    ///
    /// # Errors
    ///
    /// -32602 with the place of an unknown criterion, of one with the wrong type, of too many kinds,
    /// or of a prefix that ends within a percent-encoded byte.
    pub(crate) fn read(filter: &Object) -> Result<Self, HandlerError> {
        let mut read = Self::default();
        for (name, value) in filter {
            match name {
                "kind" => read.kinds = Some(kinds(value)?),
                "uriPrefix" => {
                    let prefix = text(value, "uriPrefix")?;
                    let prefix = canonical_prefix(&prefix).ok_or_else(|| {
                        wrong(name, None, "it ends within a percent-encoded byte")
                    })?;
                    read.uri_prefix = Some(prefix);
                }
                "metadata" => {
                    let members = value.as_object();
                    let members = members.ok_or_else(|| wrong(name, None, "expected an object"))?;
                    read.metadata = Some(members.clone());
                }
                _ => {
                    let what = "no such criterion, there are `kind`, `uriPrefix` and `metadata`";
                    return Err(wrong(&short(name), None, what));
                }
            }
        }
        Ok(read)
    }

    /// Returns a text that all filters share that select the same resources for the same reasons,
    /// however they are written; `None` for a filter that selects all.
    pub(crate) fn canonical_text(&self) -> Option<String> {
        let mut criteria = Object::new();
        if let Some(kinds) = &self.kinds {
            let kinds: BTreeSet<&str> = kinds.iter().map(String::as_str).collect();
            criteria.insert("kind", kinds.into_iter().collect::<Value>());
        }
        if let Some(metadata) = self.metadata.as_ref().filter(|it| !it.is_empty()) {
            criteria.insert("metadata", canonical_value(&Value::from(metadata.clone())));
        }
        if let Some(prefix) = self.uri_prefix.as_ref().filter(|it| !it.is_empty()) {
            criteria.insert("uriPrefix", Value::from(prefix.as_str()));
        }
        (!criteria.is_empty()).then(|| Value::from(criteria).to_string())
    }

    /// Returns `true` if a resource meets all criteria.
    #[must_use]
    pub fn matches(&self, resource: &Resource) -> bool {
        let kind = self.kinds.as_ref().is_none_or(|kinds| {
            let kind = resource.kind.as_ref();
            kind.is_some_and(|kind| kinds.contains(kind))
        });
        let prefix = self.uri_prefix.as_ref();
        kind && prefix.is_none_or(|prefix| resource.uri.starts_with(prefix))
            && self.metadata.as_ref().is_none_or(|expected| {
                let metadata = resource.metadata.as_ref();
                expected.iter().all(|(name, value)| {
                    let found = metadata.and_then(|metadata| metadata.get(name));
                    found.is_some_and(|found| equal(found, value))
                })
            })
    }
}

/// Returns the form of a value that all [equal](equal) values share: with the members in the order of
/// their names, at every depth, and one form of each number.
fn canonical_value(value: &Value) -> Value {
    match value {
        Value::Array(elements) => elements.iter().map(canonical_value).collect(),
        Value::Object(members) => {
            let members: BTreeMap<&str, &Value> = members.iter().collect();
            let members = members.into_iter();
            let members = members.map(|(name, value)| (name, canonical_value(value)));
            Value::Object(members.collect())
        }
        Value::Number(number) => {
            let integer = number.to_i64().map(Number::from);
            let integer = integer.or_else(|| number.to_u64().map(Number::from));
            let float = || number.as_f64().and_then(Number::from_f64);
            Value::Number(integer.or_else(float).unwrap_or_else(|| number.clone()))
        }
        other => other.clone(),
    }
}

/// Returns the beginning of the canonical URIs that begin with a prefix; `None` if the prefix ends
/// within a percent-encoded byte. The dots at its end may be the beginning of a name.
fn canonical_prefix(prefix: &str) -> Option<String> {
    let end = prefix.as_bytes();
    let end = end.get(end.len().saturating_sub(2)..).unwrap_or_default();
    if end.ends_with(b"%") || matches!(end, [b'%', digit] if digit.is_ascii_hexdigit()) {
        return None;
    }
    if is_scheme(prefix) {
        return Some(prefix.to_ascii_lowercase());
    }
    if let Some((head, last)) = prefix.rsplit_once('/') {
        let last = canonical(last);
        if matches!(&*last, "." | "..") {
            return Some(format!("{}{last}", canonical(&format!("{head}/"))));
        }
    }
    Some(canonical(prefix).into_owned())
}

fn kinds(value: &Value) -> Result<Vec<String>, HandlerError> {
    let Some(list) = value.as_array() else {
        let kind = value.as_str().map(str::to_owned);
        let what = "expected a string or a list of strings";
        return Ok(vec![kind.ok_or_else(|| wrong("kind", None, what))?]);
    };
    // Each of them is compared with that of each resource.
    if list.len() > KINDS {
        let what = format!("expected at most {KINDS} kinds, found {}", list.len());
        return Err(wrong("kind", None, &what));
    }
    let one = |(at, kind): (usize, &Value)| {
        let kind = kind.as_str().map(str::to_owned);
        kind.ok_or_else(|| wrong("kind", Some(at), "expected a string"))
    };
    list.iter().enumerate().map(one).collect()
}

fn text(value: &Value, name: &str) -> Result<String, HandlerError> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| wrong(name, None, "expected a string"))
}

fn wrong(criterion: &str, at: Option<usize>, what: &str) -> HandlerError {
    let mut path = Path::root();
    path.push(Segment::Member("filter".to_owned()));
    path.push(Segment::Member(criterion.to_owned()));
    if let Some(at) = at {
        path.push(Segment::Index(at));
    }
    HandlerError::invalid_params(format!("{path}: {what}"))
}

/// Compares JSON: members in any order, numbers by value.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => equal_numbers(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| {
                    let found = other.get(name);
                    found.is_some_and(|found| equal(value, found))
                })
        }
        _ => one == other,
    }
}

fn equal_numbers(one: &Number, other: &Number) -> bool {
    if one == other {
        return true;
    }
    // Compares integers exactly: as floats, different ones would be equal.
    match (integer(one), integer(other)) {
        (None, None) => {
            let (one, other) = (one.as_f64(), other.as_f64());
            one.partial_cmp(&other) == Some(Ordering::Equal) && one.is_some()
        }
        (one, other) => one == other,
    }
}

fn integer(number: &Number) -> Option<i128> {
    let signed = number.to_i64().map(i128::from);
    signed.or_else(|| number.to_u64().map(i128::from))
}

#[cfg(test)]
mod tests {
    use mcp_types::json;

    use super::*;

    fn matches(filter: &str, resource: &str) -> bool {
        let filter: Object = json::from_str(filter).unwrap();
        let resource: Resource = json::from_str(resource).unwrap();
        ResourceFilter::read(&filter).unwrap().matches(&resource)
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let resource =
            |value: &str| format!(r#"{{"uri":"x:a","name":"a","metadata":{{"n":{value},"o":1}}}}"#);
        for (asked, is, equals) in [
            ("1", "1", true),
            ("1", "1.0", true),
            ("10", "1e1", true),
            ("0", "-0.0", true),
            ("0.5", "5e-1", true),
            ("0.5", "0.25", false),
            ("9007199254740993", "9007199254740992", false),
            ("9007199254740993", "9007199254740992.0", false),
            ("18446744073709551615", "18446744073709551614", false),
            ("18446744073709551615", "18446744073709551615", true),
            ("1", r#""1""#, false),
            ("1", "true", false),
            ("null", "null", true),
            ("[1,2]", "[1.0,2.0]", true),
            ("[1,2]", "[2,1]", false),
            ("[1]", "[1,2]", false),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1.0}"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, false),
        ] {
            let filter = format!(r#"{{"metadata":{{"n":{asked}}}}}"#);
            assert_eq!(matches(&filter, &resource(is)), equals, "{asked} and {is}");
        }
    }

    #[test]
    fn number_of_kinds_is_limited() {
        for (count, is_accepted) in [(KINDS, true), (KINDS + 1, false)] {
            let kinds = vec![r#""k""#; count].join(",");
            let filter: Object = json::from_str(&format!(r#"{{"kind":[{kinds}]}}"#)).unwrap();
            assert_eq!(
                ResourceFilter::read(&filter).is_ok(),
                is_accepted,
                "{count}"
            );
        }
    }

    #[test]
    fn equal_filters_have_one_text() {
        let text = |filter: &str| {
            let filter: Object = json::from_str(filter).unwrap();
            ResourceFilter::read(&filter).unwrap().canonical_text()
        };
        for (one, other, are_equal) in [
            (
                r#"{"metadata":{"b":[{"d":1,"c":2}],"a":null},"kind":["x","y"]}"#,
                r#"{"kind":["y","x","y"],"metadata":{"a":null,"b":[{"c":2.0,"d":1e0}]}}"#,
                true,
            ),
            (r#"{"kind":"x"}"#, r#"{"kind":["x"]}"#, true),
            (r#"{"kind":"x"}"#, r#"{"kind":["x","y"]}"#, false),
            (r#"{"kind":[]}"#, "{}", false),
            (r#"{"metadata":{},"uriPrefix":""}"#, "{}", true),
            (
                r#"{"uriPrefix":"FILE:///%61/./b"}"#,
                r#"{"uriPrefix":"file:///a/b"}"#,
                true,
            ),
            (
                r#"{"metadata":{"a":0.5}}"#,
                r#"{"metadata":{"a":5e-1}}"#,
                true,
            ),
            (
                r#"{"metadata":{"a":-0.0}}"#,
                r#"{"metadata":{"a":0}}"#,
                true,
            ),
            (
                r#"{"metadata":{"a":9007199254740993}}"#,
                r#"{"metadata":{"a":9007199254740992.0}}"#,
                false,
            ),
            (
                r#"{"metadata":{"a":[1,2]}}"#,
                r#"{"metadata":{"a":[2,1]}}"#,
                false,
            ),
        ] {
            assert_eq!(text(one) == text(other), are_equal, "{one} and {other}");
        }
        assert_eq!(text("{}"), None);
    }

    #[test]
    fn prefix_begins_the_canonical_uris() {
        for (prefix, expected) in [
            ("FILE:///a%20b", Some("file:///a%20b")),
            ("file:///a%2f%61", Some("file:///a%2Fa")),
            ("file:///a/.", Some("file:///a/.")),
            ("file:///a/b/../%2E.", Some("file:///a/..")),
            ("file:///a/.h", Some("file:///a/.h")),
            ("x:a%25", Some("x:a%25")),
            ("x:a%", None),
            ("x:a%2", None),
            ("x:a%f", None),
            ("%", None),
            ("FI", Some("fi")),
            ("", Some("")),
        ] {
            assert_eq!(canonical_prefix(prefix).as_deref(), expected, "{prefix}");
        }
    }

    #[test]
    fn criterion_does_not_match_an_absent_member() {
        let bare = r#"{"uri":"x:a","name":"a"}"#;
        assert!(matches("{}", bare));
        assert!(matches(r#"{"metadata":{}}"#, bare));
        assert!(!matches(r#"{"metadata":{"a":null}}"#, bare));
        assert!(!matches(r#"{"kind":"file"}"#, bare));
        assert!(!matches(r#"{"kind":[]}"#, bare));
    }
}
