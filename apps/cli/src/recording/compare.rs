//! Compares JSON values: the params of requests, and results.

use std::fmt::Write as _;

use mcp_client::types::error::{Path, Segment, excerpt};
use mcp_client::types::json::{self, Value};

use crate::ignored::Ignored;
use crate::secrets::REMOVED;

/// The number of characters in front of a difference that are shown.
const CONTEXT: usize = 30;

/// Members of the protocol that differ in each run: ids, times, cursors and sealed states.
const VOLATILE: [&str; 10] = [
    "createdAt",
    "httpUrl",
    "httpUrlExpiresAt",
    "lastModified",
    "lastUpdatedAt",
    "nextCursor",
    "pollIntervalMs",
    "requestState",
    "taskId",
    "ttlMs",
];

/// Members with data of programs, in which these names have other meanings.
const DATA: [&str; 4] = [
    "arguments",
    "inputSchema",
    "outputSchema",
    "structuredContent",
];

/// Returns `true` for a member of the protocol whose value differs in each run.
fn is_volatile(steps: &[Segment]) -> bool {
    let is_data =
        |step: &Segment| matches!(step, Segment::Member(name) if DATA.contains(&name.as_str()));
    matches!(steps.last(), Some(Segment::Member(name)) if VOLATILE.contains(&name.as_str()))
        && !steps.iter().any(is_data)
}

/// Returns the params by which requests of a method are matched: without `_meta`, and without what
/// a client says of itself.
pub(crate) fn matched(method: &str, params: Option<&str>) -> Value {
    if method == "initialize" {
        return Value::Null;
    }
    let params = params.map(json::from_str::<Value>);
    let mut params = params.and_then(Result::ok).unwrap_or_default();
    if let Some(members) = params.as_object_mut() {
        members.remove("_meta");
        if members.is_empty() {
            return Value::Null;
        }
    }
    params.normalize_integers();
    params
}

/// Returns a text that is the same for equal values.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(elements) => {
            text.push('[');
            for element in elements {
                write(element, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in members {
                // Writing to a `String` does not fail.
                let _ = write!(text, "{name:?}:");
                write(value, text);
                text.push(',');
            }
            text.push('}');
        }
        scalar => {
            let _ = write!(text, "{scalar}");
        }
    }
}

/// A difference between a value and the expected one.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) path: Path,
    /// The values as JSON, shortened; `nothing` for an absent one.
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            path,
            expected,
            found,
        } = self;
        write!(f, "{path}: expected {expected}, found {found}")
    }
}

/// Returns the first differences, at most `limit`. A removed secret equals everything.
pub(crate) fn differences(expected: &Value, found: &Value, limit: usize) -> Vec<Difference> {
    compared(expected, found, limit, None)
}

/// Returns the same for results of two runs: without what is ignored, and what differs in each run.
pub(crate) fn of_runs(
    expected: &Value,
    found: &Value,
    limit: usize,
    ignored: &[Ignored],
) -> Vec<Difference> {
    compared(expected, found, limit, Some(ignored))
}

fn compared(
    expected: &Value,
    found: &Value,
    limit: usize,
    ignored: Option<&[Ignored]>,
) -> Vec<Difference> {
    let mut comparison = Comparison {
        path: Path::root(),
        steps: Vec::new(),
        all: Vec::new(),
        limit,
        ignored,
    };
    comparison.compare(Some(expected), Some(found));
    comparison.all
}

struct Comparison<'a> {
    /// What does not matter if the values are of two runs.
    ignored: Option<&'a [Ignored]>,
    path: Path,
    steps: Vec<Segment>,
    all: Vec<Difference>,
    limit: usize,
}

impl Comparison<'_> {
    fn compare(&mut self, expected: Option<&Value>, found: Option<&Value>) {
        if self.all.len() >= self.limit || expected.and_then(Value::as_str) == Some(REMOVED) {
            return;
        }
        let is_in_both = expected.is_some() && found.is_some();
        if let Some(ignored) = self.ignored
            && (ignored.iter().any(|ignored| ignored.includes(&self.steps))
                || (is_in_both && is_volatile(&self.steps)))
        {
            return;
        }
        match (expected, found) {
            (Some(Value::Object(expected)), Some(Value::Object(found))) => {
                for (name, value) in expected {
                    let step = Segment::Member(name.to_owned());
                    self.inside(step, Some(value), found.get(name));
                }
                for (name, value) in found {
                    if !expected.contains_key(name) {
                        self.inside(Segment::Member(name.to_owned()), None, Some(value));
                    }
                }
            }
            (Some(Value::Array(expected)), Some(Value::Array(found))) => {
                for index in 0..expected.len().max(found.len()) {
                    let step = Segment::Index(index);
                    self.inside(step, expected.get(index), found.get(index));
                    if self.all.len() >= self.limit {
                        return;
                    }
                }
            }
            (expected, found) if expected == found => {}
            (expected, found) => {
                let mut path = self.path.clone();
                for step in &self.steps {
                    path.push(step.clone());
                }
                let common = common(expected, found);
                self.all.push(Difference {
                    path,
                    expected: shown(expected, common),
                    found: shown(found, common),
                });
            }
        }
    }

    fn inside(&mut self, step: Segment, expected: Option<&Value>, found: Option<&Value>) {
        self.steps.push(step);
        self.compare(expected, found);
        self.steps.pop();
    }
}

