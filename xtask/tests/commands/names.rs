//! Names of a schema that the generated code has a meaning for.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::standalone::check;
use super::{folder, root};

/// The names of Rust that need no import in edition 2024.
const PRELUDE: &str = "AsMut AsRef AsyncFn AsyncFnMut AsyncFnOnce Box Clone Copy Debug Default \
    DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator \
    Future Hash Into IntoFuture IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd \
    Result Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec align_of \
    align_of_val drop size_of size_of_val bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 \
    u32 u64 u128 usize alloc assert_eq core derive doc format matches panic serde serde_json std \
    test vec write";

/// The keywords of Rust, of all editions, and those that are reserved.
const KEYWORDS: &str = "abstract as async auto await become box break const continue crate do dyn \
    else enum extern false final fn for gen if impl in let loop macro macro_rules match mod move \
    mut override priv pub raw ref return safe self Self static struct super trait true try type \
    typeof union unsafe unsized use virtual where while yield";

/// Names of the generated code itself: of files, functions, parameters, constants and variants.
const OWN: &str = "Other OtherValue Null METHOD SENDER Params MESSAGES VALUES TABLE Err Error \
    as_str as_str_ codec codecs decode deserialize extra extra_ from from_str from_text \
    generated into messages name new new_ other params result serialize serializer text to_string \
    type_ try_into types vacant value Value_ writer clone eq";

fn words(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    text.split(ends).filter(|word| !word.is_empty())
}

/// Adds the names of the public items and macros in a file or folder of sources.
fn collect(path: &Path, names: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), names);
        }
        return;
    }
    for line in fs::read_to_string(path).unwrap().lines() {
        let mut found = words(line);
        match found.next() {
            Some("pub") if line.contains(" use ") => names.extend(found.map(str::to_owned)),
            Some("pub") => {
                let items = [
                    "const", "enum", "fn", "mod", "struct", "trait", "type", "unsafe",
                ];
                let mut found = found.skip_while(|word| !items.contains(word));
                let name = found.find(|word| !items.contains(word));
                names.extend(name.map(str::to_owned));
            }
            Some("macro_rules") => names.extend(found.next().map(str::to_owned)),
            _ => {}
        }
    }
}

/// Returns all names that mean something to the generated code, or may do so.
fn names() -> Vec<String> {
    let mut names = BTreeSet::new();
    let source = root().join("mcp-types/src");
    for part in [
        "base64", "codec", "cursor", "error", "id", "json", "message",
    ] {
        for path in [source.join(part), source.join(format!("{part}.rs"))] {
            if path.exists() {
                collect(&path, &mut names);
            }
        }
    }
    for known in [
        "Base64Text",
        "Extra",
        "FromMembers",
        "Request",
        "object_codec",
        "some_boxed",
    ] {
        assert!(names.contains(known), "{known}: {names:?}");
    }
    for list in [PRELUDE, KEYWORDS, OWN] {
        names.extend(words(list).map(str::to_owned));
    }
    // As schemas spell them: `map` is the definition `Map`.
    let capitals: Vec<String> = ["Map", "Number", "Object", "Value", "Option"]
        .map(str::to_lowercase)
        .into();
    names.extend(capitals);
    names.into_iter().collect()
}

/// Returns the schema of an object with one member, and a value of it.
fn object(name: &str) -> (Value, Value) {
    let schema = json!({
        "type": "object",
        "properties": { name: { "type": "string" } },
        "required": [name],
    });
    (schema, json!({ name: "x" }))
}

/// Returns the schema of a definition with this name, and a value of it.
fn definition(at: usize, name: &str) -> (Value, Value) {
    match name {
        "Request" | "Notification" => {
            let params = if name == "Request" {
                "Sender"
            } else {
                "MessageInfo"
            };
            let schema = json!({
                "type": "object",
                "properties": {
                    "method": { "const": format!("method/{name}") },
                    "params": { "$ref": format!("#/$defs/{params}") },
                },
                "required": ["method"],
            });
            return (schema, json!({ "method": format!("method/{name}") }));
        }
        _ => {}
    }
    match at % 5 {
        0 | 1 => object(name),
        2 => (
            json!({ "type": "string", "enum": ["a", name] }),
            json!(name),
        ),
        3 => (
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
            json!(5),
        ),
        _ => {
            let schema = json!({ "type": "object", "additionalProperties": { "type": "string" } });
            (schema, json!({ "k": name }))
        }
    }
}

