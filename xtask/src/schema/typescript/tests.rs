use codegen::schema::{Document, Facts};
use serde_json::{Value, json};

use super::{Warning, facts};

fn read(source: &str, definitions: Value) -> (Facts, Vec<Warning>) {
    facts(source, &document(definitions), "2000-01-01")
}

fn document(definitions: Value) -> Document {
    let mut root = serde_json::Map::new();
    root.insert("$defs".to_owned(), definitions);
    let text = Value::Object(root).to_string();
    Document::parse("schema.json", &text).unwrap()
}

/// Reads a source that is supported as a whole, and applies its facts.
fn complete(source: &str, definitions: Value) -> (Facts, Value) {
    let (facts, warnings) = read(source, definitions.clone());
    assert_eq!(warnings, []);
    let mut document = document(definitions);
    facts.apply(&mut document).unwrap();
    (facts, Value::Object(document.definitions))
}

fn object(members: &[&str]) -> Value {
    let members = members
        .iter()
        .map(|name| ((*name).to_owned(), json!({"type": "string"})));
    let members: serde_json::Map<String, Value> = members.collect();
    json!({"type": "object", "properties": members})
}

#[test]
fn own_members_precede_those_of_bases_in_their_order() {
    let source = "
        interface Named { name: string; title?: string }
        interface Marked { mark: string; name: string }
        export interface Book extends Named, Marked { year: string; title: string }";
    let book = object(&["mark", "name", "title", "year"]);
    let (facts, _) = complete(source, json!({"Book": book}));
    assert_eq!(facts.members["/Book"], ["year", "title", "name", "mark"]);
}

#[test]
fn omit_pick_and_intersections_are_flattened() {
    let source = r#"
        interface Base { d: string; c: string; b: string }
        export interface Less extends Omit<Base, "c"> { a: string }
        export type Some = Pick<Base, "d" | "c">;
        export type Both = Pick<Base, "b"> & { a: string };"#;
    let definitions = json!({
        "Less": object(&["a", "b", "d"]), "Some": object(&["c", "d"]), "Both": object(&["a", "b"]),
    });
    let (facts, _) = complete(source, definitions);
    assert_eq!(facts.members["/Less"], ["a", "d", "b"]);
    assert_eq!(facts.members["/Some"], ["d", "c"]);
    assert_eq!(facts.members["/Both"], ["b", "a"]);
}

#[test]
fn members_of_nested_objects_have_an_order() {
    let source = "export interface Book { size?: { width: string; height: string }[] }";
    let size = object(&["height", "width"]);
    let book = json!({"type": "object", "properties": {"size": {"type": "array", "items": size}}});
    let (facts, _) = complete(source, json!({"Book": book}));
    assert_eq!(
        facts.members["/Book/properties/size/items"],
        ["width", "height"]
    );
}

#[test]
fn parts_of_a_published_intersection_are_compared_one_by_one() {
    let source = "
        export interface Error { code: string }
        export interface Answer { error: Error & { data: { z: string; y: string } } }";
    let data = json!({"type": "object", "properties": {"data": object(&["y", "z"])}});
    let definitions = json!({
        "Error": object(&["code"]),
        "Answer": {"type": "object", "properties": {
            "error": {"allOf": [{"$ref": "#/$defs/Error"}, data]}
        }},
    });
    let (facts, _) = complete(source, definitions);
    let place = "/Answer/properties/error/allOf/1/properties/data";
    assert_eq!(facts.members[place], ["z", "y"]);
}

#[test]
fn enumerations_keep_their_order_and_open_ones_their_known_values() {
    let source = r#"
        export type Rank = "low" | "middle" | "high";
        export type State = "free" | "full" | string;
        export type Same = "a" | "b";"#;
    let definitions = json!({
        "Rank": {"type": "string", "enum": ["high", "low", "middle"]},
        "State": {"type": "string"},
        "Same": {"type": "string", "enum": ["a", "b"]},
    });
    let (facts, all) = complete(source, definitions);
    assert_eq!(all["Rank"]["enum"], json!(["low", "middle", "high"]));
    assert_eq!(facts.known_values["/State"], ["free", "full"]);
    assert!(!facts.values.contains_key("/Same"));
}

#[test]
fn constants_are_numbers_and_strings() {
    let source = r#"
        export const NAME = "library";
        export const CODE = -32700;
        export const SHARE = 0.5;
        /** @internal */ export const VERSION = "2" as const;"#;
    let (facts, _) = complete(source, json!({}));
    let expected = json!({"NAME": "library", "CODE": -32700, "SHARE": 0.5, "VERSION": "2"});
    assert_eq!(Value::Object(facts.constants), expected);
}

#[test]
fn index_signatures_make_objects_open() {
    let source = "
        export interface Base { [key: string]: unknown }
        export interface Book extends Base { title: string }
        export type Notes = Record<string, unknown>;
        export interface Closed { title: string }";
    let definitions = json!({
        "Base": {"type": "object", "additionalProperties": {}},
        "Book": object(&["title"]), "Closed": object(&["title"]), "Notes": {"type": "object"},
    });
    let (facts, _) = complete(source, definitions);
    let open: Vec<&String> = facts.open.iter().collect();
    assert_eq!(open, ["/Book", "/Notes"]);
}

