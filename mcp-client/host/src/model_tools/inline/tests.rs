//! Schemas, before and after.

use mcp_types::json;

use super::*;

/// Returns the schema for a model, as text.
fn schema(schema: &str) -> String {
    let schema: Value = json::from_str(schema).expect("JSON");
    json::to_string(&inlined(&schema)).expect("text")
}

#[test]
fn what_references_repeat_is_bounded_whatever_its_kind() {
    let refers = vec![r##"{"$ref":"#/$defs/d"}"##; 2_000].join(",");
    let numbers = vec!["0"; 50_000].join(",");
    let long = "n".repeat(100_000);
    for definition in [
        format!(r#"{{"not":"{long}"}}"#),
        format!(r#"{{"allOf":[{numbers}]}}"#),
        format!(r#"{{"items":[{numbers}]}}"#),
        format!(r#"{{"properties":{{"{long}":{{}}}}}}"#),
    ] {
        let text = schema(&format!(
            r#"{{"type":"object","properties":{{"a":{{"prefixItems":[{refers}]}}}},"$defs":{{"d":{definition}}}}}"#
        ));
        assert!(text.len() < 2 << 20, "{}", text.len());
    }
}

#[test]
fn references_are_inlined_where_schemas_stand() {
    let text = schema(
        r##"{"$schema":"x","type":"object","$defs":{"A b":{"type":"string","title":"A"}},
        "properties":{"x":{"$ref":"#/$defs/A%20b","description":"mine"},
        "y":{"$ref":"#/properties/x"},"$ref":{"default":{"$ref":"#/$defs/A b"}},
        "z":{"items":{"$ref":"https://other"}}}}"##,
    );
    let a = r#"{"type":"string","title":"A","description":"mine"}"#;
    let data = r##"{"default":{"$ref":"#/$defs/A b"}}"##;
    assert_eq!(
        text,
        format!(
            r#"{{"type":"object","properties":{{"x":{a},"y":{a},"$ref":{data},"z":{{"items":{{}}}}}}}}"#
        )
    );
}

#[test]
fn recursion_and_explosion_are_bounded() {
    let tree = schema(
        r##"{"type":"object","properties":{"tree":{"$ref":"#/$defs/T"}},
        "$defs":{"T":{"properties":{"child":{"$ref":"#/$defs/T"}}}}}"##,
    );
    let child = r#"{"properties":{"child":{}}}"#;
    assert_eq!(
        tree,
        format!(r#"{{"type":"object","properties":{{"tree":{child}}}}}"#)
    );
    // Each definition contains the next one twice.
    let defs = (0..60).map(|at| {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, at + 1);
        format!(r#""d{at}":{{"anyOf":[{next},{next}]}}"#)
    });
    let defs: Vec<String> = defs.collect();
    let text = schema(&format!(
        r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}"##,
        defs.join(",")
    ));
    assert!(text.len() < 1 << 20, "{}", text.len());
}

#[test]
fn choice_at_the_root_becomes_one_object() {
    let text = schema(
        r#"{"type":"object","oneOf":[
        {"properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind","x","x"]},
        {"properties":{"kind":{"const":"b"}},"required":["kind"]}]}"#,
    );
    let kind = r#"{"anyOf":[{"const":"a"},{"const":"b"}]}"#;
    assert_eq!(
        text,
        format!(
            r#"{{"type":"object","properties":{{"kind":{kind},"x":{{"type":"string"}}}},"required":["kind"]}}"#
        )
    );
}

#[test]
fn what_interfaces_reject_is_rewritten() {
    let list = r#"{"type":["array","null"],"items":[{},{}]}"#;
    for (given, expected) in [
        (r#"{"type":"array"}"#, r#"{"type":"array","items":{}}"#),
        (
            r#"{"type":"array","items":[{"type":"string"}]}"#,
            r#"{"type":"array","prefixItems":[{"type":"string"}],"items":{}}"#,
        ),
        (
            r#"{"type":"array","items":[{}],"prefixItems":[]}"#,
            r#"{"type":"array","prefixItems":[{}],"items":{}}"#,
        ),
        (
            r##"{"$ref":"#/$defs/list","items":[{"type":"null"}]}"##,
            r#"{"type":["array","null"],"prefixItems":[{"type":"null"}],"items":{}}"#,
        ),
        (r#"{"type":"file"}"#, "{}"),
        (r#"{"type":["string","any"]}"#, "{}"),
        (
            r#"{"type":["string","null"]}"#,
            r#"{"type":["string","null"]}"#,
        ),
    ] {
        assert_eq!(
            schema(&format!(
                r#"{{"properties":{{"a":{given}}},"$defs":{{"list":{list}}}}}"#
            )),
            format!(r#"{{"type":"object","properties":{{"a":{expected}}}}}"#)
        );
    }
    let empty = r#"{"type":"object","properties":{}}"#;
    assert_eq!(schema(r#"{"properties":[]}"#), empty);
}

#[test]
fn reference_to_an_open_schema_is_found_however_it_is_written() {
    let text = schema(
        r##"{"properties":{"t":{"$ref":"#/$defs/T"}},
        "$defs":{"T":{"properties":{"child":{"$ref":"#/%24defs/T"}}}}}"##,
    );
    let child = r#"{"properties":{"child":{}}}"#;
    assert_eq!(
        text,
        format!(r#"{{"type":"object","properties":{{"t":{child}}}}}"#)
    );
}
