//! The table of the revisions that have each item, compared with the schemas.

use mcp_types::{Item, Revision};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;

/// Names of definitions that were renamed. A newer revision uses the old names for something else.
const REUSED: [&str; 2] = ["EnumSchema", "JSONRPCResponse"];

/// A definition that a hand-written type implements. Its variants are no items.
const NATIVE: &str = "JSONValue";

/// Returns the definitions of the corrected schema of a revision, without what proposals add.
fn definitions(revision: Revision) -> Map<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    let text = std::fs::read_to_string(folder.join(format!("{revision}.json"))).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    let keywords = ["$defs", "definitions"];
    let keyword = keywords
        .iter()
        .find(|keyword| schema[**keyword].is_object());
    let mut definitions = schema[*keyword.unwrap()].take();
    let mut added = BTreeSet::new();
    remove_additions(&mut definitions, &mut added);
    let own = references(&definitions);
    let mut definitions: Map<String, Value> = serde_json::from_value(definitions).unwrap();
    // Some definitions are there only because an addition refers to them.
    definitions.retain(|name, _| own.contains(name) || !added.contains(name));
    definitions
}

/// Removes the parts that proposals add, and collects the names of the definitions that they use.
fn remove_additions(node: &mut Value, used: &mut BTreeSet<String>) {
    match node {
        Value::Object(parts) => parts.retain(|_, part| {
            let is_own = part.get("x-feature").is_none();
            if is_own {
                remove_additions(part, used);
            } else {
                used.extend(references(part));
            }
            is_own
        }),
        Value::Array(parts) => parts.retain_mut(|part| {
            let is_own = part.get("x-feature").is_none();
            remove_additions(part, used);
            is_own
        }),
        _ => {}
    }
}

fn references(node: &Value) -> BTreeSet<String> {
    match node {
        Value::Object(parts) => {
            let target = parts.get("$ref").and_then(Value::as_str);
            let target = target.and_then(|target| target.rsplit('/').next());
            let inner = parts.values().flat_map(references);
            inner.chain(target.map(str::to_owned)).collect()
        }
        Value::Array(parts) => parts.iter().flat_map(references).collect(),
        _ => BTreeSet::new(),
    }
}

/// Returns the name of the definition to which a variant refers.
fn target(variant: &Value) -> Option<&str> {
    variant.get("$ref")?.as_str()?.rsplit('/').next()
}

/// Returns the names of the items that a definition shows without resolving anything.
fn items_of(name: &str, definition: &Value) -> Vec<String> {
    let mut found = vec![name.to_owned()];
    if let Some(Value::Object(members)) = definition.get("properties") {
        found.extend(members.keys().map(|member| format!("{name}.{member}")));
    }
    if let Some(Value::Array(values)) = definition.get("enum") {
        let values = values.iter().filter_map(Value::as_str);
        found.extend(values.map(|value| format!("{name}={value}")));
    }
    if let Some(Value::Array(variants)) = definition.get("anyOf").filter(|_| name != NATIVE) {
        let targets = variants.iter().filter_map(target);
        found.extend(targets.map(|target| format!("{name}|{target}")));
    }
    found
}

fn revisions_with(name: &str) -> Vec<Revision> {
    let item = Item::find(name).unwrap_or_else(|| panic!("`{name}` is unknown"));
    let all = Revision::ALL.iter().copied();
    all.filter(|revision| revision.has(item)).collect()
}

#[test]
fn each_part_of_each_schema_is_an_item_of_its_revision() {
    let mut missing = Vec::new();
    let mut checked = 0;
    for &revision in Revision::ALL {
        let definitions = definitions(revision);
        let definitions = definitions.iter();
        let named = definitions.filter(|(name, _)| !REUSED.contains(&name.as_str()));
        for name in named.flat_map(|(name, definition)| items_of(name, definition)) {
            checked += 1;
            let item = Item::find(&name);
            if !item.is_some_and(|item| revision.has(item)) {
                missing.push(format!("{revision}: {name}"));
            }
        }
    }
    // Variants whose types were renamed, and whose old names are in use, have the new names only.
    missing.retain(|line| {
        !REUSED
            .iter()
            .any(|name| line.ends_with(&format!("|{name}")))
    });
    assert_eq!(missing, Vec::<String>::new());
    assert!(checked > 2000, "{checked}");
}

