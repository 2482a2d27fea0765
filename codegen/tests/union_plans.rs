//! How a decoder selects the variant of a union.

use codegen::discriminate::{Objects, plan};
use codegen::doc_texts::DocTexts;
use codegen::hints::Hints;
use codegen::model::{Kind, Source, build};
use codegen::schema::Document;
use serde_json::{Value, json};

/// Returns the candidates for objects of the definition `U`: the type of each variant, and the
/// members by which it is selected.
fn candidates(definitions: &Value) -> Vec<String> {
    let text = json!({ "$defs": definitions }).to_string();
    let document = Document::parse("some.json", &text).unwrap();
    let source = Source {
        file: "some.json",
        revision: "2000-01-02",
        definitions: &document.definitions,
        root: None,
        document: &document,
        left_out: &[],
        exact: false,
        previous: None,
    };
    let hints = Hints::default();
    let model = build(source, &hints, &DocTexts::default()).unwrap();
    let Some(Kind::Union(union)) = model.get("U").map(|def| &def.kind) else {
        panic!("U is not a union");
    };
    let Objects::Shape(candidates) = plan(&model, &hints, "U", union).objects else {
        panic!("the variants of U are not selected by their members");
    };
    let shown = candidates.iter().map(|candidate| {
        let required: Vec<&str> = candidate.required.iter().map(String::as_str).collect();
        format!(
            "{}: {}",
            union.variants[candidate.variant].ident,
            required.join(" ")
        )
    });
    shown.collect()
}

#[test]
fn equal_candidates_of_one_variant_are_tried_once() {
    let object = |required: &[&str]| {
        let properties = required.iter().map(|name| ((*name).to_owned(), json!({})));
        let properties: serde_json::Map<String, Value> = properties.collect();
        json!({ "type": "object", "properties": properties, "required": required })
    };
    let to = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let found = candidates(&json!({
        "U": { "anyOf": [to("Pen"), to("Tube")] },
        "Pen": { "anyOf": [to("Felt"), to("Chalk"), to("Quill")] },
        "Felt": object(&["ink", "case"]),
        "Chalk": object(&["ink", "dust"]),
        "Quill": object(&["ink", "case"]),
        "Tube": object(&["ink"]),
    }));
    assert_eq!(found, ["Pen: case", "Pen: dust", "Tube: "]);
}
