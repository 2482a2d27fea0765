//! Schemas of 3.0 and 3.1 as JSON Schema 2020-12.

use serde_json::{Value, json};

use super::{document, listed};

/// Returns the schema of the argument `a`, and the definitions.
async fn converted(version: &str, schema: &Value, schemas: &Value) -> (Value, Value) {
    let parameters = json!([{ "name": "a", "in": "query", "schema": schema }]);
    let item = json!({ "get": { "operationId": "get", "parameters": parameters } });
    let mut document: Value = serde_json::from_str(&document(version, "/x", &item)).unwrap();
    document["components"] = json!({ "schemas": schemas });
    let tool = listed(&document.to_string()).await.remove(0);
    let input = &tool["inputSchema"];
    assert_eq!(input["additionalProperties"], false);
    assert!(
        jsonschema::draft202012::meta::validate(input).is_ok(),
        "{input}"
    );
    (input["properties"]["a"].clone(), input["$defs"].clone())
}

#[tokio::test]
async fn schemas_of_3_0_are_rewritten() {
    for (schema, expected) in [
        (
            json!({ "type": "string", "nullable": true }),
            json!({ "type": ["string", "null"] }),
        ),
        (
            json!({ "type": "string", "nullable": true, "enum": ["a"] }),
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
        ),
        (
            json!({ "nullable": true, "allOf": [{ "type": "object" }], "description": "x" }),
            json!({ "description": "x", "anyOf": [{ "allOf": [{ "type": "object" }] }, { "type": "null" }] }),
        ),
        (
            json!({ "nullable": true, "type": "object", "allOf": [{ "type": "object" }] }),
            json!({ "anyOf": [{ "type": "object", "allOf": [{ "type": "object" }] }, { "type": "null" }] }),
        ),
        (
            json!({ "nullable": true, "enum": ["a"] }),
            json!({ "enum": ["a", null] }),
        ),
        (
            json!({ "type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 5, "exclusiveMaximum": false }),
            json!({ "type": "number", "exclusiveMinimum": 1, "maximum": 5 }),
        ),
        (
            json!({ "type": "integer", "format": "int64", "example": 3 }),
            json!({ "type": "integer", "examples": [3] }),
        ),
        (
            json!({ "type": "string", "format": "byte" }),
            json!({ "type": "string", "contentEncoding": "base64" }),
        ),
        (
            json!({ "type": "string", "format": "date" }),
            json!({ "type": "string", "format": "date" }),
        ),
        // Faults that would invalidate the whole schema.
        (
            json!({ "type": "any", "minLength": -1, "required": true, "enum": [], "multipleOf": 0 }),
            json!({}),
        ),
        (
            json!({
                "type": "object",
                "properties": { "in": { "type": "string", "writeOnly": true }, "out": { "readOnly": true } },
                "required": ["in", "out"],
                "discriminator": { "propertyName": "in" },
                "xml": {},
                "x-internal": true,
            }),
            json!({ "type": "object", "properties": { "in": { "type": "string" } }, "required": ["in"] }),
        ),
    ] {
        let (found, _) = converted("3.0.3", &schema, &json!({})).await;
        assert_eq!(found, expected, "{schema}");
    }
}

/// `anyOf` in place of `oneOf`: what is left out of alternatives could make a value fit several of them.
#[tokio::test]
async fn alternatives_need_not_exclude_each_other() {
    let schema = json!({ "oneOf": [
        { "type": "integer", "format": "int32" },
        { "type": "integer", "format": "int64" },
    ] });
    let (found, _) = converted("3.0.3", &schema, &json!({})).await;
    let expected = json!({ "anyOf": [{ "type": "integer" }, { "type": "integer" }] });
    assert_eq!(found, expected);
}

/// Part of a negated schema would refuse more values than the document does.
#[tokio::test]
async fn what_is_not_complete_is_not_negated() {
    let missing = json!({ "$ref": "#/components/schemas/Missing" });
    for schema in [
        json!({ "type": "object", "not": missing }),
        json!({ "type": "object", "if": missing, "then": { "required": ["a"] } }),
        json!({ "type": "object", "allOf": [missing], "unevaluatedProperties": false }),
    ] {
        let (found, _) = converted("3.1.0", &schema, &json!({})).await;
        for keyword in ["not", "if", "then", "unevaluatedProperties"] {
            assert!(found.get(keyword).is_none(), "{found}");
        }
    }
}

#[tokio::test]
async fn members_that_are_left_out_are_permitted() {
    let long: String = "x".repeat(30_000);
    let properties = json!({ "a": { "const": long }, "b": { "const": long }, "c": {} });
    let schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let (found, _) = converted("3.1.0", &schema, &json!({})).await;
    assert!(found["properties"].get("c").is_none(), "{found}");
    assert!(found.get("additionalProperties").is_none(), "{found}");
    // The invalid pattern is what leaves out all patterns.
    let schema = json!({
        "type": "object",
        "properties": { "a": { "pattern": "(" } },
        "patternProperties": { "^x": {} },
        "additionalProperties": false,
    });
    let (found, _) = converted("3.1.0", &schema, &json!({})).await;
    assert_eq!(
        found,
        json!({ "type": "object", "properties": { "a": {} } })
    );
}

#[tokio::test]
async fn schemas_of_3_1_stay_as_they_are() {
    let schema = json!({
        "type": ["object", "null"],
        "properties": { "a": true },
        "patternProperties": { "^x": { "const": 1 } },
        "dependentSchemas": { "a": { "minProperties": 2 } },
        "propertyNames": { "maxLength": 3 },
        "unevaluatedProperties": false,
        "if": { "required": ["a"] },
        "then": { "exclusiveMinimum": 3 },
        "prefixItems": [{ "type": "string", "pattern": "^a" }],
        "contains": { "type": "integer" },
        "minContains": 2,
        "examples": [1],
        "default": { "b": 2 },
    });
    let (found, _) = converted("3.1.0", &schema, &json!({})).await;
    assert_eq!(found, schema);
}

#[tokio::test]
async fn references_become_definitions() {
    let schemas = json!({
        "Node": { "type": "object", "properties": { "next": { "$ref": "#/components/schemas/Node" } } },
        "A b": { "$ref": "#/components/schemas/Node" },
    });
    let reference = json!({ "$ref": "#/components/schemas/Node", "description": "first" });
    let (found, definitions) = converted("3.0.0", &reference, &schemas).await;
    assert_eq!(
        found,
        json!({ "$ref": "#/$defs/Node", "description": "first" })
    );
    let node = json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" } } });
    assert_eq!(definitions, json!({ "Node": node }));

    let reference = json!({ "$ref": "#/components/schemas/A%20b", "maxProperties": 1 });
    let (found, definitions) = converted("3.1.0", &reference, &schemas).await;
    assert_eq!(
        found,
        json!({ "$ref": "#/$defs/A_20b", "maxProperties": 1 })
    );
    assert_eq!(definitions["A_20b"], node);

    let missing = json!({ "$ref": "#/components/schemas/Missing" });
    assert_eq!(converted("3.1.0", &missing, &schemas).await.0, json!({}));
}

#[tokio::test]
async fn patterns_that_no_validator_accepts_are_left_out() {
    let schema = json!({ "type": "string", "pattern": "(", "maxLength": 3 });
    let (found, _) = converted("3.0.0", &schema, &json!({})).await;
    assert_eq!(found, json!({ "type": "string", "maxLength": 3 }));
}

/// A model cannot know which value of a discriminator means an alternative.
#[tokio::test]
async fn alternatives_have_the_values_of_their_discriminator() {
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let animal = |kind: Value| json!({ "type": "object", "properties": { "kind": kind } });
    let schemas = json!({
        "Cat": animal(json!({ "type": "string" })),
        "Dog": animal(json!({ "type": "string" })),
        "Fox": animal(json!({ "const": "fox" })),
        "Owl": animal(json!({ "enum": ["owl", "bird"] })),
    });
    let alternatives = ["Cat", "Dog", "Fox", "Owl"].map(reference);
    for keyword in ["oneOf", "anyOf"] {
        let schema = json!({
            keyword: alternatives,
            "discriminator": { "propertyName": "kind", "mapping": {
                "cat": "#/components/schemas/Cat", "kitten": "Cat", "owl": "Owl", "fish": "Owl", "fox": "Fox",
            } },
        });
        let (found, _) = converted("3.0.3", &schema, &schemas).await;
        let alternative = |name: &str, values: Value| json!({ "$ref": format!("#/$defs/{name}"), "properties": { "kind": values }, "required": ["kind"] });
        let expected = json!({ "anyOf": [
            alternative("Cat", json!({ "enum": ["cat", "kitten"] })),
            alternative("Dog", json!({ "const": "Dog" })),
            { "$ref": "#/$defs/Fox" },
            alternative("Owl", json!({ "const": "owl" })),
        ] });
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn values_of_enumerations_that_do_not_fit_their_type_are_faults() {
    for (schema, expected, is_fault) in [
        (
            json!({ "type": "string", "enum": [1, 2.5, true] }),
            json!({ "type": "string", "enum": ["1", "2.5", "true"] }),
            true,
        ),
        (
            json!({ "type": "integer", "enum": ["1", 2, "x"] }),
            json!({ "type": "integer", "enum": [1, 2] }),
            true,
        ),
        (
            json!({ "type": "object", "enum": ["x"] }),
            json!({ "type": "object" }),
            true,
        ),
        (
            json!({ "type": "boolean", "const": "true" }),
            json!({ "type": "boolean", "const": true }),
            true,
        ),
        (
            json!({ "type": "string", "nullable": true, "enum": ["a", null] }),
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
            false,
        ),
        (
            json!({ "type": "number", "enum": [1, 2.5] }),
            json!({ "type": "number", "enum": [1, 2.5] }),
            false,
        ),
    ] {
        let (found, _) = converted("3.0.3", &schema, &json!({})).await;
        assert_eq!(found, expected, "{schema}");
        let parameters = json!([{ "name": "a", "in": "query", "schema": schema }]);
        let item = json!({ "get": { "operationId": "get", "parameters": parameters } });
        let api = mcp_openapi::OpenApi::parse(&document("3.0.3", "/x", &item)).unwrap();
        let made = api.base_url("http://localhost").tools().unwrap();
        assert_eq!(!made.faults.is_empty(), is_fault, "{schema}: {made:?}");
        assert_eq!(made.tools.len(), 1, "{made:?}");
    }
}
