//! A newer revision is generated without documentation texts, hints or examples of its own.

use codegen::project::{Output, Project, ProjectError, Source, StandaloneOptions};
use serde_json::{Value, json};

fn source(name: &str, root: &Value) -> Source {
    Source {
        name: name.to_owned(),
        file: format!("{name}.json"),
        text: root.to_string(),
    }
}

fn old() -> Value {
    json!({
        "Book": {
            "type": "object",
            "properties": { "title": { "type": "string" }, "shape": { "type": "string", "enum": ["flat", "thick"] } },
            "required": ["title"],
        },
        "Map": { "type": "object", "properties": { "shape": { "type": "string", "enum": ["flat", "thick"] } } },
        "LendRequest": {
            "type": "object",
            "properties": { "method": { "const": "lend" }, "params": { "$ref": "#/$defs/Book" } },
            "required": ["method", "params"],
        },
        "LendResult": { "type": "object", "properties": {} , "additionalProperties": {} },
        "LendResultResponse": { "type": "object", "properties": { "result": { "$ref": "#/$defs/LendResult" } } },
    })
}

/// The old revision with texts and examples for everything, and a newer one.
fn project(new: &Value) -> Project {
    let words = json!({
        "Book": "A book.", "Book.title": "Its title.", "Book.shape": "Its shape.",
        "Map": "A map.", "Map.shape": "Its shape.",
        "Shape": "A shape.", "Shape=flat": "Flat.", "Shape=thick": "Thick.",
        "LendRequest": "Lends.", "LendRequest.method": "Lend.", "LendRequest.params": "What.",
        "LendResult": "Lent.", "LendResultResponse": "Lent.", "LendResultResponse.result": "Lent.",
    });
    let examples = json!({ "LendRequest": { "method": "lend", "params": { "title": "Emma" } } });
    let hints = json!({
        "inline": { "BookShape": "Shape", "MapShape": "Shape" },
        "sources": { "2000-01-01": "https://example.com/2000-01-01#{type}" },
        "defaults": {},
    });
    Project {
        schemas: vec![
            source("2000-01-01", &json!({ "$defs": old() })),
            source("2000-01-02", &json!({ "$defs": new })),
        ],
        hints: serde_json::from_value(hints).unwrap(),
        doc_texts: words.as_object().unwrap().clone(),
        examples: examples.as_object().unwrap().clone(),
        ..Project::default()
    }
}

fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut definitions = old();
    change(&mut definitions);
    definitions
}

fn file<'a>(output: &'a Output, path: &str) -> &'a str {
    let mut files = output.files.iter();
    let found = files.find(|file| file.path == path);
    &found
        .unwrap_or_else(|| panic!("{path} is not generated"))
        .text
}

#[test]
fn complete_project_has_nothing_to_write() {
    let output = project(&old()).generate().unwrap();
    assert_eq!(output.report.unwritten(), Vec::<String>::new());
    let types = file(&output, "v2000_01_02/types.rs");
    assert!(
        types.contains("Emma") && !types.contains("Drawn from the schema"),
        "{types}"
    );
}

#[test]
fn missing_text_says_where_the_specification_describes_the_item() {
    let new = with(|all| all["Book"]["properties"]["isbn"] = json!({ "type": "string" }));
    let output = project(&new).generate().unwrap();
    assert_eq!(output.report.missing_docs, ["Book.isbn"]);
    assert_eq!(
        output.report.unwritten(),
        ["docs.json has no text for `Book.isbn`"]
    );
    let types = file(&output, "v2000_01_02/types.rs");
    let line =
        "/// New in 2000-01-02; see the [specification](https://example.com/2000-01-02#book).";
    assert!(types.contains(line), "{types}");
}

#[test]
fn unused_text_does_not_stop_generation() {
    let mut project = project(&old());
    project.doc_texts.insert("Gone".to_owned(), "Words.".into());
    let report = project.generate().unwrap().report;
    assert_eq!(
        report.unwritten(),
        ["docs.json: nothing has the key `Gone`"]
    );
}

