//! A conversion never changes what a JSON Schema of a user says.

#![cfg(all(feature = "registry", feature = "v2024-11-05"))]

use mcp_types::Revision;
use mcp_types::registry::{self, RegistryError};
use serde_json::{Value, json};

const OLDER: [Revision; 4] = [
    Revision::V2024_11_05,
    Revision::V2025_03_26,
    Revision::V2025_06_18,
    Revision::V2025_11_25,
];

fn convert(from: Revision, to: Revision, name: &str, value: &Value) -> Result<Value, String> {
    match registry::convert_text(from, to, name, &value.to_string()) {
        Ok(text) => Ok(serde_json::from_str(&text).unwrap()),
        Err(RegistryError::Convert(error)) => Err(error.path().to_string()),
        Err(error) => panic!("{name}: {error}"),
    }
}

fn down(name: &str, value: &Value, to: Revision) -> Result<Value, String> {
    convert(Revision::LATEST, to, name, value)
}

#[test]
fn output_schema_that_is_not_for_objects_is_left_out() {
    for schema in [
        json!({ "type": "array", "items": { "type": "integer" } }),
        json!({ "items": {} }),
        json!({ "type": ["object", "null"], "properties": {} }),
        json!({}),
        json!({ "type": "object", "properties": { "a": 1 } }),
        json!({ "type": "object", "required": "a" }),
    ] {
        let tool =
            json!({ "name": "t", "inputSchema": { "type": "object" }, "outputSchema": schema });
        for revision in OLDER {
            let tool = down("Tool", &tool, revision).unwrap();
            assert_eq!(tool.get("outputSchema"), None, "{schema} {revision}");
            let list = json!({ "tools": [tool], "ttlMs": 0, "cacheScope": "public", "resultType": "complete" });
            let list = down("ListToolsResult", &list, revision).unwrap();
            assert_eq!(list["tools"][0], tool, "{schema} {revision}");
        }
    }
}

#[test]
fn schema_for_objects_keeps_every_keyword() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "a": { "type": "integer", "x-unit": "m" } },
        "required": ["a"],
        "additionalProperties": false,
        "$defs": { "b": true },
    });
    let tool = json!({ "name": "t", "inputSchema": schema, "outputSchema": schema });
    for revision in OLDER {
        let tool = down("Tool", &tool, revision).unwrap();
        assert_eq!(tool["inputSchema"], schema, "{revision}");
        if revision >= Revision::V2025_06_18 {
            assert_eq!(tool["outputSchema"], schema, "{revision}");
        }
    }
}

#[test]
fn boolean_schema_of_a_property_becomes_an_equivalent_object() {
    let schema = json!({
        "type": "object",
        "properties": { "any": true, "none": false, "one": { "const": true } },
    });
    let objects = json!({ "any": {}, "none": { "not": {} }, "one": { "const": true } });
    let tool = json!({ "name": "t", "inputSchema": schema, "outputSchema": schema });
    for revision in OLDER {
        let tool = down("Tool", &tool, revision).unwrap();
        assert_eq!(tool["inputSchema"]["properties"], objects, "{revision}");
        if revision >= Revision::V2025_06_18 {
            assert_eq!(tool["outputSchema"]["properties"], objects, "{revision}");
        }
    }
}

#[test]
fn required_schema_that_cannot_be_represented_is_an_error_with_its_path() {
    for (keyword, value, path) in [
        (
            "properties",
            json!({ "a": 1 }),
            "$.inputSchema.properties.a",
        ),
        ("required", json!(["a", 1]), "$.inputSchema.required[1]"),
    ] {
        let tool = json!({ "name": "t", "inputSchema": { "type": "object", keyword: value } });
        for revision in OLDER {
            assert_eq!(down("Tool", &tool, revision), Err(path.to_owned()));
        }
    }
    // Upwards, too: an undeclared member has the name of a keyword.
    let tool = json!({ "name": "t", "inputSchema": { "type": "object", "$schema": 7 } });
    let up = convert(Revision::V2025_06_18, Revision::LATEST, "Tool", &tool);
    assert_eq!(up, Err("$.inputSchema.$schema".to_owned()));
}