#[test]
fn method_is_an_item_of_exactly_the_revisions_that_define_it() {
    for &revision in Revision::ALL {
        let definitions = definitions(revision);
        let methods = definitions.values();
        let methods: BTreeSet<&str> = methods
            .filter_map(|definition| definition["properties"]["method"]["const"].as_str())
            .collect();
        let begins_lower = |item: &Item| item.name().starts_with(|c: char| c.is_lowercase());
        let items: BTreeSet<&str> = Item::all()
            .filter(|item| begins_lower(item) && revision.has(*item))
            .map(Item::name)
            .collect();
        assert_eq!(items, methods, "{revision}");
    }
}

#[test]
fn removed_and_added_parts_are_absent_elsewhere() {
    let oldest = Revision::V2024_11_05;
    let before_modern: Vec<Revision> = Revision::ALL
        .iter()
        .copied()
        .filter(|revision| !revision.is_modern())
        .collect();
    assert_eq!(revisions_with("logging/setLevel"), before_modern);
    assert_eq!(
        revisions_with("JSONRPCBatchRequest"),
        [Revision::V2025_03_26]
    );
    assert_eq!(revisions_with("tasks/get"), [Revision::V2025_11_25]);
    assert_eq!(
        revisions_with("ServerCapabilities.tasks"),
        [Revision::V2025_11_25]
    );
    assert_eq!(Item::named("Annotated").since(), oldest);
    assert_eq!(Item::named("Annotated").until(), Some(oldest));
    assert_eq!(
        Item::named("CallToolResult.structuredContent").since(),
        Revision::V2025_06_18
    );
    assert_eq!(
        Item::named("ElicitValue|string[]").since(),
        Revision::V2025_11_25
    );
    assert_eq!(
        Item::named("server/discover").since(),
        Revision::V2026_07_28
    );
}

#[test]
fn renamed_definition_has_each_of_its_names() {
    for (old, new) in [
        ("ResourceReference", "ResourceTemplateReference"),
        ("ResourceReference.uri", "ResourceTemplateReference.uri"),
        (
            "CompletionReference|ResourceReference",
            "CompletionReference|ResourceTemplateReference",
        ),
        ("JSONRPCError", "JSONRPCErrorResponse"),
    ] {
        assert_eq!(revisions_with(old), revisions_with(new), "{old}");
        assert_eq!(Item::named(old).since(), Revision::V2024_11_05, "{old}");
    }
    assert_eq!(
        Item::named("LegacyTitledEnumSchema").since(),
        Revision::V2025_06_18
    );
}

#[test]
fn old_name_that_is_used_again_stands_for_the_new_definition() {
    for name in REUSED {
        assert_eq!(Item::named(name).since(), Revision::V2025_11_25, "{name}");
    }
    assert_eq!(Item::find("EnumSchema.enumNames"), None);
}

#[test]
fn member_that_definitions_repeat_is_as_old_as_they_are() {
    for name in [
        "CallToolRequest.id",
        "CallToolRequestParams._meta",
        "ElicitRequest.jsonrpc",
    ] {
        let owner = name.split('.').next().unwrap();
        assert_eq!(
            Item::named(name).since(),
            Item::named(owner).since(),
            "{name}"
        );
    }
    assert_eq!(Item::named("Tool._meta").since(), Revision::V2025_06_18);
    assert_eq!(
        Item::named("SamplingMessage._meta").since(),
        Revision::V2025_11_25
    );
}

#[test]
fn each_item_is_found_by_its_name_and_other_texts_are_not() {
    let mut last = "";
    for item in Item::all() {
        assert!(last < item.name(), "{last}, {item}");
        last = item.name();
        assert_eq!(Item::find(item.name()), Some(item));
        assert!(item.since().has(item));
        let last_with = Revision::ALL.iter().rfind(|revision| revision.has(item));
        assert_eq!(
            item.until().as_ref().unwrap_or(&Revision::LATEST),
            last_with.unwrap()
        );
        let longer = format!("{item} ");
        assert_eq!(Item::find(&longer), None, "{longer}");
    }
    for unknown in [
        "",
        "A",
        "~",
        "tools",
        "tools/",
        "Tool.",
        "Tool.Name",
        "tool",
    ] {
        assert_eq!(Item::find(unknown), None, "{unknown}");
    }
}

#[test]
#[should_panic(expected = "has an item of this name")]
fn unknown_name_panics_outside_of_constants() {
    let _ = Item::named(&String::from("Tool.subtitle"));
}