/// Returns a schema that uses the names in every place, and values of its types.
fn schema(names: &[String]) -> (Value, Vec<(&'static str, Value)>) {
    let mut definitions = Map::new();
    let (mut each, mut values) = (Map::new(), Map::new());
    let mut objects = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let (schema, value) = definition(at, name);
        if schema.get("required").is_some() {
            objects.push(json!({ "$ref": format!("#/$defs/{name}") }));
        }
        definitions.insert(name.clone(), schema);
        each.insert(name.clone(), json!({ "$ref": format!("#/$defs/{name}") }));
        values.insert(name.clone(), value);
    }
    let members = |schema: &Value| -> Map<String, Value> {
        names
            .iter()
            .map(|name| (name.clone(), schema.clone()))
            .collect()
    };
    let required = json!({
        "type": "object",
        "properties": members(&json!({ "type": "string" })),
        "required": names,
        "additionalProperties": false,
    });
    let inline = json!({ "type": "object", "properties": { "a": { "type": "boolean" } } });
    let tagged = |name: &String| json!({ "type": "object", "properties": { "kind": { "const": name } }, "required": ["kind"] });
    let all = [
        (
            "AllOptional",
            json!({ "type": "object", "properties": each }),
            Value::Object(values),
        ),
        (
            "AllRequired",
            required,
            Value::Object(members(&json!("text"))),
        ),
        (
            "AllInline",
            json!({ "type": "object", "properties": members(&inline) }),
            Value::Object(members(&json!({ "a": true }))),
        ),
        (
            "Closed",
            json!({ "type": "string", "enum": names }),
            json!("Self"),
        ),
        (
            "Open",
            json!({ "anyOf": [{ "type": "string", "enum": names }, { "type": "string" }] }),
            json!("Other"),
        ),
        (
            "Tagged",
            json!({ "anyOf": names.iter().map(tagged).collect::<Vec<_>>() }),
            json!({ "kind": "Self" }),
        ),
        (
            "Fitting",
            json!({ "anyOf": objects }),
            json!({ "method": "method/Request" }),
        ),
        // Setters have all of the names.
        (
            "Converted",
            json!({ "anyOf": [{ "$ref": "#/$defs/AllOptional" }, { "type": "string" }] }),
            json!({}),
        ),
        // What the support code is used for.
        (
            "Support",
            json!({
                "type": "object",
                "properties": {
                    "any": {}, "object": { "type": "object" }, "number": { "type": "number" },
                    "bytes": { "type": "string", "format": "byte" },
                    "map": { "type": "object", "additionalProperties": { "type": "string" } },
                    "empty": { "type": "object", "additionalProperties": false },
                    "list": { "type": "array", "items": { "type": ["string", "null"] } },
                },
            }),
            json!({
                "any": [1], "object": { "a": 1 }, "number": 1.5, "bytes": "aGk=",
                "map": { "a": "b" }, "empty": {}, "list": [null, "a"], "more": 1,
            }),
        ),
        // An inline type with the name of a definition that is written in another way.
        (
            "Owner",
            json!({
                "type": "object",
                "properties": {
                    "part": inline,
                    "Part": { "type": "object", "properties": { "b": { "type": "string" } } },
                    "other": { "$ref": "#/$defs/owner_part" },
                },
            }),
            json!({ "part": { "a": true }, "Part": { "b": "c" }, "other": "x" }),
        ),
    ];
    let mut examples = Vec::new();
    for (name, schema, value) in all {
        definitions.insert(name.to_owned(), schema);
        examples.push((name, value));
    }
    definitions.insert(
        "owner_part".to_owned(),
        json!({ "type": "string", "enum": ["x", "y"] }),
    );
    (json!({ "$defs": definitions }), examples)
}

#[test]
fn names_of_a_schema_never_collide_with_those_of_rust_and_of_the_support_code() {
    let (schema, examples) = schema(&names());
    let file = folder("names-schema").join("names.json");
    fs::write(&file, schema.to_string()).unwrap();
    let checks: String = examples
        .iter()
        .map(|(name, value)| format!("    same::<generated::{name}>(r###\"{value}\"###);\n"))
        .collect();
    check(
        "names",
        &file,
        &format!("{SAME}\n#[test]\nfn works() {{\n{checks}}}\n"),
    );
}

/// Checks that a text decodes and is encoded as it was.
const SAME: &str = r"
#[cfg(test)]
fn same<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) {
    let value: T = generated::support::json::from_str(text).unwrap();
    assert_eq!(generated::support::json::to_string(&value).unwrap(), text);
}
";
