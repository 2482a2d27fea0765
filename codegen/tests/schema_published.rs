//! The published files are parsed unchanged. They are not part of the repository: `MCP_SPEC_DIR`
//! names the folder that has them, such as the folder `schema` of the specification's repository.

use std::path::PathBuf;

use codegen::schema::{Document, verify};

fn published(path: &str) -> Option<Document> {
    let Some(folder) = std::env::var_os("MCP_SPEC_DIR") else {
        eprintln!("skipped: MCP_SPEC_DIR names no folder with published files");
        return None;
    };
    let file = PathBuf::from(folder).join(path);
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("skipped: {} is not there", file.display());
        return None;
    };
    Some(Document::parse(path, &text).unwrap())
}

#[test]
fn every_published_file_is_parsed() {
    for (revision, count) in [
        ("2024-11-05", 79),
        ("2025-03-26", 83),
        ("2025-06-18", 91),
        ("2025-11-25", 145),
        ("2026-07-28", 155),
        ("draft", 155),
    ] {
        let Some(document) = published(&format!("{revision}/schema.json")) else {
            return;
        };
        assert_eq!(document.definitions.len(), count, "{revision}");
        let bare = document.without_prose();
        assert_eq!(
            bare.to_json(),
            Document::parse("again", &bare.to_json()).unwrap().to_json()
        );
    }
    let extension = published("extensions/tasks/schema.json");
    assert!(extension.is_none_or(|document| document.definitions.contains_key("DetailedTask")));
}

#[test]
fn our_files_have_the_structure_of_the_published_ones() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../schema");
    for entry in std::fs::read_dir(&folder).unwrap() {
        let revision = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{revision}/schema.json");
        let file = folder.join(&path);
        if !file.is_file() {
            continue;
        }
        let Some(published) = published(&path) else {
            continue;
        };
        let ours = Document::parse(&path, &std::fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!(verify(&published, &ours), []);
        assert_eq!(
            published.without_prose().to_json(),
            ours.to_json(),
            "{revision}"
        );
    }
}