#[test]
fn type_that_gets_a_name_of_its_own_keeps_the_texts() {
    let new = with(|all| {
        all["Atlas"] = all["Map"].clone();
        all["Map"]["properties"]["shape"]["enum"] = json!(["flat", "thick", "folded"]);
    });
    let mut project = project(&new);
    let atlas = json!({ "AtlasShape": "Shape" });
    for (key, name) in atlas.as_object().unwrap() {
        let name = name.as_str().unwrap().to_owned();
        project.hints.inline.insert(key.clone(), name);
    }
    let report = project.review().unwrap();
    let missing = ["Atlas", "Atlas.shape", "MapShape=folded"];
    assert_eq!(report.missing_docs, missing);
    assert_eq!(report.notes.len(), 1);
}

#[test]
fn message_without_an_example_gets_one_drawn_from_the_schema() {
    let new = with(|all| {
        all["ReturnRequest"] = json!({
            "type": "object",
            "properties": { "method": { "const": "return" }, "params": { "$ref": "#/$defs/Book" } },
            "required": ["method", "params"],
        });
        all["ReturnResultResponse"] = all["LendResultResponse"].clone();
    });
    let output = project(&new).generate().unwrap();
    assert_eq!(output.report.drawn_examples, ["ReturnRequest"]);
    let types = file(&output, "v2000_01_02/types.rs");
    for part in [
        "Drawn from the schema:",
        "\"method\": \"return\"",
        "\"title\": \"example-title\"",
    ] {
        assert!(types.contains(part), "{part} is not in {types}");
    }
}

#[test]
fn example_that_is_not_valid_any_more_is_drawn_again() {
    let new = with(|all| {
        all["Book"]["properties"]["pages"] = json!({ "type": "integer", "minimum": 3 });
        all["Book"]["required"] = json!(["title", "pages"]);
    });
    let mut project = project(&new);
    // A conversion cannot invent the number of pages without the hints.
    project
        .hints
        .upgrades
        .insert("Book.pages".to_owned(), json!(7));
    let output = project.generate().unwrap();
    assert_eq!(output.report.drawn_examples, ["LendRequest"]);
    let types = file(&output, "v2000_01_02/types.rs");
    assert!(
        types.contains("\"pages\": 7") && !types.contains("Emma"),
        "{types}"
    );
}

#[test]
fn upgrade_can_set_the_revision_at_which_the_conversion_started() {
    let text = || json!({ "type": "string" });
    let new = with(|all| {
        all["Book"]["properties"] = json!({ "title": text(), "printed": text() });
        all["Book"]["required"] = json!(["title", "printed"]);
    });
    let mut project = project(&new);
    let printed = ("Book.printed".to_owned(), json!("{from}"));
    project.hints.upgrades.extend([printed]);
    let output = project.generate().unwrap();
    let conversions = file(&output, "v2000_01_01/upgrade.rs");
    let origin = "unwrap_or_else(|| convert::origin(\"2000-01-01\"))";
    assert!(conversions.contains(origin), "{conversions}");
    let losses = project.review().unwrap().conversions;
    let loss = "a missing `Book.printed` is set to `\"2000-01-01\"`";
    let stated = losses.iter().any(|(_, line)| line.contains(loss));
    assert!(stated, "{losses:?}");
}

#[test]
fn downgrade_cannot_set_the_revision_at_which_the_conversion_started() {
    let new = with(|all| all["Book"]["required"] = json!([]));
    let mut project = project(&new);
    let title = ("Book.title".to_owned(), json!("{from}"));
    project.hints.downgrades.extend([title]);
    let error = project.generate().unwrap_err().to_string();
    assert!(error.contains("`Book.title`"), "{error}");
}

/// A revision that only declares members in another order changes no constructor.
#[test]
fn constructors_keep_the_order_of_their_parameters() {
    let book = |members: &[&str], required: &[&str]| {
        let text = |name: &&str| ((*name).to_owned(), json!({ "type": "string" }));
        let members: serde_json::Map<String, Value> = members.iter().map(text).collect();
        json!({ "type": "object", "properties": members, "required": required })
    };
    let mut older = old();
    older["Book"] = book(&["title", "author", "isbn"], &["title", "author", "isbn"]);
    let new = with(|all| {
        let members = ["shelf", "isbn", "author", "note", "title"];
        all["Book"] = book(&members, &["author", "isbn", "shelf", "title"]);
    });
    let mut project = project(&new);
    project.schemas[0] = source("2000-01-01", &json!({ "$defs": older }));
    let output = project.generate().unwrap();
    let codecs = file(&output, "v2000_01_02/codecs/types.rs");
    let book = codecs.split_once("Book = \"Book\"").unwrap().1;
    let parameters = book.split_once("new(").unwrap().1;
    let parameters = parameters.split_once(");").unwrap().0;
    let names = parameters
        .split(',')
        .filter_map(|part| part.split_once(':'));
    let names: Vec<&str> = names.map(|(name, _)| name.trim()).collect();
    assert_eq!(names, ["title", "author", "isbn"]);
}

