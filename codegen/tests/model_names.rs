//! Names that the generator chooses when a revision changes something.

use codegen::doc_texts::DocTexts;
use codegen::hints::Hints;
use codegen::lower::lower;
use codegen::model::{Kind, MessageKind, Model, Note, Source, Ty, build};
use codegen::schema::Document;
use serde_json::{Value, json};

fn model(definitions: &Value, hints: &Value, previous: Option<&Model>) -> Model {
    let text = json!({ "$defs": definitions }).to_string();
    let document = Document::parse("some.json", &text).unwrap();
    let hints: Hints = serde_json::from_value(hints.clone()).unwrap();
    let source = Source {
        file: "some.json",
        revision: "2000-01-02",
        definitions: &document.definitions,
        root: None,
        document: &document,
        left_out: &[],
        exact: false,
        previous,
    };
    build(source, &hints, &DocTexts::default()).unwrap()
}

/// A type for each list of values, with a member that has one of them.
fn boxes(values: &[&[&str]]) -> Value {
    let boxes = values.iter().enumerate().map(|(at, values)| {
        let member = json!({ "type": "string", "enum": values });
        let schema = json!({ "type": "object", "properties": { "size": member } });
        (
            format!("Box{}", char::from(b'A' + u8::try_from(at).unwrap())),
            schema,
        )
    });
    Value::Object(boxes.collect())
}

fn sizes() -> Value {
    json!({ "inline": { "BoxASize": "Size", "BoxBSize": "Size", "BoxCSize": "Size" } })
}

fn values<'a>(model: &'a Model, name: &str) -> Vec<&'a str> {
    match model.get(name).map(|def| &def.kind) {
        Some(Kind::Enum(known)) => known
            .values
            .iter()
            .map(|(value, _)| value.as_str())
            .collect(),
        other => panic!("{name} is {other:?}"),
    }
}

fn type_of_size(model: &Model, owner: &str) -> String {
    let Some(Kind::Object(object)) = model.get(owner).map(|def| &def.kind) else {
        panic!("{owner} is not an object");
    };
    let Ty::Named(name) = &object.members[0].ty else {
        panic!("{:?}", object.members[0].ty);
    };
    name.clone()
}

#[test]
fn inline_type_that_differs_from_the_others_is_named_after_its_place() {
    let definitions = boxes(&[&["s", "l"], &["s", "l", "xl"], &["s", "l"]]);
    let model = model(&definitions, &sizes(), None);
    assert_eq!(values(&model, "Size"), ["s", "l"]);
    assert_eq!(values(&model, "BoxBSize"), ["s", "l", "xl"]);
    assert_eq!(type_of_size(&model, "BoxB"), "BoxBSize");
    assert_eq!(type_of_size(&model, "BoxC"), "Size");
    let note = Note::Named {
        pointer: "/BoxB/properties/size".to_owned(),
        name: "BoxBSize".to_owned(),
        hinted: "Size".to_owned(),
    };
    assert_eq!(model.notes, [note]);
}

#[test]
fn first_inline_type_gives_way_to_the_form_of_most() {
    let definitions = boxes(&[&["s", "l", "xl"], &["s", "l"], &["s", "l"]]);
    let model = model(&definitions, &sizes(), None);
    assert_eq!(type_of_size(&model, "BoxA"), "BoxASize");
    assert_eq!(values(&model, "Size"), ["s", "l"]);
}

#[test]
fn of_two_forms_the_one_of_the_revision_before_keeps_the_name() {
    let before = model(&boxes(&[&["s", "l"], &["s", "l"]]), &sizes(), None);
    let definitions = boxes(&[&["s", "l", "xl"], &["s", "l"]]);
    let after = model(&definitions, &sizes(), Some(&before));
    assert_eq!(type_of_size(&after, "BoxB"), "Size");
    // Without a revision before, the first one keeps it.
    let alone = model(&definitions, &sizes(), None);
    assert_eq!(type_of_size(&alone, "BoxA"), "Size");
}

#[test]
fn definition_keeps_its_name() {
    let mut definitions = boxes(&[&["s", "l"], &["s", "l"]]);
    definitions["Size"] = json!({ "type": "string", "enum": ["tiny", "huge"] });
    let model = model(&definitions, &sizes(), None);
    assert_eq!(values(&model, "Size"), ["tiny", "huge"]);
    assert_eq!(type_of_size(&model, "BoxA"), "BoxASize");
    assert_eq!(type_of_size(&model, "BoxB"), "BoxBSize");
}

#[test]
fn name_after_the_place_gets_a_number_if_it_is_taken() {
    let mut definitions = boxes(&[&["s", "l"], &["s", "l", "xl"], &["s", "l"]]);
    definitions["BoxBSize"] = json!({ "type": "object", "properties": { "width": {} } });
    let model = model(&definitions, &sizes(), None);
    assert_eq!(type_of_size(&model, "BoxB"), "BoxBSize2");
    assert_eq!(values(&model, "BoxBSize2"), ["s", "l", "xl"]);
}

