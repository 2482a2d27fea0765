//! Checks that the pages in `docs/reference` have every Cargo feature, limit and metric of the code.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};

use crate::workspace;

/// Returns what a page has and the code has not, or the reverse.
pub(super) fn faults() -> Result<Vec<String>> {
    let mut faults = features()?;
    faults.extend(limits()?);
    faults.extend(metrics()?);
    Ok(faults)
}

/// Compares the features of all published packages.
fn features() -> Result<Vec<String>> {
    const PAGE: &str = "docs/reference/cargo-features.md";
    let page = read(PAGE)?;
    let mut faults = Vec::new();
    let metadata = workspace::metadata(&["--no-deps"])?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        // Packages that programs do not depend on.
        if !package["publish"].is_null() || name == "mcp-internal" {
            continue;
        }
        let features = package["features"].as_object().into_iter().flatten();
        let features = features.map(|(feature, _)| feature.as_str());
        let public = |feature: &&str| !feature.starts_with('_') && *feature != "default";
        let expected: BTreeSet<&str> = features.filter(public).collect();
        let documented = section(&page, &format!("## {name}\n")).map(rows);
        let documented = documented.unwrap_or_default();
        let documented = documented.iter().map(|row| row.name).collect();
        faults.extend(differences(PAGE, name, &expected, &documented));
    }
    Ok(faults)
}

/// Compares the fields of the two types `Limits`, and the defaults with their documentation.
fn limits() -> Result<Vec<String>> {
    const PAGE: &str = "docs/reference/limits.md";
    let page = read(PAGE)?;
    let mut faults = Vec::new();
    for (heading, file) in [
        ("## A server\n", "mcp-server/src/protocol/limits.rs"),
        ("## A client\n", "mcp-client/src/protocol/limits.rs"),
    ] {
        let source = read(file)?;
        let fields = fields(&source);
        let rows = section(&page, heading).map(rows).unwrap_or_default();
        let expected = fields.iter().map(|(name, _)| *name).collect();
        let documented = rows.iter().map(|row| row.name).collect();
        faults.extend(differences(PAGE, file, &expected, &documented));
        for (name, doc) in &fields {
            let row = rows.iter().find(|row| row.name == *name);
            faults.extend(row.filter(|row| !doc.contains(row.value)).map(|row| {
                format!(
                    "{PAGE}: {name}: {file} does not document the default {:?}",
                    row.value
                )
            }));
        }
    }
    Ok(faults)
}

/// Compares the names in the text format.
fn metrics() -> Result<Vec<String>> {
    const PAGE: &str = "docs/reference/metrics.md";
    const FILE: &str = "mcp-server/src/protocol/metrics/open_metrics.rs";
    let source = read(FILE)?;
    let mut expected = BTreeSet::new();
    for call in ["gauge(", "counter(", "family(", "let name = "] {
        for rest in source.split(call).skip(1) {
            let name = rest
                .trim_start()
                .strip_prefix('"')
                .and_then(|rest| rest.split_once('"'));
            expected.extend(name.map(|(name, _)| name));
        }
    }
    let page = read(PAGE)?;
    let rows = section(&page, "## Metrics\n").map(rows).unwrap_or_default();
    let documented = rows
        .iter()
        .filter_map(|row| row.name.strip_prefix("mcp_server_"));
    Ok(differences(PAGE, FILE, &expected, &documented.collect()))
}

fn read(file: &str) -> Result<String> {
    workspace::read(&workspace::root().join(file)).with_context(|| file.to_owned())
}

/// Returns the text after a heading, up to the next one of the same level.
fn section<'a>(page: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(heading)?;
    Some(rest.split("\n## ").next().unwrap_or(rest))
}

/// A row of a table.
struct Row<'a> {
    name: &'a str,
    value: &'a str,
}

/// Returns the rows whose first cell is code.
fn rows(section: &str) -> Vec<Row<'_>> {
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| {
        let (name, rest) = row.split_once("` | ")?;
        let (value, _) = rest.split_once(" |")?;
        Some(Row { name, value })
    })
    .collect()
}

/// Returns the public fields of a struct, each with its documentation in one line.
fn fields(source: &str) -> Vec<(&str, String)> {
    let mut fields = Vec::new();
    let mut doc = String::new();
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc.push_str(text);
        } else if let Some((name, _)) = line
            .strip_prefix("pub ")
            .and_then(|rest| rest.split_once(": "))
        {
            fields.push((name, std::mem::take(&mut doc)));
        } else {
            doc.clear();
        }
    }
    fields
}

fn differences(
    page: &str,
    of: &str,
    expected: &BTreeSet<&str>,
    documented: &BTreeSet<&str>,
) -> Vec<String> {
    let missing = expected.difference(documented);
    let missing = missing.map(|name| format!("{page}: `{name}` of {of} is missing"));
    let unknown = documented.difference(expected);
    let unknown = unknown.map(|name| format!("{page}: {of} has no `{name}`"));
    missing.chain(unknown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_compared_with_the_code() {
        let page = "## A server\n| limit | default |\n| --- | --- |\n| `a` | 4 MiB |\n| `b` | 1 |\n## B\n| `c` | 2 |\n";
        let rows = rows(section(page, "## A server\n").expect("a section"));
        let documented = rows.iter().map(|row| row.name).collect();
        let expected = ["a", "d"].into();
        let expected = differences("limits.md", "Limits", &expected, &documented);
        assert_eq!(
            expected,
            [
                "limits.md: `d` of Limits is missing",
                "limits.md: Limits has no `b`"
            ]
        );
        assert_eq!(rows[0].value, "4 MiB");
    }

    #[test]
    fn fields_have_their_documentation() {
        let source = "/// Of no field.\n\nstruct A {\n    /// Size: 4\n    /// MiB.\n    pub a: usize,\n    b: u8,\n}\n";
        assert_eq!(fields(source), [("a", " Size: 4 MiB.".to_owned())]);
    }
}
