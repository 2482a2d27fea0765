//! The checks before a release.

use std::fs;
use std::path::Path;

use super::{command, folder, printed, xtask};

/// Writes a workspace of two packages that cannot be published as they are.
fn write_unpublishable_workspace(folder: &Path) {
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n");
    write("a/src/lib.rs", "");
    write("b/src/lib.rs", "");
    let metadata = "license = \"MIT\"\nreadme = false\nrust-version = \"1.88\"\n\
        keywords = [\"model-context-protocol\"]\ncategories = [\"encoding\"]\n";
    write(
        "a/Cargo.toml",
        &format!("[package]\nname = \"a\"\nversion = \"0.2.0\"\ndescription = \"A\"\n{metadata}"),
    );
    write(
        "b/Cargo.toml",
        &format!(
            "[package]\nname = \"b\"\nversion = \"0.1.0\"\n{metadata}\
            [dependencies]\na = {{ path = \"../a\", version = \"0.2\" }}\n"
        ),
    );
}

#[test]
fn release_names_what_prevents_it() {
    let folder = folder("unpublishable");
    write_unpublishable_workspace(&folder);
    let mut release = command(&["release"]);
    let output = release.env("XTASK_WORKSPACE", &folder).output().unwrap();
    let printed = printed(&output);
    let faults: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("error: "))
        .collect();
    let keyword = "invalid keyword `model-context-protocol`; expected at most 20 ASCII letters, \
        digits, `-`, `_` or `+`";
    assert_eq!(
        faults,
        [
            "a/Cargo.toml: no `readme`",
            &format!("a/Cargo.toml: {keyword}"),
            "b/Cargo.toml: no `description`",
            "b/Cargo.toml: no `readme`",
            &format!("b/Cargo.toml: {keyword}"),
            "b/Cargo.toml: version \"0.1.0\", but \"a\" has \"0.2.0\"",
            "b/Cargo.toml: requires \"a\" \"^0.2\"; expected \"=0.2.0\"",
            "CHANGELOG.md: no entry below `## [0.2.0]`, the version in Cargo.toml, \
            or below `## [Unreleased]`",
        ]
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn this_workspace_can_be_released() {
    let output = xtask(&["release"]);
    let printed = printed(&output);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    for name in [
        "mcp-types",
        "mcp-server",
        "mcp-client",
        "mcp-cli",
        "mcp-host",
        "mcp-gateway",
    ] {
        let warning = format!("the name `{name}` belongs to others on crates.io");
        assert!(printed.contains(&warning), "{printed}");
    }
}