#[test]
fn inline_types_inside_an_inline_type_are_named_after_it() {
    let inner = |values: &[&str]| {
        let size = json!({ "type": "string", "enum": values });
        let inner = json!({ "type": "object", "properties": { "size": size } });
        json!({ "type": "object", "properties": { "inner": inner } })
    };
    let definitions = json!({
        "A": inner(&["s", "l"]), "B": inner(&["s", "l"]), "C": inner(&["s", "xl"]),
    });
    let hints = json!({ "inline": { "AInner": "Inner", "BInner": "Inner", "CInner": "Inner" } });
    let model = model(&definitions, &hints, None);
    assert_eq!(values(&model, "InnerSize"), ["s", "l"]);
    let last = type_of_size(&model, &type_of_size(&model, "C"));
    assert_eq!(values(&model, &last), ["s", "xl"]);
}

#[test]
fn hint_for_one_revision_takes_precedence() {
    let definitions = boxes(&[&["s", "l"]]);
    let hints = json!({ "inline": { "BoxASize": "Size", "2000-01-02/BoxASize": "Width", "2000-01-01/BoxASize": "No" } });
    let model = model(&definitions, &hints, None);
    assert_eq!(type_of_size(&model, "BoxA"), "Width");
}

fn idents(model: &Model, union: &str) -> Vec<String> {
    match model.get(union).map(|def| &def.kind) {
        Some(Kind::Union(union)) => union.variants.iter().map(|it| it.ident.clone()).collect(),
        other => panic!("{union} is {other:?}"),
    }
}

fn animals(names: &[&str]) -> Value {
    let mut definitions = json!({});
    for name in names {
        definitions[name] = json!({ "type": "object", "properties": { (*name).to_owned(): {} }, "required": [name] });
    }
    let refs = names
        .iter()
        .map(|name| json!({ "$ref": format!("#/$defs/{name}") }));
    definitions["Animal"] = json!({ "anyOf": refs.collect::<Vec<_>>() });
    definitions
}

#[test]
fn variants_keep_their_names_when_a_union_grows() {
    let hints = json!({});
    let before = model(&animals(&["CatAnimal", "DogAnimal"]), &hints, None);
    assert_eq!(idents(&before, "Animal"), ["Cat", "Dog"]);
    let grown = animals(&["CatAnimal", "DogAnimal", "Whale"]);
    let after = model(&grown, &hints, Some(&before));
    assert_eq!(idents(&after, "Animal"), ["Cat", "Dog", "Whale"]);
    let renamed = json!({ "renamed": { "2000-01-02/DogAnimal": "Hound" } });
    let after = model(&animals(&["CatAnimal", "Hound"]), &renamed, Some(&before));
    assert_eq!(idents(&after, "Animal"), ["Cat", "Dog"]);
}

#[test]
fn variants_with_the_same_name_get_distinct_ones() {
    let part = |tag: &str| {
        let kind = json!({ "const": tag });
        json!({ "type": "object", "properties": { "kind": kind }, "required": ["kind"] })
    };
    let definitions = json!({ "U": { "anyOf": [part("a-b"), part("a_b")] } });
    let model = model(&definitions, &json!({}), None);
    let found = idents(&model, "U");
    assert_eq!(found[0], "AB");
    assert_ne!(found[0], found[1]);
    let renamed = |note: &&Note| matches!(note, Note::Variant { owner, .. } if owner == "U");
    assert_eq!(model.notes.iter().filter(renamed).count(), 1);
}

#[test]
fn values_with_the_same_name_get_distinct_variants() {
    let values = json!(["a-b", "a_b", "a b", "ab"]);
    let definitions = json!({ "E": { "type": "string", "enum": values } });
    let model = model(&definitions, &json!({}), None);
    let lowered = lower(&model).unwrap();
    let names = lowered.variants["E"].values().map(ToString::to_string);
    let names: std::collections::BTreeSet<String> = names.collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

#[test]
fn request_without_a_known_result_gets_the_fallback() {
    let request = json!({
        "type": "object", "properties": { "method": { "const": "feed" } }, "required": ["method"],
    });
    let hints = json!({ "messages": { "fallback": ["Missing", "Result"] } });
    let mut definitions = json!({ "FeedRequest": request });
    let result = |model: &Model| match &model.messages[0].kind {
        MessageKind::Request(ty) => ty.clone(),
        MessageKind::Notification => panic!("a request is expected"),
    };
    let alone = model(&definitions, &hints, None);
    assert_eq!(result(&alone), Ty::AnyObject);
    definitions["Result"] = json!({ "type": "object" });
    let with_result = model(&definitions, &hints, None);
    assert_eq!(result(&with_result), Ty::Named("Result".to_owned()));
    let note = Note::Unanswered {
        request: "FeedRequest".to_owned(),
        result: Some("Result".to_owned()),
    };
    assert_eq!(with_result.notes, [note]);
}
