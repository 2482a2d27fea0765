//! The files under `schema/` are consistent with each other and with the published schemas.

use std::path::PathBuf;

use codegen::schema::{Document, Errata, FEATURE, Facts, Patch};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the names in a folder of `schema/`, sorted.
fn names(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join("schema").join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn revisions() -> Vec<String> {
    let mut names = names("");
    names.retain(|name| {
        root()
            .join("schema")
            .join(name)
            .join("schema.json")
            .is_file()
    });
    names
}

fn patches() -> Vec<Patch> {
    let folders = ["extensions", "proposals"];
    let paths = folders.iter().flat_map(|folder| {
        let names = names(folder).into_iter();
        names.map(move |name| format!("{folder}/{name}"))
    });
    paths
        .map(|path| Patch::parse(&path, &ours(&path)).unwrap())
        .collect()
}

fn ours(path: &str) -> String {
    std::fs::read_to_string(root().join("schema").join(path)).unwrap()
}

fn document(revision: &str) -> Document {
    let path = format!("{revision}/schema.json");
    Document::parse(&path, &ours(&path)).unwrap()
}

fn facts(revision: &str) -> Facts {
    let path = format!("{revision}/facts.json");
    Facts::parse(&path, &ours(&path)).unwrap()
}

fn errata(revision: &str) -> Errata {
    let path = format!("errata/{revision}.json");
    if root().join("schema").join(&path).is_file() {
        return Errata::parse(&path, &ours(&path)).unwrap();
    }
    let none = format!("{{\"revision\": \"{revision}\", \"errata\": []}}");
    Errata::parse(&path, &none).unwrap()
}

fn corrected(revision: &str) -> Document {
    let mut document = document(revision);
    facts(revision).apply(&mut document).unwrap();
    errata(revision).apply(&mut document).unwrap();
    document
}

#[test]
fn every_erratum_applies_to_our_file_exactly_once() {
    for revision in &revisions() {
        let errata = errata(revision);
        assert_eq!(errata.revision, *revision);
        if errata.errata.is_empty() {
            continue;
        }
        let mut document = corrected(revision);
        let faults = errata.apply(&mut document).unwrap_err();
        let text = faults
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n");
        for erratum in &errata.errata {
            assert!(
                text.contains(&format!("erratum `{}`", erratum.name)),
                "{text}"
            );
        }
    }
}

#[test]
fn every_erratum_applies_to_the_published_file_and_keeps_its_texts() {
    for revision in &revisions() {
        let Some(folder) = std::env::var_os("MCP_SPEC_DIR") else {
            eprintln!("skipped: MCP_SPEC_DIR names no folder with published files");
            return;
        };
        let file = PathBuf::from(folder).join(revision).join("schema.json");
        let Ok(text) = std::fs::read_to_string(&file) else {
            eprintln!("skipped: {} is not there", file.display());
            return;
        };
        let mut published = Document::parse(revision, &text).unwrap();
        facts(revision).apply(&mut published).unwrap();
        errata(revision).apply(&mut published).unwrap();
        let cursor = published.definitions["PaginatedResult"]["properties"]["nextCursor"].clone();
        assert!(cursor["description"].is_string(), "{cursor}");
        assert_eq!(cursor["$ref"], "#/$defs/Cursor");
        assert_eq!(
            published.without_prose().definitions,
            corrected(revision).definitions
        );
    }
}

#[test]
fn errata_have_reasons_and_unique_names() {
    for revision in &revisions() {
        let errata = errata(revision);
        let mut names: Vec<_> = errata.errata.iter().map(|erratum| &erratum.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), errata.errata.len());
        assert!(
            errata
                .errata
                .iter()
                .all(|erratum| erratum.reason.ends_with('.'))
        );
        let constants = facts(revision).constants;
        assert!(constants.contains_key("LATEST_PROTOCOL_VERSION"));
    }
}

#[test]
fn every_patch_applies_alone_and_together_in_any_order() {
    let patches = patches();
    let base = corrected(&patches[0].since);
    for first in 0..patches.len() {
        let mut alone = base.clone();
        patches[first].apply(&mut alone).unwrap();
        assert!(alone.to_json().contains(FEATURE));
        let mut together = base.clone();
        for index in 0..patches.len() {
            patches[(first + index) % patches.len()]
                .apply(&mut together)
                .unwrap();
        }
        together.check().unwrap();
        let again = Document::parse("again", &together.to_json()).unwrap();
        assert_eq!(again.definitions, together.definitions);
    }
}

#[test]
fn a_patch_only_adds_to_what_exists() {
    let patches = patches();
    let base = corrected(&patches[0].since);
    let mut together = base.clone();
    for patch in &patches {
        patch.apply(&mut together).unwrap();
    }
    for (name, schema) in &base.definitions {
        assert_eq!(
            schema["required"], together.definitions[name]["required"],
            "{name}"
        );
    }
    let count = together.definitions.len() - base.definitions.len();
    let added = patches
        .iter()
        .map(|patch| patch.definitions.len())
        .sum::<usize>();
    assert_eq!(count, added);
}
