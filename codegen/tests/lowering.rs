//! The types of fields and the variants of enumerations that `typify` generates.

use codegen::doc_texts::DocTexts;
use codegen::hints::Hints;
use codegen::lower::{Lowered, lower};
use codegen::model::{Source, build};
use codegen::schema::Document;
use serde_json::{Value, json};

fn lowered(definitions: &Value) -> Lowered {
    let text = json!({ "$defs": definitions }).to_string();
    let document = Document::parse("some.json", &text).unwrap();
    let hints = json!({ "boxed": ["Parcel.large"], "native": { "Stamp": "Stamp" } });
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
    let hints: Hints = serde_json::from_value(hints).unwrap();
    let model = build(source, &hints, &DocTexts::default()).unwrap();
    lower(&model).unwrap()
}

/// Returns the type of each field of `Parcel`, whose members are `properties`. All members with a
/// name in capitals are required.
fn fields(properties: &Value) -> Vec<(String, String)> {
    let required = properties.as_object().unwrap().keys();
    let required: Vec<_> = required
        .filter(|name| name.to_uppercase() == **name)
        .collect();
    let size = json!({ "type": "object", "properties": { "tall": { "type": "boolean" } } });
    let lowered = lowered(&json!({
        "Parcel": { "type": "object", "properties": properties, "required": required },
        "JSONRPCSize": size,
        "JsonrpcSize": size,
        "post/Size": size,
        "Either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
        "Stamp": { "type": "string" },
        "Link": { "type": "string", "minLength": 1 },
    }));
    let fields = lowered.fields["Parcel"].iter();
    fields
        .map(|(json, ty)| {
            (
                json.clone(),
                quote::quote!(#ty).to_string().replace(' ', ""),
            )
        })
        .collect()
}

fn check(properties: &[(&str, Value, &str)]) {
    let all = properties.iter();
    let all = all.map(|(name, schema, _)| ((*name).to_owned(), schema.clone()));
    let mut expected: Vec<(String, String)> = properties
        .iter()
        .map(|(name, _, ty)| ((*name).to_owned(), (*ty).to_owned()))
        .collect();
    expected.sort();
    assert_eq!(fields(&Value::Object(all.collect())), expected);
}

#[test]
fn fields_have_the_types_of_their_members() {
    let list = |items: Value| json!({ "type": "array", "items": items });
    let text = || json!({ "type": "string" });
    check(&[
        ("type", text(), "String"),
        ("_meta", json!({ "type": "object" }), "Object"),
        ("org.example/weight", json!({ "type": "number" }), "Number"),
        ("count", json!({ "type": "integer", "minimum": 0 }), "i64"),
        ("any", json!({}), "Value"),
        (
            "none",
            json!({ "type": "object", "additionalProperties": false }),
            "codec::Empty",
        ),
        (
            "bytes",
            json!({ "type": "string", "format": "byte" }),
            "Base64Text",
        ),
        ("words", list(text()), "Vec<String>"),
        (
            "lists",
            list(list(json!({ "type": "boolean" }))),
            "Vec<Vec<bool>>",
        ),
        (
            "byName",
            json!({ "type": "object", "additionalProperties": list(text()) }),
            "Map<Vec<String>>",
        ),
    ]);
}

#[test]
fn fields_refer_to_definitions_by_their_rust_names() {
    let to = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    check(&[
        ("capitals", to("JSONRPCSize"), "JsonRpcSize"),
        ("alike", to("JsonrpcSize"), "JsonrpcSize"),
        ("path", to("post~1Size"), "PostSize"),
        ("union", to("Either"), "Either"),
        ("native", to("Stamp"), "Stamp"),
        ("alias", to("Link"), "Link"),
    ]);
}

#[test]
fn names_that_rust_does_not_allow_are_replaced() {
    let kind = json!({ "type": "string", "enum": ["\u{24b6}", "\u{24b7}", "Self", "+1", "-1"] });
    let lowered = lowered(&json!({
        "Self": { "type": "object", "properties": { "kind": kind, "x": { "$ref": "#/$defs/Self" } } },
        "\u{24b6}": { "type": "object", "properties": { "\u{24b6}": { "type": "string" } } },
    }));
    assert_eq!(lowered.fields["Self"].len(), 2);
    assert_eq!(lowered.fields["\u{24b6}"].len(), 1);
    let variants = lowered.variants.values().next().unwrap().values();
    let variants: std::collections::BTreeSet<_> = variants.map(ToString::to_string).collect();
    assert_eq!(variants.len(), 5, "{variants:?}");
}

#[test]
fn many_values_that_are_written_alike_are_numbered_in_linear_time() {
    let values = ('\u{1f300}'..='\u{1f9ff}')
        .flat_map(|one| (0..6).map(move |more| one.to_string().repeat(1 + more)));
    let values: Vec<String> = values.collect();
    let count = values.len();
    let start = std::time::Instant::now();
    let lowered = lowered(&json!({ "Signs": { "type": "string", "enum": values } }));
    assert_eq!(lowered.variants["Signs"].len(), count);
    // To try all numbers again for each value takes minutes.
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn only_null_makes_the_type_of_a_member_an_option() {
    let nullable = |schema: Value| json!({ "anyOf": [schema, { "type": "null" }] });
    let text = || json!({ "type": "string" });
    let words = || json!({ "type": "array", "items": text() });
    check(&[
        ("text", text(), "String"),
        ("nullable", nullable(text()), "Option<String>"),
        ("nullableWords", nullable(words()), "Option<Vec<String>>"),
        ("TEXT", text(), "String"),
        ("WORDS", words(), "Vec<String>"),
        ("NULLABLE", nullable(text()), "Option<String>"),
    ]);
}

#[test]
fn boxes_are_where_the_model_has_them() {
    let parcel = || json!({ "$ref": "#/$defs/Parcel" });
    check(&[
        (
            "large",
            json!({ "$ref": "#/$defs/JSONRPCSize" }),
            "Box<JsonRpcSize>",
        ),
        ("inner", parcel(), "Box<Parcel>"),
        (
            "orNull",
            json!({ "anyOf": [parcel(), { "type": "null" }] }),
            "Option<Box<Parcel>>",
        ),
        (
            "parts",
            json!({ "type": "array", "items": parcel() }),
            "Vec<Parcel>",
        ),
    ]);
}

#[test]
fn required_constants_have_no_field() {
    check(&[("weight", json!({ "type": "integer" }), "i64")]);
    let kind = json!({ "type": "object", "properties": { "kind": { "const": "a" } }, "required": ["kind"] });
    assert!(lowered(&json!({ "Only": kind })).fields["Only"].is_empty());
}

#[test]
fn values_have_variants_by_their_texts() {
    let open =
        json!({ "anyOf": [{ "type": "string", "enum": ["other", "x-y"] }, { "type": "string" }] });
    let lowered = lowered(&json!({
        "Closed": { "type": "string", "enum": ["z-a", "2d", "other", "z_a", "z-a"] },
        "Open": open,
    }));
    let variants = |name: &str| {
        let variants = lowered.variants[name].iter();
        let variants = variants.map(|(value, ident)| format!("{value}={ident}"));
        variants.collect::<Vec<_>>()
    };
    assert_eq!(
        variants("Closed"),
        ["2d=X2d", "other=Other", "z-a=ZA", "z_a=ZA2"]
    );
    assert_eq!(variants("Open"), ["other=OtherValue", "x-y=XY"]);
}
