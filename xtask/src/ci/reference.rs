//! Checks that the pages in `docs/reference` have every Cargo feature, limit and metric of the code.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};

use crate::markdown::{Page, Part};
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
    let page = Page::parse(&read(PAGE)?);
    let mut faults = Vec::new();
    let metadata = workspace::metadata(&["--no-deps"])?;
    for package in workspace::packages(&metadata) {
        let name = package["name"].as_str().unwrap_or_default();
        // Packages that programs do not depend on.
        if !package["publish"].is_null() {
            continue;
        }
        let features = package["features"].as_object().into_iter().flatten();
        let features = features.map(|(feature, _)| feature.as_str());
        let public = |feature: &&str| !feature.starts_with('_') && *feature != "default";
        let expected: BTreeSet<&str> = features.filter(public).collect();
        let documented = rows(&page, name);
        let documented = documented.iter().map(|row| row.name).collect();
        faults.extend(differences(PAGE, name, &expected, &documented));
    }
    Ok(faults)
}

/// Compares the fields of the two types `Limits`, and the defaults with their documentation.
fn limits() -> Result<Vec<String>> {
    const PAGE: &str = "docs/reference/limits.md";
    let page = Page::parse(&read(PAGE)?);
    let mut faults = Vec::new();
    for (anchor, file) in [
        ("a-server", "mcp-server/src/protocol/limits.rs"),
        ("a-client", "mcp-client/src/protocol/limits.rs"),
    ] {
        let source = read(file)?;
        let fields = fields(&source);
        let rows = rows(&page, anchor);
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
    let page = Page::parse(&read(PAGE)?);
    let rows = rows(&page, "metrics");
    let documented = rows
        .iter()
        .filter_map(|row| row.name.strip_prefix("mcp_server_"));
    Ok(differences(PAGE, FILE, &expected, &documented.collect()))
}

fn read(file: &str) -> Result<String> {
    workspace::read(&workspace::root().join(file)).with_context(|| file.to_owned())
}

/// A row of a table.
struct Row<'a> {
    name: &'a str,
    value: &'a str,
}

/// Returns the rows of a chapter whose first cell is code.
fn rows<'a>(page: &'a Page, anchor: &str) -> Vec<Row<'a>> {
    let parts = page.chapter(anchor).into_iter().flatten();
    let rows = parts.filter_map(Part::row);
    rows.filter_map(|cells| {
        let name = cells.first()?.strip_prefix('`')?.strip_suffix('`')?;
        let value = cells.get(1)?;
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
            .filter(|(name, _)| !name.contains(' '))
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
        let page = Page::parse(page);
        let rows = rows(&page, "a-server");
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
        let source = "/// Of no field.\n\nstruct A {\n    /// Size: 4\n    /// MiB.\n    pub a: usize,\n    b: u8,\n}\npub fn c(d: u8) {}\n";
        assert_eq!(fields(source), [("a", " Size: 4 MiB.".to_owned())]);
    }
}
