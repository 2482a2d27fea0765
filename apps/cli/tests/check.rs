//! `mcp check`.

use serde_json::Value;

use super::{run, subject};
use crate::support::program::{Printed, mcp};

fn check(arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command
        .arg("check")
        .args(arguments)
        .arg("--")
        .arg(subject());
    command.arg("faulty").output().expect("it runs").into()
}

/// Lines that must be found, by their beginnings and parts.
const FOUND: &[(&str, &str)] = &[
    ("error: messages: ", "Server is starting up"),
    ("error: tools/list $.tools[3].name: ", "string"),
    ("error: resources/list $.resources[3].size: ", ""),
    (
        "error: resources/templates/list $.nextCursor: ",
        "expected a value, or no such member",
    ),
    ("error: tool `good`: ", "two tools with this name"),
    (
        "error: tool `far` inputSchema $.properties.a.$ref: ",
        "another document",
    ),
    ("error: tool `wrong` inputSchema: ", "no valid JSON Schema"),
    ("error: tools/list $.tools[2].inputSchema", "type"),
    ("error: prompts/list: ", "refuses the list"),
    ("error: resource `nowhere`: ", "no scheme"),
    ("error: resource template `test:{a`: ", "braces"),
    ("error: an unknown method: ", "-32602"),
    ("warning: server: ", "`version` is empty"),
    ("warning: tool `with space`: ", "refuse the name"),
    ("warning: tool `with space`: ", "no description"),
    (
        "warning: tool `with space`: ",
        "arguments without a description: `a`",
    ),
    ("warning: tool `with space` inputSchema: ", "`c d`"),
    (
        "warning: tool `with space` inputSchema: ",
        "`required` names `b`",
    ),
    ("warning: tool `union`: ", "1025 characters"),
    ("warning: tool `union` inputSchema: ", "`anyOf` at the root"),
    ("hint: tool `union`: ", "no `title`"),
    ("hint: tool `union`: ", "no `annotations`"),
    ("hint: resource `test:there`: ", "no `mimeType`"),
    ("hint: server: ", "no `instructions`"),
];

#[test]
fn faults_are_found_on_all_pages() {
    let found = check(&[]);
    assert_eq!(found.code, Some(1), "{found:?}");
    for (beginning, part) in FOUND {
        let mut lines = found.out.lines();
        let is_found = lines.any(|line| line.starts_with(beginning) && line.contains(part));
        assert!(is_found, "{beginning:?} {part:?} in {}", found.out);
    }
    // Only the second tool with this name has none.
    let untitled = found.out.matches("tool `good`: no `title`").count();
    assert_eq!(untitled, 1, "{}", found.out);
    assert!(!found.out.contains("cannot be read"), "{}", found.out);
    assert!(!found.out.contains('\u{1b}'), "{}", found.out);
    let levels: Vec<_> = found
        .out
        .lines()
        .map(|line| line.split(':').next())
        .collect();
    let mut sorted = levels.clone();
    sorted.sort_by_key(|level| {
        ["error", "warning", "hint"]
            .iter()
            .position(|l| Some(*l) == *level)
    });
    assert_eq!(levels, sorted);
    assert!(
        found.err.contains(" errors, ") && found.err.contains("(revision "),
        "{found:?}"
    );

    let read = check(&["--read"]).out;
    assert!(
        read.contains("error: resource `test:gone`: it is listed, but cannot be read"),
        "{read}"
    );
    assert!(!read.contains("resource `test:there`: it"), "{read}");
}

#[test]
fn findings_are_printed_as_json() {
    let found = check(&["--json"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    let all: Value = serde_json::from_str(&found.out).expect("one JSON value");
    let findings = all["findings"].as_array().expect("a list");
    let errors = findings
        .iter()
        .filter(|finding| finding["level"] == "error");
    assert_eq!(all["errors"], errors.count(), "{all}");
    assert_eq!(findings[0]["level"], "error");
    assert!(all["revision"].is_string(), "{all}");
}

#[test]
fn server_without_faults_passes_in_both_eras() {
    for revision in ["2026-07-28", "2025-11-25", "2024-11-05"] {
        let found = run(&["check", "--read", "--revision", revision]);
        assert_eq!(found.code, Some(0), "{found:?}");
        assert!(found.err.starts_with("0 errors, "), "{found:?}");
        assert!(!found.out.contains("error:"), "{found:?}");
    }
    // Its tool `coloured` and others have arguments without descriptions.
    let strict = run(&["check", "--deny-warnings"]);
    assert_eq!(strict.code, Some(1), "{strict:?}");
    let slow = run(&["check", "--slow", "0"]);
    assert!(
        slow.out.contains("warning: tools/list: the answer took "),
        "{slow:?}"
    );
    assert!(!run(&["check"]).out.contains("the answer took"), "{slow:?}");
}