/// The newest revision stays the newest one, whatever its draft of the next one says.
#[test]
fn draft_has_a_module_of_its_own_behind_its_feature() {
    let mut project = project(&old());
    let plain = project.generate().unwrap();
    let draft = with(|all| {
        all["Book"]["properties"]["isbn"] = json!({ "type": "string" });
        all["Pencil"] =
            json!({ "type": "object", "properties": { "hard": { "type": "boolean" } } });
    });
    let draft = source("draft", &json!({ "$defs": draft }));
    project.schemas.push(draft);
    let output = project.generate().unwrap();
    assert_eq!(output.report.unwritten(), Vec::<String>::new());

    let types = |output: &Output| file(output, "v2000_01_02/types.rs").to_owned();
    assert_eq!(types(&output), types(&plain));
    let drafted = file(&output, "draft/types.rs");
    assert!(drafted.contains("pub isbn:") && drafted.contains("pub struct Pencil"));
    assert!(!drafted.contains("pub struct LendResult "), "{drafted}");
    let root = file(&output, "mod.rs");
    assert!(root.contains("pub const LATEST: Self = Self::V2000_01_02;"));
    assert!(root.contains("#[cfg(feature = \"draft\")]\npub mod draft;"));
    let feature = ("draft".to_owned(), vec!["v2000-01-02".to_owned()]);
    assert!(output.features.contains(&feature));
}

#[test]
fn messages_and_capabilities_that_come_and_go_are_reported() {
    let new = with(|all| {
        let all = all.as_object_mut().unwrap();
        let mut request = all.shift_remove("LendRequest").unwrap();
        request["properties"]["method"] = json!({ "const": "borrow" });
        all.insert("LendRequest".to_owned(), request);
        all["Map"]["properties"]["scale"] = json!({ "type": "string" });
    });
    let mut project = project(&new);
    project.hints.messages.capabilities = vec!["Map".to_owned()];
    let behaviour = project.review().unwrap().behaviour;
    let unknown = "in no union of what a side sends";
    assert_eq!(
        behaviour,
        [
            format!("new request `borrow` (`LendRequest`), {unknown}"),
            format!("removed request `lend` (`LendRequest`), {unknown}"),
            "new capability `Map.scale`".to_owned(),
        ]
        .map(|line| ("2000-01-02".to_owned(), line))
    );
}

fn patch() -> Source {
    source(
        "maps",
        &json!({
            "name": "maps", "since": "2000-01-01", "title": "Maps", "source": "S",
            "definitions": { "Scale": { "type": "object", "properties": { "factor": { "type": "number" } } } },
            "members": { "Map": { "properties": { "scale": { "$ref": "#/$defs/Scale" } } } },
        }),
    )
}

#[test]
fn revisions_share_the_types_of_proposals() {
    let new = with(|all| all["Book"]["properties"]["isbn"] = json!({ "type": "string" }));
    let mut project = project(&new);
    project.patches.push(patch());
    let output = project.generate().unwrap();
    let new = file(&output, "v2000_01_02/types.rs");
    assert!(
        new.contains("pub struct Scale") && new.contains("pub struct Map"),
        "{new}"
    );
    let old = file(&output, "v2000_01_01/types.rs");
    assert!(
        !old.contains("pub struct Scale") && !old.contains("pub struct Map"),
        "{old}"
    );
    let module = file(&output, "v2000_01_01/mod.rs");
    let reexport = "#[cfg(feature = \"proposals\")]\npub use super::v2000_01_02::Scale;";
    assert!(module.contains(reexport), "{module}");
}

