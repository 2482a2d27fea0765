//! [`ResourceFilter`]: the resources that a client selects in `resources/list`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use mcp_types::Resource;
use mcp_types::error::{Path, Segment};
use mcp_types::json::{Number, Object, Value};
use mcp_types::uri::canonical;

use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::text::short;

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
    /// -32602 with the place of an unknown criterion, of one with the wrong type, or of too many
    /// kinds.
    pub(crate) fn read(filter: &Object) -> Result<Self, HandlerError> {
        let mut read = Self::default();
        for (name, value) in filter {
            match name {
                "kind" => read.kinds = Some(kinds(value)?),
                "uriPrefix" => {
                    let prefix = text(value, "uriPrefix")?;
                    read.uri_prefix = Some(canonical(&prefix).into_owned());
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

/// Returns a filter with its members in the order of their names, at every depth.
pub(crate) fn sorted(filter: &Object) -> Object {
    fn sorted_value(value: &Value) -> Value {
        match value {
            Value::Array(elements) => Value::Array(elements.iter().map(sorted_value).collect()),
            Value::Object(members) => Value::Object(sorted(members)),
            other => other.clone(),
        }
    }
    let members: BTreeMap<&str, &Value> = filter.iter().collect();
    let members = members.into_iter();
    members
        .map(|(name, value)| (name, sorted_value(value)))
        .collect()
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
    fn sorted_filters_are_equal_texts() {
        let text = |filter: &str| {
            let filter: Object = json::from_str(filter).unwrap();
            json::to_string(&sorted(&filter)).unwrap()
        };
        let one = text(r#"{"metadata":{"b":[{"d":1,"c":2}],"a":null},"kind":["x","y"]}"#);
        let other = text(r#"{"kind":["x","y"],"metadata":{"a":null,"b":[{"c":2,"d":1}]}}"#);
        assert_eq!(one, other);
        assert_ne!(
            one,
            text(r#"{"kind":["y","x"],"metadata":{"a":null,"b":[{"c":2,"d":1}]}}"#)
        );
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
