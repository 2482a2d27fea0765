//! The table of the revisions that have each item, and the sentences about it in the documentation.

use codegen::project::{Output, Project, Source};
use serde_json::{Value, json};

/// Generates the sources for schemas with these definitions, one for each year from 2001 on.
fn generate(schemas: &[Value], hints: &Value, patches: &[Value]) -> Output {
    let source = |name: String, root: &Value| Source {
        file: format!("{name}.json"),
        name,
        text: root.to_string(),
    };
    let schemas = schemas.iter().zip(2001..);
    let schemas = schemas.map(|(all, year)| source(year.to_string(), &json!({ "$defs": all })));
    let patches = patches
        .iter()
        .map(|patch| source(patch["name"].as_str().unwrap().to_owned(), patch));
    let project = Project {
        schemas: schemas.collect(),
        patches: patches.collect(),
        hints: serde_json::from_value(hints.clone()).unwrap(),
        ..Project::default()
    };
    project.generate().unwrap()
}

fn file<'a>(output: &'a Output, path: &str) -> &'a str {
    let mut files = output.files.iter();
    &files.find(|file| file.path == path).unwrap().text
}

/// Returns the rows of the table as they are generated.
fn rows(output: &Output) -> Vec<&str> {
    let lines = file(output, "items.rs").lines().map(str::trim);
    let rows = lines.filter_map(|line| line.strip_prefix("(\"")?.strip_suffix("),"));
    rows.collect()
}

fn assert_row(output: &Output, row: &str) {
    let rows = rows(output);
    assert!(rows.contains(&row), "{row} is not in {rows:#?}");
}

fn object(members: &[&str]) -> Value {
    let member = |name: &&str| ((*name).to_owned(), json!({ "type": "string" }));
    let members: serde_json::Map<String, Value> = members.iter().map(member).collect();
    json!({ "type": "object", "properties": members })
}

#[test]
fn table_has_each_kind_of_item() {
    let old = json!({
        "Book": object(&["title"]),
        "Shape": { "type": "string", "enum": ["flat", "round"] },
        "Thing": { "anyOf": [{ "$ref": "#/$defs/Book" }, { "type": "string" }] },
    });
    let new = json!({
        "Book": object(&["title", "isbn"]),
        "Map": object(&["scale"]),
        "Shape": { "type": "string", "enum": ["flat", "round", "thick"] },
        "Thing": { "anyOf": [
            { "$ref": "#/$defs/Book" }, { "$ref": "#/$defs/Map" },
            { "type": "array", "items": { "$ref": "#/$defs/Map" } },
        ] },
        "LendRequest": {
            "type": "object", "required": ["method"], "properties": { "method": { "const": "lend" } },
        },
    });
    let output = generate(&[old, new], &json!({}), &[]);
    assert_eq!(
        rows(&output),
        [
            "Book\", 0b11",
            "Book.isbn\", 0b10",
            "Book.title\", 0b11",
            "LendRequest\", 0b10",
            "LendRequest.method\", 0b10",
            "Map\", 0b10",
            "Map.scale\", 0b10",
            "Shape\", 0b11",
            "Shape=flat\", 0b11",
            "Shape=round\", 0b11",
            "Shape=thick\", 0b10",
            "Thing\", 0b11",
            "Thing|Book\", 0b11",
            "Thing|Map\", 0b10",
            "Thing|Map[]\", 0b10",
            "Thing|string\", 0b01",
            "lend\", 0b10",
        ]
    );
}

#[test]
fn documentation_says_when_an_item_appeared_and_disappeared() {
    let years = [
        json!({ "Book": object(&["title", "spine"]) }),
        json!({ "Book": object(&["title", "isbn"]), "Map": object(&["scale", "fold"]) }),
        json!({ "Book": object(&["title", "spine"]), "Map": object(&["scale"]) }),
        json!({ "Book": object(&["title"]) }),
    ];
    let output = generate(&years, &json!({}), &[]);
    let words = |year: &str, item: &str, sentence: &str| {
        let text = file(&output, &format!("v{year}/types.rs"));
        let before = text.split(item).next().unwrap_or_default();
        // Between the documentation and the item are attributes only.
        let mut lines = before.lines().rev().map(str::trim).skip(1);
        let last = lines
            .find(|line| !line.starts_with("#["))
            .unwrap_or_default();
        assert_eq!(last, format!("/// {sentence}"), "{year} {item}: {text}");
    };
    words("2001", "pub spine", "Not in 2002. Until 2003.");
    words("2002", "pub isbn", "Since 2002. Until 2002.");
    words("2003", "pub struct Map", "Since 2002. Until 2003.");
    words("2002", "pub fold", "Until 2002.");
    // It has come and gone with its type.
    words("2003", "pub scale", "The member `scale`.");
    words("2004", "pub title", "The member `title`.");
}

