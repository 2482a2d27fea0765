//! A struct keeps its form when a newer revision requires more or less.

use codegen::project::{Output, Project, Source};
use serde_json::{Value, json};

fn revision(name: &str, members: &Value, required: &[&str]) -> Source {
    let book = json!({ "type": "object", "properties": members, "required": required });
    Source {
        name: name.to_owned(),
        file: format!("{name}.json"),
        text: json!({ "$defs": { "Book": book } }).to_string(),
    }
}

/// Members of all kinds that are encoded in a way of their own.
fn members() -> Value {
    json!({
        "title": { "type": "string" },
        "pages": { "type": "integer", "minimum": 1 },
        "authors": { "type": "array", "items": { "type": "string" } },
        "isbn": { "type": ["string", "null"] },
    })
}

/// Two revisions with the same members, of which they require these.
fn project(old: &[&str], new: &[&str]) -> Project {
    Project {
        schemas: vec![
            revision("2000-01-01", &members(), old),
            revision("2000-01-02", &members(), new),
        ],
        ..Project::default()
    }
}

fn file<'a>(output: &'a Output, path: &str) -> &'a str {
    let mut files = output.files.iter();
    let found = files.find(|file| file.path == path);
    &found
        .unwrap_or_else(|| panic!("{path} is not generated"))
        .text
}

const ALL: [&str; 4] = ["title", "pages", "authors", "isbn"];

#[test]
fn member_that_becomes_required_stays_an_option() {
    let output = project(&["title"], &ALL).generate().unwrap();
    let types = file(&output, "v2000_01_02/types.rs");
    for field in [
        "pub title: String",
        "pub pages: Option<i64>",
        "pub authors: Option<Vec<String>>",
        "pub isbn: Option<Option<String>>",
    ] {
        assert!(types.contains(field), "{types}");
    }
    let codecs = file(&output, "v2000_01_02/codecs/types.rs");
    for row in [
        "new(title: value(impl Into<String>));",
        "\"pages\" int(1..=i64::MAX) @kept pages = some(i64);",
        "\"authors\" list @kept authors = some(impl Into<Vec<String>>);",
        "\"isbn\" required @kept isbn = some(Option<String>);",
    ] {
        assert!(codecs.contains(row), "{row}: {codecs}");
    }
    let upgrade = file(&output, "v2000_01_01/upgrade.rs");
    assert!(
        upgrade.contains("pages = Some(from.pages.unwrap_or(1))"),
        "{upgrade}"
    );
    let downgrade = file(&output, "v2000_01_01/downgrade.rs");
    assert!(!downgrade.contains("Some("), "{downgrade}");
}

#[test]
fn members_that_hints_list_follow_the_revision() {
    let mut project = project(&["title"], &ALL);
    project.hints.follow = vec!["2000-01-02/Book.pages".to_owned()];
    let output = project.generate().unwrap();
    let types = file(&output, "v2000_01_02/types.rs");
    assert!(types.contains("pub pages: i64"), "{types}");
    assert!(
        types.contains("pub authors: Option<Vec<String>>"),
        "{types}"
    );
    let codecs = file(&output, "v2000_01_02/codecs/types.rs");
    let constructor = "new(title: value(impl Into<String>), pages: value(i64));";
    assert!(codecs.contains(constructor), "{codecs}");
}

/// The field has to tell whether the member is absent, so only the constructor stays.
#[test]
fn constructor_still_takes_a_member_that_becomes_optional() {
    let output = project(&["title", "pages"], &["title"]).generate().unwrap();
    let types = file(&output, "v2000_01_02/types.rs");
    assert!(types.contains("pub pages: Option<i64>"), "{types}");
    let codecs = file(&output, "v2000_01_02/codecs/types.rs");
    let constructor = "new(title: value(impl Into<String>), pages: some(i64));";
    assert!(codecs.contains(constructor), "{codecs}");
}

#[test]
fn required_member_that_is_new_stays_out_of_the_constructor() {
    let mut project = project(&["title"], &["title"]);
    let mut newer = members();
    newer["shelf"] = json!({ "type": "string" });
    newer["kind"] = json!({ "enum": ["lent", "free"] });
    project.schemas[1] = revision("2000-01-02", &newer, &["title", "shelf", "kind"]);
    project.hints.upgrades = [("Book.kind".to_owned(), json!("free"))].into();
    let output = project.generate().unwrap();
    let types = file(&output, "v2000_01_02/types.rs");
    assert!(types.contains("pub shelf: String"), "{types}");
    let codecs = file(&output, "v2000_01_02/codecs/types.rs");
    assert!(
        codecs.contains("new(title: value(impl Into<String>));"),
        "{codecs}"
    );
    assert!(
        codecs.contains("default(kind = BookKind::Free);"),
        "{codecs}"
    );
    assert!(
        codecs.contains("required shelf = value(impl Into<String>);"),
        "{codecs}"
    );
    let notes = output.report.notes.iter().map(|(_, note)| note.to_string());
    let notes: Vec<String> = notes.filter(|note| note.contains("`follow`")).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes
            .iter()
            .any(|note| note.starts_with("`Book.shelf` is required now"))
    );
}

/// The form is that of the first revision, not only of the one before.
#[test]
fn later_revisions_keep_the_form_too() {
    let mut project = project(&["title"], &ALL);
    let mut newest = members();
    newest["note"] = json!({ "type": "string" });
    project.schemas.push(revision("2000-01-03", &newest, &ALL));
    let output = project.generate().unwrap();
    let types = file(&output, "v2000_01_03/types.rs");
    assert!(types.contains("pub pages: Option<i64>"), "{types}");
    let notes = output.report.notes.iter();
    let fresh = notes.filter(|(revision, note)| {
        revision == "2000-01-03" && note.to_string().contains("`follow`")
    });
    assert_eq!(fresh.count(), 0);
}
