//! Schemas whose shape is rare: many members, several ways to say `null`, and texts that no line of
//! code can contain.

use std::fs;

use serde_json::{Map, Value, json};

use super::folder;
use super::standalone::check;

/// Returns an object type with this number of members, of which only the last two are required.
fn wide(members: usize) -> Value {
    let last = members - 1;
    let properties: Map<String, Value> = (0..members)
        .map(|at| match at {
            at if at == last => (format!("m{at}"), json!({ "const": "last" })),
            at => (format!("m{at}"), json!({ "type": "integer" })),
        })
        .collect();
    let required = [format!("m{}", last - 1), format!("m{last}")];
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Control characters and others that the compiler rejects in comments or literals.
const TEXT: &str = "a\rb\r\nc\nd\0e\u{7f}\u{85}f\u{202e}g\u{2028}h\u{2066}\\\"#i*/\u{feff}";

#[test]
fn many_members_several_nulls_and_control_characters_are_lossless() {
    let schema = json!({ "$defs": {
        "Wide": wide(129),
        "Wider": wide(600),
        "Text": { "type": ["string", "null"] },
        "List": { "type": ["array", "null"], "items": { "$ref": "#/$defs/Inline" } },
        "Inline": { "anyOf": [{ "type": ["string", "null"] }, { "type": ["array", "null"] }] },
        "Named": { "anyOf": [{ "$ref": "#/$defs/Text" }, { "$ref": "#/$defs/List" }] },
        "Values": { "anyOf": [{ "enum": ["a", null] }, { "enum": [1, null] }, { "type": "null" }] },
        "Mixed": { "anyOf": [
            { "$ref": "#/$defs/Inline" }, { "type": "null" }, { "type": ["boolean", "null"] },
            { "$ref": "#/$defs/Text" }
        ] },
        "Twice": { "anyOf": [{ "$ref": "#/$defs/Text" }, { "type": "null" }] },
        TEXT: { "description": TEXT, "type": "object", "properties": {
            TEXT: { "description": format!("{TEXT}\r\n* {TEXT}"), "type": "integer" },
            "c": { "enum": [TEXT, "\r", "\n", "\u{202e}", "\u{2028}"] }, "t": { "const": TEXT }
        }, "required": ["t"] },
        "Texts": { "description": "\r", "oneOf": [
            { "$ref": format!("#/$defs/{}", TEXT.replace('/', "~1")) },
            { "type": "object", "properties": { "t": { "const": "\r" } }, "required": ["t"] }
        ] },
        "TextRequest": { "type": "object", "properties": { "method": { "const": TEXT } },
            "required": ["method"] },
        "Itself": { "description": "a\n\n```\nno test\n```\n\n    nor this", "anyOf": [{ "$ref": "#/$defs/Itself" }, { "type": "string" }] },
        "This": { "anyOf": [{ "$ref": "#/$defs/That" }, { "type": "integer" }] },
        "That": { "anyOf": [{ "$ref": "#/$defs/This" }, { "type": "boolean" }, { "type": "null" }] },
        "Nothing": { "anyOf": [{ "type": "null" }, { "type": "null" }] },
        "All": { "type": "object", "properties": {
            "inline": { "$ref": "#/$defs/Inline" }, "named": { "$ref": "#/$defs/Named" },
            "values": { "$ref": "#/$defs/Values" }, "mixed": { "$ref": "#/$defs/Mixed" },
            "itself": { "$ref": "#/$defs/Itself" }, "this": { "$ref": "#/$defs/This" },
            "that": { "$ref": "#/$defs/That" },
            "twice": { "$ref": "#/$defs/Twice" }, "nothing": { "$ref": "#/$defs/Nothing" },
            "here": { "anyOf": [{ "type": ["string", "null"] }, { "type": ["array", "null"] }] }
        } }
    } });
    let file = folder("shapes-schema").join("shapes.json");
    fs::write(&file, schema.to_string()).unwrap();
    let literal = Value::from(TEXT).to_string();
    let code = format!("{TEST}\n#[cfg(test)]\nconst TEXT: &str = {literal:?};\n");
    check("shapes", &file, &code);
}

const TEST: &str = r##"
#[test]
fn works() {
    use generated::{All, TextRequest, Texts, Wide, Wider, support::{json, message::Request}};
    fn same<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) {
        let value: T = json::from_str(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        assert_eq!(json::to_string(&value).unwrap(), text);
    }
    fn fault<T: serde::de::DeserializeOwned>(text: &str) -> String {
        json::from_str::<T>(text).err().map(|fault| fault.to_string()).unwrap_or_default()
    }
    for value in ["null", r#""a""#, r#"[null,"a",[null]]"#] {
        for member in ["inline", "named", "here", "mixed"] {
            same::<All>(&format!("{{\"{member}\":{value}}}"));
        }
    }
    same::<All>(r#"{"values":null,"mixed":true,"twice":null,"nothing":null}"#);
    same::<All>(r#"{"values":"a","mixed":null,"twice":"a"}"#);
    same::<All>(r#"{"itself":"a","this":1,"that":1}"#);
    same::<All>(r#"{"this":true,"that":false}"#);
    for text in [r#"{"itself":1}"#, r#"{"itself":{}}"#, r#"{"this":"a"}"#, r#"{"that":[]}"#] {
        assert_ne!(fault::<All>(text), "", "{text}");
    }
    for text in [r#"{"inline":1}"#, r#"{"named":{}}"#, r#"{"nothing":1}"#, r#"{"here":true}"#] {
        assert_ne!(fault::<All>(text), "", "{text}");
    }

    same::<Texts>(r#"{"t":"\r"}"#);
    same::<Texts>(&format!(r#"{{{TEXT}:1,"c":{TEXT},"t":{TEXT}}}"#));
    assert_eq!(json::to_string(&TextRequest::METHOD).unwrap(), TEXT);
    assert_ne!(fault::<Texts>(r#"{"t":"\n"}"#), "");

    let whole = |members: usize| -> String {
        let numbers = (0..members - 1).map(|at| format!("\"m{at}\":{at},"));
        format!("{{{}\"m{}\":\"last\"}}", numbers.collect::<String>(), members - 1)
    };
    same::<Wide>(&whole(129));
    same::<Wider>(&whole(600));
    same::<Wide>(r#"{"m127":-1,"m128":"last","other":[1.50]}"#);
    same::<Wider>(r#"{"m0":0,"m127":1,"m128":2,"m255":3,"m256":4,"m598":5,"m599":"last","z":1}"#);
    assert_eq!(json::to_string(&Wider::new(1).m300(2)).unwrap(), r#"{"m300":2,"m598":1,"m599":"last"}"#);
    for (text, expected) in [
        (r#"{"m127":1}"#, "missing field `m128`"),
        (r#"{"m128":"last"}"#, "missing field `m127`"),
        (r#"{"m127":1,"m128":"first"}"#, "`last`"),
        (r#"{"m127":1,"m128":"last","m128":"last"}"#, "duplicate field `m128`"),
        (r#"{"m127":1,"m128":"last","m0":1,"m0":1}"#, "duplicate field `m0`"),
    ] {
        let fault = fault::<Wide>(text);
        assert!(fault.contains(expected), "{text}: {fault}");
    }
    for (text, expected) in [
        (r#"{"m598":1}"#, "missing field `m599`"),
        (r#"{"m599":"last"}"#, "missing field `m598`"),
        (r#"{"m598":1,"m599":"last","m300":1,"m300":1}"#, "duplicate field `m300`"),
        (r#"{"m598":1,"m599":"last","m128":1,"m256":1,"m128":1}"#, "duplicate field `m128`"),
    ] {
        let fault = fault::<Wider>(text);
        assert!(fault.contains(expected), "{text}: {fault}");
    }
}
"##;
