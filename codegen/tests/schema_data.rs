//! The files under `schema/` are consistent with each other and with the published schemas.

use std::path::PathBuf;

use codegen::schema::{Document, Errata, FEATURE, Patch};

const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];
const PATCHES: [&str; 4] = [
    "extensions/tasks.json",
    "proposals/sep-2093.json",
    "proposals/https-url.json",
    "proposals/versioned-resources.json",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn ours(path: &str) -> String {
    std::fs::read_to_string(root().join("schema").join(path)).unwrap()
}

fn document(revision: &str) -> Document {
    let path = format!("{revision}/schema.json");
    Document::parse(&path, &ours(&path)).unwrap()
}

fn errata(revision: &str) -> Errata {
    let path = format!("errata/{revision}.json");
    Errata::parse(&path, &ours(&path)).unwrap()
}

fn corrected(revision: &str) -> Document {
    let mut document = document(revision);
    errata(revision).apply(&mut document).unwrap();
    document
}

fn patch(path: &str) -> Patch {
    Patch::parse(path, &ours(path)).unwrap()
}

#[test]
fn every_erratum_applies_to_our_file_exactly_once() {
    for revision in REVISIONS {
        let errata = errata(revision);
        assert_eq!(errata.revision, revision);
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
    for revision in REVISIONS {
        let file = root()
            .join("../shared/spec")
            .join(revision)
            .join("schema.json");
        let Ok(text) = std::fs::read_to_string(&file) else {
            eprintln!("skipped: {} is not there", file.display());
            return;
        };
        let mut published = Document::parse(revision, &text).unwrap();
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
    for revision in REVISIONS {
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
        assert!(errata.constants.contains_key("LATEST_PROTOCOL_VERSION"));
    }
}

#[test]
fn every_patch_applies_alone_and_together_in_any_order() {
    let base = corrected("2026-07-28");
    for first in 0..PATCHES.len() {
        let mut alone = base.clone();
        patch(PATCHES[first]).apply(&mut alone).unwrap();
        assert!(alone.to_json().contains(FEATURE));
        let mut together = base.clone();
        for index in 0..PATCHES.len() {
            patch(PATCHES[(first + index) % PATCHES.len()])
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
    let base = corrected("2026-07-28");
    let mut together = base.clone();
    for path in PATCHES {
        patch(path).apply(&mut together).unwrap();
    }
    for (name, schema) in &base.definitions {
        assert_eq!(
            schema["required"], together.definitions[name]["required"],
            "{name}"
        );
    }
    let count = together.definitions.len() - base.definitions.len();
    let added = PATCHES
        .iter()
        .map(|path| patch(path).definitions.len())
        .sum::<usize>();
    assert_eq!(count, added);
}
