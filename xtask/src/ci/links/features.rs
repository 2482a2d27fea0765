//! Checks the table of features in `docs/features.md`.

use std::fs;
use std::path::Path;

use super::Pages;
use crate::markdown::{Kind, Page, Part};
use crate::workspace;

const TABLE: &str = "docs/features.md";

/// The features of SEP-1730, in the order and with the names of the conformance suite's audit
/// (`feature-list.md`).
const FEATURES: [&str; 48] = [
    "Tools - listing",
    "Tools - calling",
    "Tools - text results",
    "Tools - image results",
    "Tools - audio results",
    "Tools - embedded resources",
    "Tools - error handling",
    "Tools - change notifications",
    "Resources - listing",
    "Resources - reading text",
    "Resources - reading binary",
    "Resources - templates",
    "Resources - template reading",
    "Resources - subscribing",
    "Resources - unsubscribing",
    "Resources - change notifications",
    "Prompts - listing",
    "Prompts - getting simple",
    "Prompts - getting with arguments",
    "Prompts - embedded resources",
    "Prompts - image content",
    "Prompts - change notifications",
    "Sampling - creating messages",
    "Elicitation - form mode",
    "Elicitation - URL mode",
    "Elicitation - schema validation",
    "Elicitation - default values",
    "Elicitation - enum values",
    "Elicitation - complete notification",
    "Roots - listing",
    "Roots - change notifications",
    "Logging - sending log messages",
    "Logging - setting level",
    "Completions - resource argument",
    "Completions - prompt argument",
    "Ping",
    "Streamable HTTP transport (client)",
    "Streamable HTTP transport (server)",
    "SSE transport - legacy (client)",
    "SSE transport - legacy (server)",
    "stdio transport (client)",
    "stdio transport (server)",
    "Progress notifications",
    "Cancellation",
    "Pagination",
    "Capability negotiation",
    "Protocol version negotiation",
    "JSON Schema 2020-12 support",
];

/// Sections whose programs the step `quickstart` builds and runs.
const PROGRAMS: [(&str, &str); 2] = [("docs/start.md", "a-server"), ("docs/start.md", "a-client")];

/// Returns the rows that are missing, and those without an explanation or without an example that
/// runs.
pub(super) fn faults(pages: &Pages) -> Vec<String> {
    let Some(table) = pages.pages.get(Path::new(TABLE)) else {
        return vec![format!("{TABLE} does not exist")];
    };
    let is_numbered = |row: &&[String]| {
        let first = row.first();
        first.is_some_and(|cell| cell.starts_with(|c: char| c.is_ascii_digit()))
    };
    let rows = table.parts.iter().filter_map(Part::row);
    let rows: Vec<&[String]> = rows.filter(is_numbered).collect();
    let mut faults = Vec::new();
    if rows.len() != FEATURES.len() {
        let (found, expected) = (rows.len(), FEATURES.len());
        faults.push(format!("{TABLE}: {found} features instead of {expected}"));
    }
    for (row, feature) in rows.iter().zip(FEATURES) {
        let [_, name, _, explained, example] = row else {
            faults.push(format!("{TABLE}: {feature}: the row does not have 5 cells"));
            continue;
        };
        if name != feature {
            faults.push(format!("{TABLE}: {name:?} instead of {feature:?}"));
            // All further rows would differ, too.
            break;
        }
        let cells = [(explained, explains as Check), (example, runs as Check)];
        for (cell, check) in cells {
            let found = targets(pages, cell, check);
            faults.extend(
                found
                    .err()
                    .map(|fault| format!("{TABLE}: {feature}: {fault}")),
            );
        }
    }
    faults
}

/// Checks what a page has under an anchor.
type Check = fn(&Pages, &Path, &str) -> Result<(), String>;

/// Checks the targets of all links in a cell.
fn targets(pages: &Pages, cell: &str, check: Check) -> Result<(), String> {
    let cell_parts = Page::parse(cell);
    if cell_parts.links().next().is_none() {
        return Err(format!("no link in the cell {cell:?}"));
    }
    for target in cell_parts.links() {
        let Some((path, Some(anchor))) = pages.resolve(Path::new(TABLE), target)? else {
            return Err(format!("{target} names no heading"));
        };
        check(pages, &path, anchor).map_err(|fault| format!("{target} {fault}"))?;
    }
    Ok(())
}

fn explains(pages: &Pages, page: &Path, anchor: &str) -> Result<(), String> {
    let has_prose = pages
        .section(page, anchor)
        .any(|part| part.kind == Kind::Prose);
    require(has_prose, "explains nothing")
}

