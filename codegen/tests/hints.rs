//! Hints that are wrong are errors that name the entry.

use codegen::hints::Hints;
use codegen::project::{Project, ProjectError, Source, Standalone, StandaloneOptions};
use serde_json::{Value, json};

const SCHEMA: &str = r##"{"$defs": {
    "Book": {
        "type": "object",
        "properties": {
            "author": {"type": "object", "properties": {"name": {"type": "string"}}},
            "pages": {"type": "integer"},
            "content": {"$ref": "#/$defs/Content"}
        },
        "required": ["pages"]
    },
    "Content": {"anyOf": [{"$ref": "#/$defs/Text"}, {"$ref": "#/$defs/Image"}]},
    "Text": {"type": "object", "properties": {"text": {"type": "string"}}},
    "Image": {"type": "object", "properties": {"data": {"type": "string"}}}
}}"##;

fn hints(hints: &Value) -> Hints {
    Hints::parse("hints.json", &hints.to_string()).expect("hints")
}

fn standalone(given: &Value) -> Result<Standalone, ProjectError> {
    let options = StandaloneOptions {
        hints: Some(hints(given)),
        ..StandaloneOptions::default()
    };
    Project::default().standalone("a", "a.json", SCHEMA, &options)
}

fn unknown(error: &ProjectError) -> Vec<(String, String)> {
    let ProjectError::Hints(unknown) = error else {
        panic!("{error}");
    };
    let found = unknown
        .iter()
        .map(|it| (it.pointer.clone(), it.name.clone()));
    found.collect()
}

#[test]
fn hint_that_names_nothing_in_the_schema_is_an_error() {
    // Each table with the entry, and the name that the schema does not have.
    let cases = [
        (
            json!({"native": {"Books": "Value"}}),
            "/native/Books",
            "Books",
        ),
        (
            json!({"inline": {"BookAutor": "A"}}),
            "/inline/BookAutor",
            "BookAutor",
        ),
        (
            json!({"inline": {"BookAuthor": "an author"}}),
            "/inline/BookAuthor",
            "an author",
        ),
        (
            json!({"inline": {"BookAuthor": "Text"}}),
            "/inline/BookAuthor",
            "Text",
        ),
        (
            json!({"native": {"BookAuthor": "Value"}}),
            "/native/BookAuthor",
            "BookAuthor",
        ),
        // The type exists, but it has a name of its own.
        (
            json!({"inline": {"BookContent": "A"}}),
            "/inline/BookContent",
            "BookContent",
        ),
        (
            json!({"variants": {"Contents": {}}}),
            "/variants/Contents",
            "Contents",
        ),
        (json!({"variants": {"Book": {}}}), "/variants/Book", "Book"),
        (
            json!({"variants": {"Content": {"Video": "V"}}}),
            "/variants/Content/Video",
            "Video",
        ),
        (
            json!({"decide": {"Contents": {}}}),
            "/decide/Contents",
            "Contents",
        ),
        (
            json!({"decide": {"Content": {"order": ["Text", "Video"]}}}),
            "/decide/Content/order/1",
            "Video",
        ),
        (
            json!({"decide": {"Content": {"when": {"Text": ["data"]}}}}),
            "/decide/Content/when/Text/0",
            "Text.data",
        ),
        (
            json!({"messages": {"results": {"Ask": "Book"}}}),
            "/messages/results/Ask",
            "Ask",
        ),
        (
            json!({"messages": {"results": {"Book": "Answer"}}}),
            "/messages/results/Book",
            "Answer",
        ),
        (
            json!({"messages": {"client": ["Messages"]}}),
            "/messages/client/0",
            "Messages",
        ),
        (
            json!({"messages": {"server": ["Messages"]}}),
            "/messages/server/0",
            "Messages",
        ),
        (
            json!({"messages": {"fallback": ["Empty"]}}),
            "/messages/fallback/0",
            "Empty",
        ),
        (
            json!({"messages": {"capabilities": ["Caps"]}}),
            "/messages/capabilities/0",
            "Caps",
        ),
        (
            json!({"defaults": {"Book.page": 1}}),
            "/defaults/Book.page",
            "Book.page",
        ),
        (
            json!({"defaults": {"*.page": 1}}),
            "/defaults/*.page",
            "*.page",
        ),
        (
            json!({"upgrades": {"b/Book.page": 1}}),
            "/upgrades/b~1Book.page",
            "b/Book.page",
        ),
        (
            json!({"downgrades": {"*.page": 1}}),
            "/downgrades/*.page",
            "*.page",
        ),
        (
            json!({"fallbacks": {"Contents": {"variant": "Text"}}}),
            "/fallbacks/Contents",
            "Contents",
        ),
        (
            json!({"fallbacks": {"Content": {"variant": "Video"}}}),
            "/fallbacks/Content/variant",
            "Video",
        ),
        (
            json!({"fallbacks": {"Content": {"variant": "Text", "member": "data"}}}),
            "/fallbacks/Content/member",
            "Text.data",
        ),
        (
            json!({"fallbacks": {"Content": {"variant": "Text", "kept": ["data"]}}}),
            "/fallbacks/Content/kept/0",
            "Text.data",
        ),
        (
            json!({"fallbacks": {"Content": {"variant": "Text", "texts": {"Video": ""}}}}),
            "/fallbacks/Content/texts/Video",
            "Video",
        ),
        (json!({"versioned": ["Books"]}), "/versioned/0", "Books"),
        (json!({"kept": ["*.page"]}), "/kept/0", "*.page"),
        (json!({"alike": [["Book", "Books"]]}), "/alike/0/1", "Books"),
        (
            json!({"renamed": {"b/Tome": "Book"}}),
            "/renamed/b~1Tome",
            "Tome",
        ),
        (
            json!({"restated": {"*.page": true}}),
            "/restated/*.page",
            "*.page",
        ),
        (
            json!({"oneOrMany": ["Book.page"]}),
            "/oneOrMany/0",
            "Book.page",
        ),
        (json!({"boxed": ["Book.page"]}), "/boxed/0", "Book.page"),
        (
            json!({"areas": {"list": [{"name": "a", "types": ["Books"]}]}}),
            "/areas/list/0/types/0",
            "Books",
        ),
        (
            json!({"areas": {"list": [{"name": "a", "categories": ["books/*"]}]}}),
            "/areas/list/0/categories/0",
            "books/*",
        ),
        (
            json!({"sources": {"1999-01-01": "https://example.com"}}),
            "/sources/1999-01-01",
            "1999-01-01",
        ),
        (
            json!({"versionConstant": "LATEST"}),
            "/versionConstant",
            "LATEST",
        ),
        (json!({"usage": {"Ask": {}}}), "/usage/Ask", "Ask"),
        (
            json!({"usage": {"Book": {"errors": ["Lost"]}}}),
            "/usage/Book/errors/0",
            "Lost",
        ),
        (
            json!({"crates": {"client": {"supplied": {"page": "x"}}}}),
            "/crates/client/supplied/page",
            "*.page",
        ),
    ];
    for (given, pointer, name) in cases {
        let alone = standalone(&given);
        let error = alone.expect_err(pointer);
        assert_eq!(unknown(&error), [(pointer.to_owned(), name.to_owned())]);
        let line = format!("the hint at `{pointer}` has no effect: expected ");
        assert!(error.to_string().starts_with(&line), "{error}");

        let project = Project {
            schemas: vec![Source {
                name: "2000-01-01".to_owned(),
                file: "a.json".to_owned(),
                text: SCHEMA.to_owned(),
            }],
            hints: hints(&given),
            ..Project::default()
        };
        let lines = project.review().expect("a review").unwritten();
        let line = format!("hints.json: {line}");
        assert!(lines.iter().any(|it| it.starts_with(&line)), "{lines:#?}");
    }
}