#[test]
fn form_keeps_what_the_older_revision_does_not_declare() {
    let fields = json!({
        "name": { "type": "string", "default": "Ada", "pattern": "A.*" },
        "age": { "type": "integer", "default": 3 },
        "kind": { "type": "string", "enum": ["a", "b"], "default": "b" },
        "old": { "type": "string", "enum": ["a"], "enumNames": ["A"], "default": "a" },
        "sure": { "type": "boolean", "default": true },
    });
    let form = json!({
        "mode": "form",
        "message": "Who?",
        "requestedSchema": { "$schema": "x", "type": "object", "properties": fields, "x": 1 },
    });
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        let older = down("ElicitRequestFormParams", &form, revision).unwrap();
        assert_eq!(
            older["requestedSchema"], form["requestedSchema"],
            "{revision}"
        );
    }
}

#[test]
fn conversion_returns_what_it_removes_adds_and_changes() {
    use mcp_types::registry::{Change, Conversion};

    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "t", "arguments": { "n": 1.0 }, "cursor": null },
    });
    let conversion = Conversion::new(Revision::V2025_11_25, Revision::LATEST);
    let up = conversion
        .convert("CallToolRequest", &request.to_string())
        .unwrap();
    let shown: Vec<String> = up.differences.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["$.params._meta added"]);

    let result = json!({
        "content": [
            { "type": "text", "text": "a" },
            { "type": "resource_link", "name": "r", "uri": "a:b", "icons": [] },
        ],
        "resultType": "complete",
        "com.example/x": [1, 1.0],
    });
    let conversion = Conversion::new(Revision::LATEST, Revision::V2024_11_05);
    let down = conversion
        .convert("CallToolResult", &result.to_string())
        .unwrap();
    let changes = |change| -> Vec<String> {
        let differences = down.differences.iter().filter(|it| it.change() == change);
        let mut paths: Vec<String> = differences.map(|it| it.path().to_string()).collect();
        // The order of members depends on a feature of `serde_json`.
        paths.sort();
        paths
    };
    assert_eq!(changes(Change::Changed), ["$.content[1].type"]);
    assert_eq!(changes(Change::Added), ["$.content[1].text"]);
    let removed = ["icons", "name", "uri"].map(|name| format!("$.content[1].{name}"));
    assert_eq!(
        changes(Change::Removed),
        [&removed[..], &["$.resultType".to_owned()]].concat()
    );
}

#[test]
fn request_states_the_revision_that_it_had_or_the_one_that_it_gets() {
    use mcp_types::meta::PROTOCOL_VERSION;
    use mcp_types::registry::Conversion;

    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "t" },
    });
    let mut stated = request.clone();
    stated["params"]["_meta"] = json!({ PROTOCOL_VERSION: "2025-06-18" });
    for (request, name, pointer) in [
        (&request, "CallToolRequest", "/params/_meta"),
        (&stated, "CallToolRequest", "/params/_meta"),
        (&stated, "ClientRequest", "/params/_meta"),
        (&stated["params"], "CallToolRequestParams", "/_meta"),
    ] {
        let revision = |conversion: Conversion| {
            let text = conversion.convert(name, &request.to_string()).unwrap().text;
            let converted: Value = serde_json::from_str(&text).unwrap();
            converted.pointer(pointer).unwrap()[PROTOCOL_VERSION].clone()
        };
        let conversion = Conversion::new(Revision::V2025_06_18, Revision::LATEST);
        assert_eq!(revision(conversion), "2025-06-18", "{name}");
        let latest = Revision::LATEST.as_str();
        assert_eq!(revision(conversion.state_target()), latest, "{name}");
    }
}

#[test]
fn structured_content_that_is_not_an_object_is_an_error() {
    let result = json!({ "content": [], "structuredContent": [1], "resultType": "complete" });
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        let path = "$.structuredContent".to_owned();
        assert_eq!(down("CallToolResult", &result, revision), Err(path));
    }
}

#[test]
fn schema_for_objects_still_says_so_in_a_newer_revision() {
    use mcp_types::registry::Conversion;

    let tool = json!({
        "name": "t",
        "inputSchema": { "type": "object" },
        "outputSchema": { "type": "object", "required": ["a"] },
    });
    for from in [Revision::V2025_06_18, Revision::V2025_11_25] {
        let up = Conversion::new(from, Revision::V2026_07_28);
        let up = up.convert("Tool", &tool.to_string()).unwrap();
        let converted: Value = serde_json::from_str(&up.text).unwrap();
        assert_eq!(converted, tool, "{from}");
        let down = Conversion::new(Revision::V2026_07_28, from);
        let down = down.convert("Tool", &up.text).unwrap();
        let converted: Value = serde_json::from_str(&down.text).unwrap();
        assert_eq!(converted, tool, "{from}");
    }
}