#[test]
fn proposal_that_a_newer_revision_contains_is_reported() {
    let new = with(|all| {
        all["Scale"] =
            json!({ "type": "object", "properties": { "factor": { "type": "number" } } });
        all["Map"]["properties"]["scale"] = json!({ "$ref": "#/$defs/Scale" });
    });
    let mut project = project(&new);
    project.patches.push(patch());
    let report = project.review().unwrap();
    assert_eq!(report.adoptions.len(), 1);
    assert_eq!(report.adoptions[0].revision, "2000-01-02");
    assert_eq!(
        report.adoptions[0].applied.adopted,
        ["/Scale", "/Map/properties/scale"]
    );
}

#[test]
fn proposal_for_a_later_revision_changes_nothing_yet() {
    let mut project = project(&old());
    let mut later = patch();
    later.text = later.text.replace("2000-01-01", "2000-01-03");
    project.patches.push(later);
    let output = project.generate().unwrap();
    assert!(!file(&output, "v2000_01_02/types.rs").contains("Scale"));
}

#[test]
fn proposal_that_repeats_its_own_revision_is_an_error() {
    let mut project = project(&old());
    let mut repeated = patch();
    repeated.text = repeated.text.replace("Scale", "Book");
    project.patches.push(repeated);
    assert!(matches!(project.generate(), Err(ProjectError::Patch(_))));
}

#[test]
fn message_of_a_proposal_exists_at_every_revision_since_it_applies() {
    let mut project = project(&old());
    project.patches.push(source(
        "folding",
        &json!({
            "name": "folding", "since": "2000-01-01", "title": "Folding", "source": "S",
            "definitions": {
                "FoldRequest": {
                    "type": "object",
                    "properties": { "method": { "const": "fold" }, "params": { "$ref": "#/$defs/Book" } },
                    "required": ["method", "params"],
                },
                "FoldResultResponse": {
                    "type": "object",
                    "properties": { "result": { "$ref": "#/$defs/LendResult" } },
                },
            },
            "members": {}, "variants": {},
        }),
    ));
    let draft = source("draft", &json!({ "$defs": old() }));
    project.schemas.push(draft);
    let output = project.generate().unwrap();
    let versions = file(&output, "versions.rs");
    let bounds = "v2000_01_02::FoldRequest = \"FoldRequest\", Revision::V2000_01_01, LAST;";
    assert!(versions.contains(bounds), "{versions}");
}

#[test]
fn messages_of_an_extension_for_any_revision_exist_at_older_revisions() {
    let mut project = project(&old());
    project.patches.push(source(
        "folding",
        &json!({
            "name": "folding", "identifier": "example/folding", "since": "2000-01-02",
            "anyRevision": true, "title": "Folding", "source": "S",
            "definitions": {
                "FoldRequest": {
                    "type": "object",
                    "properties": { "method": { "const": "fold" }, "params": { "$ref": "#/$defs/FoldParams" } },
                    "required": ["method", "params"],
                },
                "FoldParams": { "type": "object", "properties": { "times": { "type": "integer" } } },
            },
        }),
    ));
    let output = project.generate().unwrap();
    let versions = file(&output, "versions.rs");
    let bounds = "FoldParams = \"FoldParams\", Revision::V2000_01_01, Revision::V2000_01_02;";
    assert!(versions.contains(bounds), "{versions}");
}

#[test]
fn two_requests_with_one_method_are_an_error() {
    let new = with(|all| all["LoanRequest"] = all["LendRequest"].clone());
    let error = project(&new).review().unwrap_err().to_string();
    assert_eq!(
        error,
        "2000-01-02.json: `LendRequest` and `LoanRequest` have the same method `lend`"
    );
    assert!(project(&new).generate().is_err());
}

#[test]
fn single_schema_with_two_requests_of_one_method_has_a_warning() {
    let schema = json!({ "$defs": with(|all| all["LoanRequest"] = all["LendRequest"].clone()) });
    let outcome = Project::default().standalone(
        "a",
        "a.json",
        &schema.to_string(),
        &StandaloneOptions::default(),
    );
    let warning = "`LendRequest` and `LoanRequest` have the same method `lend`".to_owned();
    assert!(outcome.unwrap().warnings.contains(&warning));
}

#[test]
fn area_with_a_name_that_generated_code_uses_is_rejected() {
    for name in ["type", "gen", "codec", "std", "support", "mod", "a-b", ""] {
        let mut project = project(&old());
        project.hints.areas.default = name.to_owned();
        let error = project.generate().unwrap_err().to_string();
        assert!(
            error.contains(&format!("the name `{name}`: expected")),
            "{error}"
        );
    }
}
