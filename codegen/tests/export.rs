//! The model as JSON, for generators of other languages.

#[path = "../examples/model/files.rs"]
mod files;
#[path = "export/form.rs"]
mod form;

use std::sync::LazyLock;

use codegen::export::FORMAT;
use codegen::project::{Project, ProjectError, Source};
use codegen::schema::Document;
use serde_json::{Map, Value, json};

use self::form::{Exported, Form, MessageKind};

/// The schemas of the project, and their models.
static ALL: LazyLock<Vec<(Source, Value)>> = LazyLock::new(|| {
    let project = files::project().unwrap();
    let schemas = project.schemas.iter();
    let all = schemas.map(|source| (source.clone(), project.export(&source.name).unwrap()));
    all.collect()
});

fn parse(value: Value) -> Exported {
    serde_json::from_value(value).expect("the documented form")
}

/// Exports the only revision of a project with these definitions.
fn exported(definitions: &Value, hints: &Value) -> Exported {
    let project = Project {
        schemas: vec![Source {
            name: "2000-01-01".to_owned(),
            file: "some.json".to_owned(),
            text: json!({ "$defs": definitions }).to_string(),
        }],
        hints: serde_json::from_value(hints.clone()).unwrap(),
        ..Project::default()
    };
    parse(project.export("2000-01-01").unwrap())
}

#[test]
fn every_definition_of_each_revision_is_exported() {
    for (source, model) in ALL.iter() {
        let exported = parse(model.clone());
        assert_eq!(exported.format, FORMAT);
        assert_eq!(exported.revision, source.name);
        assert!(!exported.constants.is_empty());
        assert_eq!(exported.unchecked.len(), 0, "{:?}", exported.unchecked);
        let document = Document::parse(&source.file, &source.text).unwrap();
        for (name, schema) in &document.definitions {
            let definition = exported.types.get(name);
            let definition = definition.unwrap_or_else(|| panic!("{}/{name}", source.name));
            assert!(
                !definition.about.inline && definition.about.added_by.is_empty(),
                "{name}"
            );
            let Form::Object { members, .. } = &definition.form else {
                continue;
            };
            let properties = schema.get("properties").and_then(Value::as_object);
            for member in properties.into_iter().flat_map(Map::keys) {
                assert!(members.contains_key(member), "{name}.{member}");
            }
        }
        let others = exported.types.iter();
        let mut others = others.filter(|(name, _)| !document.definitions.contains_key(*name));
        assert!(others.all(|(_, def)| def.about.inline || !def.about.added_by.is_empty()));
    }
}

#[test]
fn every_name_and_every_position_exists() {
    for (_, model) in ALL.iter() {
        let exported = parse(model.clone());
        let messages = exported.messages.iter();
        let of_messages =
            messages.flat_map(|it| it.result.iter().chain(it.params.iter().map(|it| &it.ty)));
        let forms = exported
            .types
            .values()
            .map(|def| &def.form)
            .chain(of_messages);
        for form in forms {
            form.walk(&mut |form| match form {
                Form::Named { name } => assert!(exported.types.contains_key(name), "{name}"),
                Form::Union { variants, select } => {
                    assert_eq!(select.positions(), (0..variants.len()).collect());
                }
                _ => {}
            });
        }
        let added = exported.types.values().flat_map(|def| &def.about.added_by);
        for name in added {
            assert!(exported.additions.contains_key(name), "{name}");
        }
    }
}

#[test]
fn every_constant_method_is_a_message() {
    for (_, model) in ALL.iter() {
        let exported = parse(model.clone());
        let mut count = 0;
        for (name, def) in &exported.types {
            let Form::Object { members, .. } = &def.form else {
                continue;
            };
            let Some(Form::Constant { value }) = members.get("method").map(|it| &it.ty) else {
                continue;
            };
            count += 1;
            let message = exported.messages.iter().find(|it| it.name == *name);
            let message = message.unwrap_or_else(|| panic!("{name} is no message"));
            assert_eq!(message.method, *value);
            assert!(message.sender.is_some(), "{name}");
            assert_eq!(
                message.result.is_some(),
                message.kind == MessageKind::Request
            );
            assert_eq!(message.params.is_some(), members.contains_key("params"));
            let required = members.get("params").is_some_and(|it| it.required);
            assert_eq!(
                message.params.as_ref().is_some_and(|it| it.required),
                required
            );
        }
        assert_eq!(count, exported.messages.len());
    }
}

#[test]
fn export_is_deterministic() {
    let project = files::project().unwrap();
    for (source, model) in ALL.iter() {
        let again = project.export(&source.name).unwrap();
        assert_eq!(again.to_string(), model.to_string());
        // The order is that of the schema, and not that of a map.
        let names = model["types"].as_object().unwrap().keys();
        assert!(!names.is_sorted());
    }
}