#[test]
fn renamed_definition_is_one_item_with_two_names() {
    let years = [
        json!({ "Tome": object(&["title"]), "Thing": { "anyOf": [{ "$ref": "#/$defs/Tome" }, { "type": "string" }] } }),
        json!({ "Book": object(&["title", "isbn"]), "Thing": { "anyOf": [{ "$ref": "#/$defs/Book" }, { "type": "string" }] } }),
    ];
    let hints = json!({ "renamed": { "2002/Tome": "Book" } });
    let output = generate(&years, &hints, &[]);
    for row in [
        "Book\", 0b11",
        "Tome\", 0b11",
        "Tome.title\", 0b11",
        "Thing|Book\", 0b11",
        "Thing|Tome\", 0b11",
        "Book.isbn\", 0b10",
    ] {
        assert_row(&output, row);
    }
    let types = file(&output, "v2001/types.rs");
    assert!(!types.contains("Until"), "{types}");
    let types = file(&output, "v2002/types.rs");
    assert_eq!(types.matches("Since 2002.").count(), 1, "{types}");
}

#[test]
fn old_name_that_another_definition_uses_stands_for_that_one() {
    let years = [
        json!({ "Book": object(&["title", "spine"]) }),
        json!({ "Volume": object(&["title", "spine"]), "Book": object(&["isbn"]) }),
    ];
    let hints = json!({ "renamed": { "2002/Book": "Volume" } });
    let output = generate(&years, &hints, &[]);
    assert_eq!(
        rows(&output),
        [
            "Book\", 0b10",
            "Book.isbn\", 0b10",
            "Volume\", 0b11",
            "Volume.spine\", 0b11",
            "Volume.title\", 0b11",
        ]
    );
}

#[test]
fn restated_member_is_as_old_as_its_definition() {
    let years = [
        json!({ "Book": object(&["title"]), "Shelf": object(&["label"]) }),
        json!({
            "Book": object(&["title"]),
            "Map": object(&["title"]),
            "Print": object(&["title"]),
            "Shelf": object(&["label", "_meta"]),
        }),
        json!({
            "Book": object(&["title", "_meta"]),
            "Map": object(&["title", "_meta"]),
            "Print": object(&["title", "_meta"]),
            "Shelf": object(&["label", "_meta"]),
        }),
    ];
    let hints = json!({ "restated": { "2003/*._meta": true, "2003/Print._meta": false } });
    let output = generate(&years, &hints, &[]);
    for row in [
        "Book._meta\", 0b111",
        "Map._meta\", 0b110",
        "Print._meta\", 0b100",
        // It was not added in that revision.
        "Shelf._meta\", 0b110",
    ] {
        assert_row(&output, row);
    }
}

#[test]
fn additions_of_proposals_belong_to_no_revision() {
    let years = [
        json!({ "Book": object(&["title"]), "Map": object(&["scale"]), "Shelf": object(&["label"]) }),
        json!({ "Book": object(&["title"]), "Shelf": object(&["label"]) }),
    ];
    let patch = json!({
        "name": "maps", "since": "2002", "title": "Maps", "source": "S",
        "definitions": { "Map": object(&["scale"]) },
        "members": { "Shelf": { "properties": { "map": { "$ref": "#/$defs/Map" } } } },
        "variants": {},
    });
    let output = generate(&years, &json!({}), &[patch]);
    assert_row(&output, "Map\", 0b01");
    assert!(!rows(&output).iter().any(|row| row.starts_with("Shelf.map")));
    let types = file(&output, "v2001/types.rs");
    let sentence = "/// Behind the feature `proposals` since 2002.";
    assert!(types.contains(sentence), "{types}");
    let types = file(&output, "v2002/types.rs");
    assert!(!types.contains("Since"), "{types}");
}