/// Returns how many bytes at the start of two strings are not shown, because they are the same.
fn common(expected: Option<&Value>, found: Option<&Value>) -> usize {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let (Some(expected), Some(found)) = (text(expected), text(found)) else {
        return 0;
    };
    let pairs = expected.char_indices().zip(found.chars());
    let same = pairs.take_while(|((_, one), other)| one == other);
    let ends: Vec<usize> = same.map(|((at, _), _)| at).collect();
    let before = ends.len().checked_sub(CONTEXT);
    before.and_then(|at| ends.get(at).copied()).unwrap_or(0)
}

fn shown(value: Option<&Value>, skipped: usize) -> String {
    match value {
        Some(Value::String(text)) if skipped > 0 => {
            let rest = text.get(skipped..).unwrap_or_default();
            format!("…{}", excerpt(&Value::from(rest).to_string()))
        }
        Some(value) => excerpt(&value.to_string()).into_owned(),
        None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        json::from_str(text).expect("JSON")
    }

    #[test]
    fn differences_have_paths() {
        let expected = value(r#"{"a":[1,{"b":"x"}],"token":"[removed]","c":1}"#);
        let found = value(r#"{"token":"t","a":[1,{"b":"y"},2],"d":null}"#);
        let differences = differences(&expected, &found, 10);
        let shown: Vec<_> = differences.iter().map(ToString::to_string).collect();
        let all = [
            r#"$.a[1].b: expected "x", found "y""#,
            "$.a[2]: expected nothing, found 2",
            "$.c: expected 1, found nothing",
            "$.d: expected nothing, found null",
        ];
        assert_eq!(shown, all);
    }

    #[test]
    fn ignored_and_volatile_members_do_not_differ() {
        let expected = value(
            r#"{"tools":[{"title":"a","n":1},{"title":"b","n":1}],"at":{"x":1},"nextCursor":"p",
                "structuredContent":{"createdAt":"1"},"createdAt":"1"}"#,
        );
        let found = value(
            r#"{"tools":[{"title":"c","n":2},{"title":"d","n":2}],"at":{"x":2},"nextCursor":"q",
                "structuredContent":{"createdAt":"2"},"createdAt":"2"}"#,
        );
        let paths = |ignored: &[&str]| {
            let ignored: Vec<Ignored> = ignored.iter().map(|text| text.parse().unwrap()).collect();
            let all = of_runs(&expected, &found, 20, &ignored);
            all.iter()
                .map(|one| one.path.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let all = "$.tools[0].title $.tools[0].n $.tools[1].title $.tools[1].n $.at.x \
                   $.structuredContent.createdAt";
        assert_eq!(paths(&[]), all);
        assert_eq!(
            paths(&["$.tools.title", "$.at", "createdAt"]),
            "$.tools[0].n $.tools[1].n"
        );
        assert_eq!(
            paths(&["$.tools[1]", "n", "$.structuredContent.createdAt.x"]),
            "$.tools[0].title $.at.x $.structuredContent.createdAt"
        );
        for invalid in ["", "$", "$.", ".a", "[0]"] {
            assert!(invalid.parse::<Ignored>().is_err(), "{invalid}");
        }
        // Only the value is volatile.
        let absent = of_runs(&value("{}"), &value(r#"{"nextCursor":"p"}"#), 9, &[]);
        assert_eq!(absent.len(), 1);
    }

    #[test]
    fn params_match_regardless_of_order_and_metadata() {
        let one = matched(
            "a",
            Some(r#"{"x":1,"y":{"b":2,"a":1.0},"_meta":{"progressToken":1}}"#),
        );
        let other = matched("a", Some(r#"{"y":{"a":1,"b":2},"x":1}"#));
        assert_eq!(canonical(&one), canonical(&other));
        let none = matched("a", Some(r#"{"_meta":{}}"#));
        assert_eq!(canonical(&none), canonical(&matched("a", None)));
        assert_eq!(canonical(&matched("initialize", Some("{}"))), "null");
    }
}