fn runs(pages: &Pages, page: &Path, anchor: &str) -> Result<(), String> {
    let info = |part: &'_ Part| match &part.kind {
        Kind::Code { info, .. } => Some(info.clone()),
        _ => None,
    };
    let mut blocks = pages.section(page, anchor).filter_map(info);
    if PROGRAMS
        .map(|(page, anchor)| (Path::new(page), anchor))
        .contains(&(page, anchor))
    {
        let has_program = blocks.any(|info| info.starts_with("rust"));
        return require(has_program, "has no program");
    }
    require(
        blocks.any(|info| is_run(&info)),
        "has no code block that runs",
    )?;
    let is_tested = is_tested(&pages.root, page);
    require(is_tested, "is on a page whose code blocks are not tested")
}

fn require(holds: bool, fault: &str) -> Result<(), String> {
    holds.then_some(()).ok_or_else(|| fault.to_owned())
}

/// Returns `true` if rustdoc runs a code block with these words.
fn is_run(info: &str) -> bool {
    let mut words = info.split(',').map(str::trim);
    let stops = ["no_run", "ignore", "compile_fail", "should_panic"];
    words.next().is_some_and(|word| word == "rust") && words.all(|word| !stops.contains(&word))
}

/// Returns `true` if a library includes the page, so that rustdoc tests it.
fn is_tested(root: &Path, page: &Path) -> bool {
    let page = workspace::with_slashes(page);
    let libraries = ["mcp-server", "mcp-client", "mcp-types"];
    let mut sources = libraries.iter().flat_map(|library| {
        let path = match page.strip_prefix(library) {
            Some(own) => format!("..{own}"),
            None => format!("../../{page}"),
        };
        let include = format!("include_str!(\"{path}\")");
        let files = ["src/guide.rs", "src/lib.rs"].map(|file| root.join(library).join(file));
        files.map(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(&include)))
    });
    sources.any(|is_included| is_included)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "| | feature | support | guide | example |\n| - | - | - | - | - |\n";

    /// Returns the faults of a table in which all rows have these cells, without those of the
    /// rows.
    fn faults_of(explained: &str, example: &str) -> Vec<String> {
        let row = |(at, name)| format!("| {at} | {name} |  | {explained} | {example} |\n");
        let rows: String = FEATURES.iter().enumerate().map(row).collect();
        let table = format!("{HEAD}{rows}");
        let guide = "# Offers\nText.\n```rust,no_run\n```\n## Run\n```rust\n```\n";
        let pages = [
            (TABLE, table.as_str()),
            ("mcp-server/docs/offers.md", guide),
            ("docs/commands.md", guide),
        ];
        let pages = pages.iter();
        let pages = Pages {
            root: workspace::root(),
            pages: pages
                .map(|(path, text)| (path.into(), Page::parse(text)))
                .collect(),
        };
        faults(&pages)
    }

    #[test]
    fn each_feature_needs_an_explanation_and_an_example_that_runs() {
        let explained = "[a](../mcp-server/docs/offers.md#offers)";
        let example = "[b](../mcp-server/docs/offers.md#run)";
        assert_eq!(faults_of(explained, example), [""; 0]);
        for (explained, example, fault) in [
            ("", example, "no link"),
            (explained, "soon", "no link"),
            (
                "[a](../mcp-server/docs/offers.md)",
                example,
                "names no heading",
            ),
            (example, example, "explains nothing"),
            (explained, explained, "has no code block that runs"),
            (
                explained,
                "[c](commands.md#run)",
                "is on a page whose code blocks are not tested",
            ),
            (
                explained,
                "[c](../mcp-server/docs/offers.md#none)",
                "does not exist",
            ),
        ] {
            let found = faults_of(explained, example);
            assert_eq!(found.len(), FEATURES.len(), "{found:?}");
            assert!(found[0].contains(fault), "{} instead of {fault}", found[0]);
        }
    }

    #[test]
    fn missing_rows_are_faults() {
        let pages = Pages {
            root: workspace::root(),
            pages: [(
                TABLE.into(),
                Page::parse(&format!("{HEAD}| 1 | Ping | | | |\n")),
            )]
            .into(),
        };
        let found = faults(&pages);
        assert_eq!(found[0], "docs/features.md: 1 features instead of 48");
        assert_eq!(
            found[1],
            "docs/features.md: \"Ping\" instead of \"Tools - listing\""
        );
    }
}
