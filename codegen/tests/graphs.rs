//! Types that refer to each other in a graph have exponentially many paths, which are not all taken.

use codegen::project::{Project, Source, StandaloneOptions};
use serde_json::{Map, Value, json};

/// Definitions `{prefix}0`, `{prefix}1`, ..: unions of two lists of the next one. The number of paths
/// through them doubles with each.
fn doubling(prefix: &str, depth: usize, leaf: &Value, definitions: &mut Map<String, Value>) {
    for at in 0..depth {
        let next = json!({ "$ref": format!("#/$defs/{prefix}{}", at + 1) });
        let list = json!({ "type": "array", "items": next });
        let union = json!({ "anyOf": [
            list,
            { "$ref": format!("#/$defs/{prefix}{}Other", at) },
        ] });
        definitions.insert(format!("{prefix}{at}"), union);
        let other = json!({ "anyOf": [next, { "type": "boolean" }] });
        definitions.insert(format!("{prefix}{at}Other"), other);
    }
    definitions.insert(format!("{prefix}{depth}"), leaf.clone());
}

fn source(name: &str, prefix: &str, depth: usize, leaf: &Value) -> Source {
    let mut definitions = Map::new();
    definitions.insert(
        "Book".to_owned(),
        json!({
            "type": "object",
            "properties": { "content": { "$ref": format!("#/$defs/{prefix}0") } },
            "required": ["content"],
        }),
    );
    doubling(prefix, depth, leaf, &mut definitions);
    Source {
        name: name.to_owned(),
        file: format!("{name}.json"),
        text: json!({ "$defs": definitions }).to_string(),
    }
}

fn conversions(depth: usize) -> Vec<String> {
    let schemas = vec![
        source("2000-01-01", "Old", depth, &json!({ "type": "string" })),
        source("2000-01-02", "New", depth, &json!({ "type": "integer" })),
    ];
    let project = Project {
        schemas,
        ..Project::default()
    };
    let report = project.review().expect("a review");
    assert_eq!(report.failure, None);
    let lines = report.conversions.into_iter().map(|(_, line)| line);
    lines.collect()
}

#[test]
fn types_that_refer_to_each_other_in_a_graph_are_compared_in_bounded_time() {
    // One after another way is tried for each of 2^200 paths, without a bound.
    let lines = conversions(200);
    let expected =
        "2000-01-01 to 2000-01-02: `Book.content` is an error unless it is valid in both revisions";
    assert!(lines.iter().any(|line| line == expected), "{lines:#?}");
}

#[test]
fn variants_of_unions_in_a_graph_are_planned_in_bounded_time() {
    let mut definitions = Map::new();
    for at in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/U{}", at + 1) });
        let name = format!("member{at}");
        let leaf = json!({ "type": "object", "properties": { &name: {} }, "required": [name] });
        let other = json!({ "$ref": format!("#/$defs/U{at}Other") });
        definitions.insert(format!("U{at}"), json!({ "anyOf": [next, other] }));
        definitions.insert(format!("U{at}Other"), json!({ "anyOf": [next, leaf] }));
    }
    let leaf = json!({ "type": "object", "properties": { "x": {} }, "required": ["x"] });
    definitions.insert("U60".to_owned(), leaf);
    let text = json!({ "$defs": definitions }).to_string();
    let outcome =
        Project::default().standalone("a", "a.json", &text, &StandaloneOptions::default());
    let outcome = outcome.expect("types");
    // Each leaf is found, also through more than a few unions.
    let codecs = outcome
        .files
        .iter()
        .filter(|file| file.path.starts_with("codecs/"));
    let codecs: String = codecs.map(|file| file.text.as_str()).collect();
    let root = codecs
        .split("impl codec::Decode for U0 ")
        .nth(1)
        .expect("a decoder");
    let root = root
        .split("impl codec::Decode for ")
        .next()
        .unwrap_or_default();
    assert!(root.contains("codec::Has(\"member59\")"), "{root}");
}
