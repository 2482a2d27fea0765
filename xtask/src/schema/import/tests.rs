mod typescript;

use std::fs;
use std::path::PathBuf;

use super::*;

const OLD: &str = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {
    "A": {"type": "object", "properties": {"b": {"type": "string", "description": "text"}}}}}"#;
const NEW: &str = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {
    "A": {"type": "object", "properties": {"b": {"type": "integer"}, "c": {}}}}}"#;
const ERRATA: &str = r#"{"revision": "2000-01-02", "errata": [{"name": "whole-b", "reason": "It is.",
    "changes": [{"at": "/A/properties/b/type", "was": "string", "now": "integer"}]}]}"#;

#[expect(clippy::unnecessary_wraps, reason = "the form of the callback")]
fn review(_: &Path) -> Result<codegen::project::Report> {
    Ok(codegen::project::Report {
        missing_docs: vec!["A.b".to_owned()],
        behaviour: vec![(
            "2000-01-02".to_owned(),
            "new request `a/b` (`AbRequest`), sent by clients".to_owned(),
        )],
        ..Default::default()
    })
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
        let published = Published {
            json: self.put("published.json", text),
            revision: revision.to_owned(),
            typescript: None,
        };
        import(&Store::at(self.0.clone()), &published, true, review)
    }

    /// Returns the content of all files except the published one.
    fn content(&self) -> Vec<(PathBuf, String)> {
        let files = workspace::files(&self.0).unwrap().into_iter();
        let files = files.filter(|file| !file.ends_with("published.json"));
        files
            .map(|file| (file.clone(), fs::read_to_string(file).unwrap()))
            .collect()
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
fn words_are_left_out_and_the_checklist_tells_what_to_look_at() {
    let folder = Folder::new("difference");
    assert!(folder.import(OLD, "2000-01-01").unwrap().ready);
    assert!(!folder.stored("2000-01-01").unwrap().contains("text"));
    let report = folder.import(NEW, "2000-01-02").unwrap();
    assert!(report.ready);
    let list = report.checklist;
    for line in [
        "# Revision 2000-01-02",
        "Changes since 2000-01-01: ",
        "- [ ] `A.b` is integer, was string",
        "- [ ] new request `a/b` (`AbRequest`), sent by clients",
        "- [ ] docs.json has no text for `A.b`",
    ] {
        assert!(list.contains(line), "{line} is not in:\n{list}");
    }
    assert!(!list.contains("`A.c`"), "{list}");
}

#[test]
fn facts_of_the_revision_before_are_carried_over() {
    let folder = Folder::new("facts");
    folder.import(NEW, "2000-01-01").unwrap();
    let facts = r#"{"revision": "2000-01-01", "members": {"/A": ["c", "b"]}, "open": ["/A"]}"#;
    folder.put("2000-01-01/facts.json", facts);
    // An erratum may build on a fact.
    let errata = r#"{"revision": "2000-01-01", "errata": [{"name": "closed", "reason": "It is.",
        "changes": [{"at": "/A/additionalProperties", "was": {}, "now": false}]}]}"#;
    folder.put("errata/2000-01-01.json", errata);
    let new = NEW.replace("\"c\": {}", "\"a\": {}, \"c\": {}");
    let report = folder.import(&new, "2000-01-02").unwrap();
    assert!(report.ready, "{}", report.checklist);
    let stored = fs::read_to_string(folder.0.join("2000-01-02/facts.json")).unwrap();
    assert!(stored.contains(r#""/A": ["c","b","a"]"#), "{stored}");
    let stored = fs::read_to_string(folder.0.join("errata/2000-01-02.json")).unwrap();
    assert!(stored.contains("closed"), "{stored}");
    let line = "- [ ] `members` at `/A`: adapted";
    assert!(report.checklist.contains(line), "{}", report.checklist);
}

#[test]
fn errata_of_the_revision_before_are_carried_over() {
    let folder = Folder::new("carried");
    folder.import(OLD, "2000-01-01").unwrap();
    folder.put("errata/2000-01-01.json", ERRATA);
    let new = NEW.replace("\"integer\"", "\"string\"");
    let report = folder.import(&new, "2000-01-02").unwrap();
    assert!(report.ready);
    let errata = fs::read_to_string(folder.0.join("errata/2000-01-02.json")).unwrap();
    assert!(errata.contains("\"revision\": \"2000-01-02\""), "{errata}");
    assert!(errata.contains("whole-b"), "{errata}");
    assert!(
        !report.checklist.contains("whole-b"),
        "{}",
        report.checklist
    );
    // What a person wrote since then stays.
    folder.put(
        "errata/2000-01-02.json",
        "{\"revision\": \"2000-01-02\", \"errata\": []}",
    );
    folder.import(&new, "2000-01-02").unwrap();
    let errata = fs::read_to_string(folder.0.join("errata/2000-01-02.json")).unwrap();
    assert!(!errata.contains("whole-b"), "{errata}");
}

#[test]
fn erratum_that_upstream_mended_is_not_carried_over() {
    let folder = Folder::new("mended");
    folder.import(OLD, "2000-01-01").unwrap();
    folder.put("errata/2000-01-01.json", ERRATA);
    let report = folder.import(NEW, "2000-01-02").unwrap();
    assert!(report.ready);
    let line =
        "- [ ] erratum `whole-b` dropped, because upstream mended it: `/A/properties/b/type`";
    assert!(report.checklist.contains(line), "{}", report.checklist);
}

#[test]
fn erratum_that_conflicts_does_not_stop_the_import() {
    let folder = Folder::new("conflict");
    folder.import(OLD, "2000-01-01").unwrap();
    folder.put("errata/2000-01-01.json", ERRATA);
    let report = folder
        .import(&NEW.replace("integer", "boolean"), "2000-01-02")
        .unwrap();
    assert!(report.ready);
    let line = "left out: it replaces \"string\" by \"integer\", but 2000-01-02 has \"boolean\"";
    assert!(report.checklist.contains(line), "{}", report.checklist);
}

#[test]
fn errata_of_the_revision_itself_that_do_not_hold_are_reported() {
    for published in ["integer", "boolean"] {
        let folder = Folder::new(published);
        folder.put("errata/2000-01-02.json", ERRATA);
        let text = NEW.replace("integer", published);
        let report = folder.import(&text, "2000-01-02").unwrap();
        assert!(!report.ready);
        assert!(
            report.checklist.contains("erratum `whole-b`"),
            "{}",
            report.checklist
        );
        assert_eq!(folder.stored("2000-01-02"), None);
    }
}

#[test]
fn renamed_definition_is_added_to_the_hints() {
    let folder = Folder::new("renamed");
    let document = |name: &str| {
        let definitions = serde_json::json!({
            "Shelf": { "type": "object", "properties": { "book": { "$ref": format!("#/$defs/{name}") } } },
            name: { "type": "object", "properties": { "title": { "type": "string" } } },
        });
        serde_json::json!({ "$defs": definitions }).to_string()
    };
    let hints =
        "{\n  \"plain\": [\"A\", \"B\"],\n  \"renamed\": {\n    \"1999-01-01/A\": \"B\"\n  }\n}\n";
    folder.put("hints.json", hints);
    folder.import(&document("Book"), "2000-01-01").unwrap();
    let report = folder.import(&document("Volume"), "2000-01-02").unwrap();
    let written = fs::read_to_string(folder.0.join("hints.json")).unwrap();
    let line = ",\n    \"2000-01-02/Book\": \"Volume\"\n  }";
    assert_eq!(written, hints.replace("\n  }", line));
    assert!(
        report.checklist.contains("`Book` became `Volume`"),
        "{}",
        report.checklist
    );
}

#[test]
fn invalid_file_changes_nothing() {
    let folder = Folder::new("invalid");
    folder.import(OLD, "2000-01-01").unwrap();
    let before = folder.stored("2000-01-01");
    for invalid in ["{", "[]", "{}", "true", r#"{"$defs": {"A": {"if": 1}}}"#] {
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
fn nothing_is_stored_if_the_sources_cannot_be_generated() {
    let folder = Folder::new("unsupported");
    folder.import(OLD, "2000-01-01").unwrap();
    folder.put("errata/2000-01-01.json", ERRATA);
    folder.put(
        "README.md",
        "| published file | sha256 |\n| --- | --- |\n\nWords.\n",
    );
    folder.put("hints.json", "{\"renamed\": {}}");
    let before = folder.content();
    let refuse: Review = |folder| {
        // The new revision is there while the sources are generated.
        fs::read_to_string(folder.join("2000-01-02/schema.json"))?;
        anyhow::bail!("no type for A")
    };
    let published = Published {
        json: folder.put("published.json", &NEW.replace("\"A\"", "\"B\"")),
        revision: "2000-01-02".to_owned(),
        typescript: None,
    };
    let store = Store::at(folder.0.clone());
    let report = import(&store, &published, false, refuse).unwrap();
    assert!(!report.ready);
    assert!(
        report.checklist.contains("- [ ] no type for A"),
        "{}",
        report.checklist
    );
    assert!(report.text.contains("nothing is stored"), "{}", report.text);
    assert_eq!(folder.content(), before);
}

#[test]
fn file_that_cannot_be_written_leaves_the_store_as_it_was() {
    let folder = Folder::new("unwritable");
    folder.import(OLD, "2000-01-01").unwrap();
    folder.put("2000-01-01/facts.json", r#"{"revision": "2000-01-01"}"#);
    let before = folder.content();
    let published = Published {
        json: folder.put("published.json", NEW),
        revision: "2000-01-02".to_owned(),
        typescript: None,
    };
    let store = Store::at(folder.0.clone());
    // A folder has the name of the file that is written last.
    let staged = Staged::of(&store).unwrap();
    write(&staged.store, &published, review).unwrap();
    fs::create_dir_all(folder.0.join("2000-01-02/schema.json")).unwrap();
    assert!(staged.commit(&store).is_err());
    fs::remove_dir_all(folder.0.join("2000-01-02/schema.json")).unwrap();
    assert_eq!(folder.content(), before);
}

#[test]
fn stored_revision_is_replaced_only_on_request() {
    let folder = Folder::new("replace");
    folder.import(OLD, "2000-01-01").unwrap();
    let before = folder.stored("2000-01-01");
    let published = Published {
        json: folder.put("published.json", NEW),
        revision: "2000-01-01".to_owned(),
        typescript: None,
    };
    let store = Store::at(folder.0.clone());
    let error = import(&store, &published, false, review).err().unwrap();
    let expected = "revision 2000-01-01 is stored already: `--replace` replaces it";
    assert_eq!(error.to_string(), expected);
    assert_eq!(folder.stored("2000-01-01"), before);
    import(&store, &published, true, review).unwrap();
    assert_ne!(folder.stored("2000-01-01"), before);
}

/// A draft changes all the time: what was written for the older one stays as far as it holds.
#[test]
fn newer_draft_keeps_the_facts_and_errata_of_the_older_one() {
    let folder = Folder::new("draft");
    folder.import(OLD, "2000-01-01").unwrap();
    let draft = NEW.replace("\"integer\"", "\"string\"");
    folder.import(&draft, "draft").unwrap();
    let facts = r#"{"revision": "draft", "members": {"/A": ["c", "b"]}}"#;
    folder.put("draft/facts.json", facts);
    folder.put(
        "errata/draft.json",
        &ERRATA.replace("2000-01-02\"", "draft\""),
    );
    let newer = draft.replace("\"c\": {}", "\"a\": {}, \"c\": {}");
    let report = folder.import(&newer, "draft").unwrap();
    assert!(report.ready, "{}", report.checklist);
    let stored = |file: &str| fs::read_to_string(folder.0.join(file)).unwrap();
    let facts = stored("draft/facts.json");
    assert!(facts.contains(r#""/A": ["c","b","a"]"#), "{facts}");
    let errata = stored("errata/draft.json");
    assert!(errata.contains("whole-b"), "{errata}");

    // The place of the erratum is gone in this one.
    let without = NEW.replace("\"b\": {\"type\": \"integer\"}, ", "");
    let report = folder.import(&without, "draft").unwrap();
    assert!(report.ready, "{}", report.checklist);
    assert!(!stored("errata/draft.json").contains("whole-b"));
}

#[test]
fn new_error_codes_and_newly_deprecated_members_are_in_the_checklist() {
    let folder = Folder::new("codes");
    let with =
        |members: &str| OLD.replace("\"properties\": {", &format!("\"properties\": {{{members}"));
    let old = with(r#""old": {"const": -32000}, "gone": {"type": "string", "deprecated": true}, "#);
    folder.import(&old, "2000-01-01").unwrap();
    let facts = r#"{"revision": "2000-01-01", "constants": {"OLD": -32000, "SAME": -32005}}"#;
    folder.put("2000-01-01/facts.json", facts);
    let facts = r#"{"revision": "2000-01-02", "constants": {"OLD": -32000, "SAME": -32005, "NEW": -32001},
        "deprecated": ["/A/properties/b"]}"#;
    fs::create_dir_all(folder.0.join("2000-01-02")).unwrap();
    folder.put("2000-01-02/facts.json", facts);
    let new = with(
        r#""old": {"const": -32000}, "code": {"const": -32002}, "again": {"const": -32001},
        "gone": {"type": "string", "deprecated": true}, "const": {"type": "string", "deprecated": true}, "#,
    );
    let report = folder.import(&new, "2000-01-02").unwrap();
    let expected = "## New error codes\n\n- [ ] -32002: `/A/properties/code`\n\
                    - [ ] -32001: `NEW`, `/A/properties/again`\n\n\
                    ## Newly deprecated\n\n- [ ] `/A/properties/b` is deprecated\n\
                    - [ ] `/A/properties/const` is deprecated\n";
    assert!(report.checklist.contains(expected), "{}", report.checklist);
}

#[test]
fn reason_why_the_sources_cannot_be_generated_comes_first() {
    let folder = Folder::new("first");
    folder.import(OLD, "2000-01-01").unwrap();
    let refuse: Review = |_| anyhow::bail!("two requests have the method `a`");
    let published = Published {
        json: folder.put("published.json", NEW),
        revision: "2000-01-02".to_owned(),
        typescript: None,
    };
    let store = Store::at(folder.0.clone());
    let checklist = import(&store, &published, true, refuse).unwrap().checklist;
    let first = checklist.lines().find(|line| line.starts_with("- [ ]"));
    assert_eq!(first, Some("- [ ] two requests have the method `a`"));
}