#[test]
fn hint_may_name_a_part_with_the_revision() {
    let given = json!({
        "inline": {"a/BookAuthor": "Author"},
        "defaults": {"a/Book.pages": 1},
        "variants": {"a/Content": {"Text": "Words"}},
        "decide": {"Content": {"order": ["Text", "Image", "object"]}},
    });
    let outcome = standalone(&given);
    let outcome = outcome.expect("types");
    let text: String = outcome
        .files
        .iter()
        .map(|file| file.text.as_str())
        .collect();
    assert!(
        text.contains("pub struct Author") && text.contains("Words(Text)"),
        "{text}"
    );
}

#[test]
fn member_that_stands_twice_in_hints_is_an_error_with_its_path() {
    let text = r#"{"inline": {"A": "B", "C": "D", "A": "E"}}"#;
    let error = Hints::parse("hints.json", text).unwrap_err().to_string();
    let expected = "hints.json: the member at `/inline/A` occurs twice at line 1 column ";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn unknown_table_of_hints_is_an_error() {
    let error = Hints::parse("hints.json", r#"{"inlines": {}}"#).unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with("hints.json: unknown field `inlines`"),
        "{error}"
    );
}

#[test]
fn name_that_the_generator_chose_can_be_changed() {
    let schema = r#"{"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {"type": "string"}}}]}"#;
    for (given, expected) in [
        (json!({}), "Root2"),
        (json!({"inline": {"Root2": "Inner"}}), "Inner"),
    ] {
        let options = StandaloneOptions {
            hints: Some(hints(&given)),
            ..StandaloneOptions::default()
        };
        let outcome = Project::default()
            .standalone("root", "root.json", schema, &options)
            .expect("types");
        let struct_line = format!("pub struct {expected} {{");
        assert!(
            outcome
                .files
                .iter()
                .any(|file| file.text.contains(&struct_line)),
            "{expected}"
        );
    }
}
