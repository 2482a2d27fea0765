use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::*;

const OLD: &str = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {
    "A": {"type": "object", "properties": {"b": {"type": "string", "description": "text"}}}}}"#;
const NEW: &str = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {
    "A": {"type": "object", "properties": {"b": {"type": "integer"}, "c": {}}}}}"#;
const ERRATA: &str = r#"{"revision": "2000-01-02", "errata": [{"name": "whole-b", "reason": "It is.",
    "changes": [{"at": "/A/properties/b/type", "was": "string", "now": "integer"}]}]}"#;

/// Returns a key for each member of each definition.
#[expect(clippy::unnecessary_wraps, reason = "the form of the callback")]
fn missing_docs(revision: &str, document: &Document) -> Result<Vec<String>> {
    let members = |(name, schema): (&String, &Value)| {
        let members = schema["properties"].as_object().unwrap().keys();
        members
            .map(|member| format!("{revision}/{name}.{member}"))
            .collect::<Vec<_>>()
    };
    Ok(document.definitions.iter().flat_map(members).collect())
}

/// A temporary folder, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("schema-import-{}-{name}", std::process::id()));
        fs::create_dir_all(path.join("errata")).unwrap();
        Self(path)
    }

    fn put(&self, path: &str, text: &str) -> String {
        let file = self.0.join(path);
        fs::write(&file, text).unwrap();
        file.display().to_string()
    }

    fn import(&self, text: &str, revision: &str) -> Result<Report> {
        let file = self.put("published.json", text);
        import(&Store::at(self.0.clone()), &file, revision, missing_docs)
    }

    fn stored(&self, revision: &str) -> Option<String> {
        fs::read_to_string(self.0.join(revision).join("schema.json")).ok()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn import_removes_descriptions_and_reports_the_difference() {
    let folder = Folder::new("difference");
    assert!(folder.import(OLD, "2000-01-01").unwrap().ready);
    assert!(!folder.stored("2000-01-01").unwrap().contains("text"));
    let report = folder.import(NEW, "2000-01-02").unwrap();
    assert!(report.ready);
    assert!(
        report.text.contains("! ~ A.b is integer, was string"),
        "{}",
        report.text
    );
    assert!(
        report.text.contains("  + A.c (optional)"),
        "{}",
        report.text
    );
    assert!(
        report
            .text
            .ends_with("docs.json: 2 texts are missing\n  2000-01-02/A.b\n  2000-01-02/A.c\n"),
        "{}",
        report.text
    );
}

#[test]
fn erratum_that_is_no_longer_needed_is_reported() {
    let folder = Folder::new("no-longer-applies");
    folder.put("errata/2000-01-02.json", ERRATA);
    let report = folder.import(NEW, "2000-01-02").unwrap();
    assert!(report.ready);
    assert!(
        report.text.contains("`whole-b` no longer applies"),
        "{}",
        report.text
    );
    assert!(
        report.text.contains("remove the erratum"),
        "{}",
        report.text
    );
    assert!(folder.stored("2000-01-02").is_some());
}

#[test]
fn erratum_that_does_not_apply_is_reported() {
    let folder = Folder::new("unexpected-value");
    folder.put("errata/2000-01-02.json", ERRATA);
    let text = NEW.replace("integer", "boolean");
    let report = folder.import(&text, "2000-01-02").unwrap();
    assert!(!report.ready);
    assert!(
        report
            .text
            .contains("expected \"string\", found \"boolean\""),
        "{}",
        report.text
    );
    assert!(folder.stored("2000-01-02").is_some());
}

#[test]
fn invalid_file_changes_nothing() {
    let folder = Folder::new("invalid");
    folder.import(OLD, "2000-01-01").unwrap();
    let before = folder.stored("2000-01-01");
    for invalid in ["{", "[]", "{}", r#"{"$defs": {"A": {"if": {}}}}"#] {
        assert!(folder.import(invalid, "2000-01-01").is_err());
        assert!(folder.import(invalid, "2000-01-02").is_err());
    }
    assert_eq!(folder.stored("2000-01-01"), before);
    assert_eq!(folder.stored("2000-01-02"), None);
    assert_eq!(
        fs::read_dir(folder.0.join("2000-01-01")).unwrap().count(),
        1
    );
}

#[test]
fn type_that_cannot_be_generated_is_reported() {
    let folder = Folder::new("unsupported");
    let file = folder.put("published.json", OLD);
    let unsupported: MissingDocs = |_, _| anyhow::bail!("no type for A");
    let report = import(
        &Store::at(folder.0.clone()),
        &file,
        "2000-01-01",
        unsupported,
    )
    .unwrap();
    assert!(!report.ready);
    assert!(report.text.ends_with("no type for A\n"), "{}", report.text);
    assert!(folder.stored("2000-01-01").is_some());
}