#[test]
fn aliases_that_are_written_out_become_references() {
    let source = "
        export type Mark = string;
        export interface Empty { a?: string }
        export type Nothing = Empty;
        export interface Book { mark: Mark; others: Mark[] }
        export type Result = Nothing | Book;";
    let definitions = json!({
        "Mark": {"type": "string"},
        "Empty": object(&["a"]),
        "Nothing": {"$ref": "#/$defs/Empty"},
        "Book": {"type": "object", "properties": {
            "mark": {"type": "string"}, "others": {"type": "array", "items": {"type": "string"}}
        }},
        "Result": {"anyOf": [{"$ref": "#/$defs/Empty"}, {"$ref": "#/$defs/Book"}]},
    });
    let (_, all) = complete(source, definitions);
    assert_eq!(
        all["Book"]["properties"]["mark"],
        json!({"$ref": "#/$defs/Mark"})
    );
    assert_eq!(
        all["Book"]["properties"]["others"]["items"],
        json!({"$ref": "#/$defs/Mark"})
    );
    assert_eq!(
        all["Result"]["anyOf"][0],
        json!({"$ref": "#/$defs/Nothing"})
    );
}

#[test]
fn unions_inside_of_unions_keep_their_name() {
    let source = "
        export interface A { a: string }
        export interface B { b: string }
        export interface C { c: string }
        export type AorB = A | B;
        export type All = C | AorB;
        export type List = AorB | AorB[];
        export type Only = C;";
    let definitions = json!({
        "A": object(&["a"]), "B": object(&["b"]), "C": object(&["c"]), "Only": object(&["c"]),
        "AorB": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
        "All": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, {"$ref": "#/$defs/C"}]},
        "List": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"},
            {"type": "array", "items": {"$ref": "#/$defs/AorB"}}]},
    });
    let (_, all) = complete(source, definitions);
    assert_eq!(
        all["All"]["anyOf"],
        json!([{"$ref": "#/$defs/AorB"}, {"$ref": "#/$defs/C"}])
    );
    assert_eq!(all["List"]["anyOf"][0], json!({"$ref": "#/$defs/AorB"}));
    assert_eq!(all["List"]["anyOf"][1]["type"], "array");
    assert_eq!(all["Only"], json!({"anyOf": [{"$ref": "#/$defs/C"}]}));
}

#[test]
fn null_is_accepted_where_the_source_says_so() {
    let source = "
        export type Value = string | number | null | Value[];
        export interface Book { shelf: string | null; mark: (boolean | null) }";
    let definitions = json!({
        "Value": {"anyOf": [
            {"type": "array", "items": {"$ref": "#/$defs/Value"}}, {"type": ["string", "integer"]}
        ]},
        "Book": {"type": "object", "properties": {
            "shelf": {"type": "string"}, "mark": {"type": ["boolean", "null"]}
        }},
    });
    let (facts, _) = complete(source, definitions);
    let places: Vec<&String> = facts.nullable.iter().collect();
    assert_eq!(places, ["/Book/properties/shelf", "/Value/anyOf/1"]);
}

#[test]
fn deprecations_and_categories_are_read_from_comments() {
    let source = "
        /**
         * A text that mentions @deprecated things.
         * @category `books/list`
         */
        export interface Book {
          /** @deprecated Say `b` instead. */
          a: string;
          /** Another text. */
          b: string;
          // @deprecated
          c: string;
        }
        /** @deprecated */
        export type Old = Book;";
    let definitions = json!({
        "Book": object(&["a", "b", "c"]), "Old": {"$ref": "#/$defs/Book"},
    });
    let (facts, _) = complete(source, definitions);
    let places: Vec<&String> = facts.deprecated.iter().collect();
    assert_eq!(places, ["/Book/properties/a", "/Old"]);
    assert!(facts.categories["books/list"].contains("Book"));
}

#[test]
fn what_is_not_supported_is_a_warning_with_its_position() {
    for (source, position, part) in [
        ("export type A = keyof B;", (1, 17), "this type"),
        ("export type A = `x${string}`;", (1, 17), ""),
        ("\n  export class C {}", (2, 10), "a declaration of no type"),
        ("export interface A { run(): void }", (1, 22), "function"),
        ("export const A = f();", (1, 14), "constant"),
        ("export type A<T> = T[];", (1, 14), "parameters"),
        ("export type A = B.C;", (1, 17), "dots"),
        ("f();", (1, 1), "declares no type"),
        ("export type A = 1;\nexport type A = 2;", (2, 1), "twice"),
    ] {
        let (_, warnings) = read(source, json!({}));
        let first = warnings
            .first()
            .unwrap_or_else(|| panic!("{source}: no warning"));
        assert_eq!(first.position, Some(position), "{source}: {first}");
        assert!(first.message.contains(part), "{source}: {first}");
    }
}

#[test]
fn broken_source_is_a_warning() {
    for source in [
        "export type A = ;",
        "export interface {",
        "\u{feff}{{{",
        "type A = \"",
        "/**",
    ] {
        let (_, warnings) = read(source, json!({}));
        assert!(!warnings.is_empty(), "{source}");
    }
}

#[test]
fn circular_bases_end() {
    let source = "export interface A extends B {}\nexport interface B extends A {}";
    let (_, warnings) = read(source, json!({"A": object(&["a"]), "B": object(&["b"])}));
    assert!(!warnings.is_empty());
}

#[test]
fn differences_from_the_published_schema_are_warnings() {
    let source = r#"
        export interface Book { title: string }
        export type Rank = "low" | "high";
        export type Notes = Record<string, string>;"#;
    let definitions = json!({
        "Notes": {"type": "object"}, "Book": object(&["name"]), "Rank": {"type": "string", "enum": ["low"]}, "Gone": {},
    });
    let (facts, warnings) = read(source, definitions);
    assert!(facts.is_empty(), "{facts:?}");
    let lines: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    for place in ["`/Book`", "`/Rank`", "`/Notes`", "`Gone`"] {
        assert!(
            lines.iter().any(|line| line.contains(place)),
            "{place}: {lines:?}"
        );
    }
}