#[test]
fn decisions_for_rust_are_left_out() {
    let definitions = json!({
        "Id": { "type": ["string", "integer"] },
        "Share": { "type": "number", "minimum": 0, "maximum": 1 },
        "Size": { "type": ["number", "null"], "minimum": 1 },
        "Only": { "const": "only" },
        "Tree": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
        "Shelf": {
            "type": "object",
            "properties": {
                "id": { "$ref": "#/$defs/Id" },
                "mode": { "type": "string", "const": "wide" },
                "level": { "const": 3 },
                "shares": { "type": "array", "items": { "type": "number", "maximum": 1 }, "maxItems": 9 },
                "type": { "type": "string", "contentEncoding": "base64" },
            },
            "required": ["level"],
        },
        "shelf": { "type": "object", "properties": {}, "additionalProperties": false },
    });
    let hints = json!({ "native": { "Id": "library::Id" }, "boxed": ["Shelf.mode"] });
    let exported = exported(&definitions, &hints);
    let form = |text: Value| serde_json::from_value::<Form>(text).unwrap();
    let of = |name: &str| &exported.types[name].form;
    assert!(matches!(of("Id"), Form::Union { variants, .. } if variants.len() == 2));
    assert_eq!(
        *of("Share"),
        form(json!({ "kind": "number", "min": 0, "max": 1 }))
    );
    let size = json!({ "kind": "nullable", "of": { "kind": "number", "min": 1 } });
    assert_eq!(*of("Size"), form(size));
    assert_eq!(
        *of("Only"),
        form(json!({ "kind": "constant", "value": "only" }))
    );
    let tree = json!({ "kind": "list", "of": { "kind": "named", "name": "Tree" } });
    assert_eq!(*of("Tree"), form(tree));
    let share = json!({ "kind": "number", "max": 1 });
    let shelf = json!({ "kind": "object", "open": true, "members": {
        "id": { "type": { "kind": "named", "name": "Id" }, "required": false },
        "mode": { "type": { "kind": "constant", "value": "wide" }, "required": false },
        "level": { "type": { "kind": "constant", "value": 3 }, "required": true },
        "shares": { "type": { "kind": "list", "of": share, "max": 9 }, "required": false },
        "type": { "type": { "kind": "string", "encoding": "base64" }, "required": false },
    } });
    assert_eq!(*of("Shelf"), form(shelf));
    // In Rust, both types would have the same name.
    let empty = json!({ "kind": "object", "open": false, "members": {} });
    assert_eq!(*of("shelf"), form(empty));
    assert_eq!(exported.types.len(), 7);
    assert!(exported.unchecked.is_empty());
}

#[test]
fn what_types_do_not_express_is_named() {
    let definitions = json!({
        "Code": { "type": "string", "pattern": "^[a-z]+$" },
        "Odd": { "type": "integer", "multipleOf": 3 },
    });
    let exported = exported(&definitions, &json!({}));
    let places: Vec<&str> = exported.unchecked.iter().map(|it| it.at.as_str()).collect();
    assert_eq!(places, ["/Code", "/Odd"]);
    assert!(exported.unchecked[0].reason.contains("pattern"));
}

#[test]
fn union_that_only_consists_of_itself_ends() {
    let to = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let definitions = json!({
        "A": { "anyOf": [to("A"), { "type": "null" }] },
        "U": { "anyOf": [to("A"), { "type": "string" }] },
    });
    let exported = exported(&definitions, &json!({}));
    let Form::Union { select, .. } = &exported.types["U"].form else {
        panic!("{:?}", exported.types["U"]);
    };
    assert_eq!(
        (select.null.as_slice(), select.string.as_slice()),
        (&[0][..], &[1][..])
    );
}

#[test]
fn unknown_revision_is_an_error() {
    let project = files::project().unwrap();
    let error = project.export("1999-12-31").unwrap_err();
    assert!(matches!(&error, ProjectError::Revision { known, .. } if known.len() > 1));
    assert!(
        error
            .to_string()
            .contains("`1999-12-31`: expected one of 2024-11-05, ")
    );
}

#[test]
fn other_form_is_not_parsed() {
    let newest = ALL.iter().find(|(source, _)| source.name == "2026-07-28");
    let mut model = newest.expect("the revision").1.clone();
    assert!(serde_json::from_value::<Exported>(model.clone()).is_ok());
    for (place, value) in [
        ("/types/Role/open", Value::Null),
        (
            "/types/Annotations/members/audience/type/kind",
            json!("set"),
        ),
        ("/types/JSONValue/select/null", json!("any")),
        ("/messages/0/sender", json!("nobody")),
    ] {
        let mut other = model.clone();
        *other
            .pointer_mut(place)
            .unwrap_or_else(|| panic!("{place}")) = value;
        assert!(
            serde_json::from_value::<Exported>(other).is_err(),
            "{place}"
        );
    }
    model["types"]["Annotations"]["members"]["audience"]["type"]["box"] = json!(true);
    assert!(serde_json::from_value::<Exported>(model).is_err());
}
