//! `cargo xtask lines`: counts the lines of the workspace by origin and by layer.

pub(crate) mod budget;

use std::path::Path;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::workspace;

/// The origins of code, and their layers in the order of the table: the name of a layer, and how the
/// paths of its files begin. The first line that fits counts.
const LAYERS: [(&str, &str); 4] = [
    (
        "generated",
        "\
types, codecs, messages, conversions = mcp-types/src/revisions/
methods of the client = mcp-client/src/client/methods.rs",
    ),
    (
        "written once for any schema",
        "\
generator = codegen/
JSON: decoder and encoder = mcp-types/src/json
codecs: macros and functions for tables = mcp-types/src/codec
strategies for property tests = mcp-types/src/arbitrary
revisions and conversions = mcp-types/src/convert mcp-types/src/revision mcp-types/src/registry mcp-types/src/item.rs
errors, identifiers, base64 = mcp-types/src/error mcp-types/src/base64.rs mcp-types/src/cursor.rs mcp-types/src/id.rs mcp-types/src/message.rs",
    ),
    (
        "written for this protocol",
        "\
types: tests = mcp-types/tests/
shared by server and client = mcp-types/wire/ mcp-types/guard/ mcp-types/oauth/ mcp-types/extensions/
envelope, framing, headers, forms = mcp-types/
gateway = apps/gateway/
OpenAPI = apps/openapi/
access tokens of servers = mcp-server/oauth/
logins at servers = mcp-server/login/
skills of servers = mcp-server/skills/
stores in Redis and PostgreSQL = mcp-server/stores/
server: util = mcp-server/src/util
server: protocol = mcp-server/src/protocol
server: features = mcp-server/src/features
server: transport = mcp-server/src/transport
server: store in memory = mcp-server/src/stores
server: extensions = mcp-server/src/extensions
server: proposals = mcp-server/src/proposals
server: tests = mcp-server/tests/ mcp-server/testkit/
server: server, guide, examples = mcp-server/
command-line program = apps/cli/
fetch = mcp-client/fetch/
host: tools for models, skills, apps, icons = mcp-client/host/
client: protocol = mcp-client/src/protocol
client: features = mcp-client/src/features
client: transport = mcp-client/src/transport
client: tests = mcp-client/oauth/tests/ mcp-client/tests/
client: authorization = mcp-client/oauth/
client: extensions = mcp-client/src/extensions
client: proposals, icons = mcp-client/src/proposals
client: client, guide, examples = mcp-client/",
    ),
    (
        "tools",
        "\
commands = xtask/
measurements, attacks, fuzzing = lab/
other = ",
    ),
];

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

/// Counts the lines of the workspace by origin and layer
#[derive(Args)]
pub(crate) struct Options {
    /// Fails if a package has more lines, features or conditions than `xtask/budget.json` permits
    #[arg(long)]
    check: bool,
    /// Prints the budget that each package needs, in the form of the file
    #[arg(long, conflicts_with = "check")]
    budget: bool,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if options.check {
        let faults = budget::exceeded()?;
        for fault in &faults {
            println!("{fault}");
        }
        return Ok(faults.is_empty());
    }
    if options.budget {
        budget::print()?;
        return Ok(true);
    }
    let mut layers = Vec::new();
    for (origin, lines) in LAYERS {
        let layer = |line: &'static str| Some((origin, line.split_once(" = ")?, Lines::default()));
        layers.extend(lines.lines().filter_map(layer));
    }
    for file in &workspace::known_files(&["*.rs"])? {
        let text = workspace::read(&workspace::root().join(file))?;
        let layer = layers.iter_mut().find(|(_, (_, paths), _)| {
            let mut paths = paths.split(' ');
            paths.any(|path| file.starts_with(path))
        });
        let (.., lines) = layer.context("the last layer has all other files")?;
        lines.add(Lines::of(file, &text));
    }
    println!("| origin | layer | code | comments | tests, examples |");
    println!("| --- | --- | --- | --- | --- |");
    for (origin, _) in LAYERS {
        let mut sum = Lines::default();
        let own = layers.iter().filter(|layer| layer.0 == origin);
        for (_, (name, _), lines) in own.filter(|layer| layer.2 != Lines::default()) {
            print_row("", name, *lines);
            sum.add(*lines);
        }
        print_row(origin, "all", sum);
    }
    Ok(true)
}

/// Returns `true` for a file that the generator writes.
fn is_generated(file: &str) -> bool {
    let paths = |line: &'static str| line.split_once(" = ").map(|(_, paths)| paths.split(' '));
    let (_, lines) = LAYERS[0];
    let mut paths = lines.lines().filter_map(paths).flatten();
    paths.any(|path| file.starts_with(path))
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
