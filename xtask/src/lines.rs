//! `cargo xtask lines`: counts the lines of the workspace by origin and by layer.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::workspace;

/// The layers in the order of the table: the start of a path, the origin, and the name. The first
/// that matches counts.
const LAYERS: &[(&str, &str, &str)] = &[
    (
        "mcp-types/src/revisions/",
        GENERATED,
        "types, codecs, messages, conversions",
    ),
    (
        "mcp-client/src/client/methods.rs",
        GENERATED,
        "methods of the client",
    ),
    ("codegen/", ANY_SCHEMA, "generator"),
    (
        "mcp-types/src/json",
        ANY_SCHEMA,
        "JSON: decoder and encoder",
    ),
    (
        "mcp-types/src/codec",
        ANY_SCHEMA,
        "codecs: macros and functions for tables",
    ),
    (
        "mcp-types/src/arbitrary",
        ANY_SCHEMA,
        "strategies for property tests",
    ),
    (
        "mcp-types/src/convert",
        ANY_SCHEMA,
        "revisions and conversions",
    ),
    (
        "mcp-types/src/revision",
        ANY_SCHEMA,
        "revisions and conversions",
    ),
    (
        "mcp-types/src/registry",
        ANY_SCHEMA,
        "revisions and conversions",
    ),
    (
        "mcp-types/src/item.rs",
        ANY_SCHEMA,
        "revisions and conversions",
    ),
    (
        "mcp-types/src/error",
        ANY_SCHEMA,
        "errors, identifiers, base64",
    ),
    (
        "mcp-types/src/base64.rs",
        ANY_SCHEMA,
        "errors, identifiers, base64",
    ),
    (
        "mcp-types/src/cursor.rs",
        ANY_SCHEMA,
        "errors, identifiers, base64",
    ),
    (
        "mcp-types/src/id.rs",
        ANY_SCHEMA,
        "errors, identifiers, base64",
    ),
    (
        "mcp-types/src/message.rs",
        ANY_SCHEMA,
        "errors, identifiers, base64",
    ),
    ("mcp-types/tests/", PROTOCOL, "types: tests"),
    (
        "mcp-types/internal/",
        PROTOCOL,
        "shared by server and client",
    ),
    ("mcp-types/", PROTOCOL, "envelope, framing, headers, forms"),
    ("mcp-server/gateway/", PROTOCOL, "gateway"),
    ("mcp-server/src/util", PROTOCOL, "server: util"),
    ("mcp-server/src/protocol", PROTOCOL, "server: protocol"),
    ("mcp-server/src/features", PROTOCOL, "server: features"),
    (
        "mcp-server/src/transport/http/oauth",
        PROTOCOL,
        "server: authorization",
    ),
    ("mcp-server/src/transport", PROTOCOL, "server: transport"),
    ("mcp-server/src/stores", PROTOCOL, "server: stores"),
    ("mcp-server/src/extensions", PROTOCOL, "server: extensions"),
    ("mcp-server/src/proposals", PROTOCOL, "server: proposals"),
    ("mcp-server/tests/", PROTOCOL, "server: tests"),
    ("mcp-server/", PROTOCOL, "server: server, guide, examples"),
    ("mcp-client/cli/", PROTOCOL, "command-line program"),
    ("mcp-client/src/util", PROTOCOL, "client: util"),
    ("mcp-client/src/protocol", PROTOCOL, "client: protocol"),
    ("mcp-client/src/features", PROTOCOL, "client: features"),
    ("mcp-client/src/transport", PROTOCOL, "client: transport"),
    ("mcp-client/src/oauth", PROTOCOL, "client: authorization"),
    ("mcp-client/src/extensions", PROTOCOL, "client: extensions"),
    (
        "mcp-client/src/proposals",
        PROTOCOL,
        "client: proposals, icons",
    ),
    ("mcp-client/src/icons", PROTOCOL, "client: proposals, icons"),
    ("mcp-client/tests/", PROTOCOL, "client: tests"),
    ("mcp-client/", PROTOCOL, "client: client, guide, examples"),
    ("xtask/", TOOLS, "commands, peers, attacks, fuzzing"),
    ("", TOOLS, "other"),
];

const GENERATED: &str = "generated";
const ANY_SCHEMA: &str = "written once for any schema";
const PROTOCOL: &str = "written for this protocol";
const TOOLS: &str = "tools";

/// Lines that are not blank.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Lines {
    code: usize,
    comments: usize,
    tests: usize,
}

impl Lines {
    fn add(&mut self, other: Self) {
        self.code += other.code;
        self.comments += other.comments;
        self.tests += other.tests;
    }

    /// Counts a file of Rust. In a file of tests, and below `#[cfg(test)]` before the module
    /// `tests`, everything but comments is a test.
    fn of(path: &str, text: &str) -> Self {
        let stem = Path::new(path).file_stem().unwrap_or_default();
        let folders = ["tests", "examples", "benches"];
        let mut is_test = stem == "tests" || path.split('/').any(|it| folders.contains(&it));
        let mut lines = Self::default();
        let mut rows = text.lines().map(str::trim).peekable();
        while let Some(row) = rows.next() {
            let next = rows.peek().copied().unwrap_or_default();
            is_test |= row == "#[cfg(test)]" && next.starts_with("mod ") && next.ends_with('{');
            match row {
                "" => {}
                _ if row.starts_with("//") => lines.comments += 1,
                _ if is_test => lines.tests += 1,
                _ => lines.code += 1,
            }
        }
        lines
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    ensure!(arguments.is_empty(), "usage: cargo xtask lines");
    let output = Command::new("git")
        .args(["ls-files", "-z", "--", "*.rs"])
        .current_dir(workspace::root())
        .output()
        .context("cannot run git")?;
    ensure!(output.status.success(), "git ls-files failed");
    let files = String::from_utf8(output.stdout).context("the name of a file is not UTF-8")?;
    let mut layers: BTreeMap<usize, Lines> = BTreeMap::new();
    for file in files.split('\0').filter(|file| !file.is_empty()) {
        let text = workspace::read(&workspace::root().join(file))?;
        let found = LAYERS
            .iter()
            .position(|(start, ..)| file.starts_with(start));
        let name = LAYERS[found.unwrap_or(LAYERS.len() - 1)].2;
        let at = LAYERS.iter().position(|layer| layer.2 == name);
        let row = layers.entry(at.unwrap_or_default()).or_default();
        row.add(Lines::of(file, &text));
    }
    println!("| origin | layer | code | comments | tests, examples |");
    println!("| --- | --- | --- | --- | --- |");
    for origin in [GENERATED, ANY_SCHEMA, PROTOCOL, TOOLS] {
        let mut sum = Lines::default();
        for (at, lines) in &layers {
            let (_, of, layer) = LAYERS[*at];
            if of == origin {
                print_row("", layer, *lines);
                sum.add(*lines);
            }
        }
        print_row(origin, "all", sum);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_row(origin: &str, layer: &str, lines: Lines) {
    let Lines {
        code,
        comments,
        tests,
    } = lines;
    println!("| {origin} | {layer} | {code} | {comments} | {tests} |");
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn tests_are_counted_apart_from_code_and_comments() {
        let text = "//! Doc.\n\nfn a() {}\n// Why.\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        let lines = |code, comments, tests| Lines {
            code,
            comments,
            tests,
        };
        assert_eq!(Lines::of("a/src/b.rs", text), lines(1, 2, 4));
        assert_eq!(Lines::of("a/tests/b.rs", text), lines(0, 2, 5));
    }
}
