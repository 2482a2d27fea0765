//! The generator.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::{command, errors, folder, revisions, root, xtask};

pub(super) fn generate(schema: &Path, out: &Path) -> Output {
    let mut command = command(&["codegen", "--schema"]);
    command.arg(schema).arg("--out").arg(out).output().unwrap()
}

/// Runs the generator with an invalid text, and returns its message. Nothing must have been
/// written.
fn rejected(name: &str, text: &str) -> String {
    let folder = folder(name);
    let schema = folder.join("schema.json");
    fs::write(&schema, text).unwrap();
    let out = folder.join("out");
    let output = generate(&schema, &out);
    assert!(!output.status.success(), "{name} was accepted");
    assert!(!out.exists(), "{name}: something was written");
    errors(&output)
}

#[test]
fn invalid_schema_is_rejected_with_file_and_pointer() {
    let no_json = rejected("no-json", "{");
    assert!(
        no_json.contains("schema.json") && no_json.contains("line"),
        "{no_json}"
    );
    let no_schema = rejected("no-schema", "[1]");
    assert!(no_schema.contains("schema.json"), "{no_schema}");
    let dangling = rejected("dangling", r##"{"$defs":{"A":{"$ref":"#/$defs/B"}}}"##);
    assert!(dangling.contains("/$defs/A"), "{dangling}");
}

#[test]
fn file_of_an_earlier_run_is_removed() {
    let folder = folder("stale");
    let (schema, out) = (folder.join("schema.json"), folder.join("out"));
    let mut files = Vec::new();
    for pattern in [r#","pattern":"^a""#, ""] {
        let text = format!(r#"{{"$defs":{{"A":{{"type":"string"{pattern}}}}}}}"#);
        fs::write(&schema, text).unwrap();
        let output = generate(&schema, &out);
        assert!(output.status.success(), "{}", errors(&output));
        files.push(out.join("checks.rs").exists());
        // A file of somebody else stays.
        fs::write(out.join("own.rs"), "// Own").unwrap();
    }
    assert_eq!(files, [true, false]);
    assert!(out.join("own.rs").exists());
}

#[test]
fn keywords_that_are_not_checked_are_warnings() {
    let text = r#"{"$defs":{"A":{"type":"object","properties":{
        "w":{"type":"string","pattern":"^a"},
        "x":{"type":"string","pattern":"^(?!a)"},
        "y":{"type":"object","additionalProperties":{"type":"number","minimum":1}},
        "z":{"$ref":"other.json"}},
        "minProperties":1,"novel":true}}}"#;
    let folder = folder("unchecked");
    let (schema, out) = (folder.join("schema.json"), folder.join("out"));
    fs::write(&schema, text).unwrap();
    let mut denied = command(&["codegen", "--deny-warnings", "--schema"]);
    let output = denied.arg(&schema).arg("--out").arg(&out).output().unwrap();
    assert!(!output.status.success() && !out.exists(), "it was accepted");
    let output = generate(&schema, &out);
    assert!(
        output.status.success() && out.exists(),
        "{}",
        errors(&output)
    );
    let warnings = errors(&output);
    for warning in [
        "warning: `pattern` at `/A/properties/x` is not checked",
        "warning: `other.json` at `/A/properties/z` is in another document",
        "warning: the unknown keyword `novel` at `/A` is ignored",
    ] {
        assert!(warnings.contains(warning), "{warning}: {warnings}");
    }
    assert_eq!(warnings.lines().count(), 3, "{warnings}");
}

#[test]
fn hints_that_are_wrong_are_errors_with_their_place() {
    let folder = folder("hints");
    let (schema, hints) = (folder.join("schema.json"), folder.join("hints.json"));
    fs::write(&schema, r#"{"$defs":{"A":{"type":"object"}}}"#).unwrap();
    for (text, expected) in [
        (
            r#"{"inline":{"AB":"C"}}"#,
            "the hint at `/inline/AB` has no effect: expected an inline type of the schema, found `AB`",
        ),
        (
            r#"{"boxed":[],"boxed":[]}"#,
            "hints.json: the member at `/boxed` occurs twice",
        ),
    ] {
        fs::write(&hints, text).unwrap();
        let out = folder.join("out");
        let mut command = command(&["codegen", "--schema"]);
        command.arg(&schema).arg("--out").arg(&out);
        let output = command.arg("--hints").arg(&hints).output().unwrap();
        assert!(
            !output.status.success() && !out.exists(),
            "{text} was accepted"
        );
        let errors = errors(&output);
        assert!(errors.contains(expected), "{errors}");
    }
}

#[test]
fn missing_schema_file_is_named_in_the_error() {
    let output = generate(Path::new("does-not-exist.json"), Path::new("nowhere"));
    assert!(!output.status.success());
    let errors = errors(&output);
    assert!(errors.contains("does-not-exist.json"), "{errors}");
}

#[test]
fn checked_in_files_match_the_generator() {
    let output = xtask(&["codegen", "--check"]);
    assert!(output.status.success(), "{}", errors(&output));
}

#[test]
fn ambiguous_union_members_are_reported() {
    let out = folder("alike").join("out");
    let output = generate(&root().join("codegen/tests/fixtures/foreign.json"), &out);
    assert!(output.status.success(), "{}", errors(&output));
    let warning = errors(&output);
    assert!(
        warning.contains("Left and Right cannot be distinguished"),
        "{warning}"
    );
}

/// Returns code without its documentation.
fn code(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//") && !line.is_empty());
    lines.map(str::to_owned).collect()
}

#[test]
fn published_schema_gives_the_same_api_as_ours() {
    let Some(specification) = std::env::var_os("MCP_SPEC_DIR").map(PathBuf::from) else {
        println!("skipped: MCP_SPEC_DIR names no folder with published files");
        return;
    };
    for (revision, ours) in revisions() {
        let published = specification.join(&revision).join("schema.json");
        if !published.is_file() {
            println!("skipped: {} is not there", published.display());
            continue;
        }
        let folder = folder(&format!("same-{revision}"));
        for (schema, name) in [(&published, "published"), (&ours, "ours")] {
            let output = generate(schema, &folder.join(name));
            assert!(output.status.success(), "{}", errors(&output));
        }
        for file in ["mod.rs", "types.rs", "messages.rs"] {
            let code = |name: &str| code(&folder.join(name).join(file));
            assert_eq!(code("published"), code("ours"), "{revision} {file}");
        }
    }
}
