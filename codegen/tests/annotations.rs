//! A schema with annotations needs no files beside it.

use std::path::PathBuf;

use codegen::project::{Output, Project, Source};
use codegen::schema::{Document, Errata, Facts};
use serde_json::{Value, json};

fn read(path: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../schema");
    std::fs::read_to_string(folder.join(path)).unwrap()
}

/// Returns the errata of the file, which has the annotations in their form.
fn annotations() -> Errata {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../schema/annotations");
    let mut names = std::fs::read_dir(folder).unwrap();
    let name = names.next().unwrap().unwrap().file_name();
    assert!(names.next().is_none(), "annotations of one revision");
    let name = format!("annotations/{}", name.to_str().unwrap());
    Errata::parse(&name, &read(&name)).unwrap()
}

fn source(revision: &str, text: String) -> Source {
    Source {
        name: revision.to_owned(),
        file: format!("{revision}.json"),
        text,
    }
}

/// Generates the sources of one revision.
fn generate(schema: Source, beside: [Vec<Source>; 2], hints: &Value) -> Output {
    let [facts, errata] = beside;
    let project = Project {
        schemas: vec![schema],
        facts,
        errata,
        patches: Vec::new(),
        hints: serde_json::from_value(hints.clone()).unwrap(),
        doc_texts: serde_json::from_str(&read("docs.json")).unwrap(),
        examples: serde_json::from_str(&read("examples.json")).unwrap(),
    };
    project.generate().unwrap()
}

/// Removes what the annotations state.
fn without_protocol(hints: &mut Value) {
    hints.as_object_mut().unwrap().remove("messages");
    for usage in hints["usage"].as_object_mut().unwrap().values_mut() {
        usage.as_object_mut().unwrap().remove("errors");
    }
}

/// Returns the files that differ.
fn different<'a>(a: &'a Output, b: &Output) -> Vec<&'a str> {
    let mut paths: Vec<&str> = (a.files.iter())
        .filter(|file| {
            let mut others = b.files.iter();
            others.all(|other| (&other.path, &other.text) != (&file.path, &file.text))
        })
        .map(|file| file.path.as_str())
        .collect();
    if a.methods.text != b.methods.text {
        paths.push(&a.methods.path);
    }
    paths
}

#[test]
fn annotated_schema_needs_no_facts_no_errata_and_no_hints_about_messages() {
    let annotations = annotations();
    let revision = annotations.revision.as_str();
    let [schema, facts, errata] = [
        format!("{revision}/schema.json"),
        format!("{revision}/facts.json"),
        format!("errata/{revision}.json"),
    ];
    let mut hints: Value = serde_json::from_str(&read("hints.json")).unwrap();
    let published = source(revision, read(&schema));
    let beside = [&facts, &errata].map(|file| vec![source(revision, read(file))]);
    let expected = generate(published, beside, &hints);

    // What a complete export of the TypeScript source would say in plain JSON Schema.
    let mut document = Document::parse(&schema, &read(&schema)).unwrap();
    let facts = Facts::parse(&facts, &read(&facts)).unwrap();
    facts.apply(&mut document).unwrap();
    let errata = Errata::parse(&errata, &read(&errata)).unwrap();
    errata.apply(&mut document).unwrap();
    without_protocol(&mut hints);
    let none = || [Vec::new(), Vec::new()];
    let plain = generate(source(revision, document.to_json()), none(), &hints);
    assert!(different(&expected, &plain).len() > 10, "the hints matter");

    annotations.apply(&mut document).unwrap();
    let annotated = generate(source(revision, document.to_json()), none(), &hints);
    assert_eq!(different(&expected, &annotated), [""; 0]);
    assert_eq!(expected.files.len(), annotated.files.len());
}

#[test]
fn annotation_that_says_nothing_is_an_error_with_its_place() {
    let fault = |annotated: Value| {
        let schema = json!({ "$defs": { "Book": { "type": "object" }, "LendRequest": annotated } });
        let project = Project {
            schemas: vec![source("2001", schema.to_string())],
            ..Project::default()
        };
        project.generate().unwrap_err().to_string()
    };
    assert_eq!(
        fault(json!({ "x-message": { "result": "Page" } })),
        "2001.json: at `/$defs/LendRequest/x-message`: not an annotation: `/Page` is not in this \
         document"
    );
    assert_eq!(
        fault(json!({ "x-message": { "header": "/Book/properties/isbn" } })),
        "2001.json: at `/$defs/LendRequest/x-message`: not an annotation: \
         `/Book/properties/isbn` is not in this document"
    );
    assert_eq!(
        fault(json!({ "x-sender": "reader" })),
        "2001.json: at `/$defs/LendRequest/x-sender`: not an annotation: unknown variant \
         `reader`, expected `client` or `server`"
    );
    assert_eq!(
        fault(json!({ "x-error": { "status": 200 } })),
        "2001.json: at `/$defs/LendRequest/x-error`: not an annotation: 200 is not the HTTP \
         status of an error"
    );
}
