//! The commands of the workspace: `cargo xtask <command>`.

#[macro_use(print, println)]
extern crate xtask_support;

mod book;
mod browser;
mod ci;
mod codegen;
mod conformance;
mod handwritten;
mod interop;
mod lab;
mod lines;
mod markdown;
mod quickstart;
mod rehearse;
mod release;
mod schema;
mod through;
mod workspace;

use std::process::ExitCode;

use clap::Parser;
use xtask_support::{gateway, node, process, python, services, subject};

/// The commands of the workspace, which docs/commands.md describes
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    Codegen(codegen::Options),
    /// Generates types for schemas of other projects, and checks them
    Corpus(lab::Arguments),
    #[command(subcommand)]
    Schema(schema::Command),
    Conformance(conformance::Options),
    #[command(subcommand)]
    Interop(interop::Command),
    /// Attacks a server with hostile and slow peers, while good clients use it
    Attack(lab::Arguments),
    /// Runs all decoders of a peer's bytes with random inputs
    Fuzz(lab::Arguments),
    Rehearse(rehearse::Options),
    /// Checks what cargo does not check before a release
    ///
    /// Versions, metadata, the entry in CHANGELOG.md, and names that are taken. It publishes nothing:
    /// CONTRIBUTING.md has the steps of a release.
    Release,
    Quickstart(quickstart::Options),
    Book(book::Options),
    /// Measures speed, memory and sizes
    Bench(lab::Arguments),
    Lines(lines::Options),
    Ci(ci::Options),
}

impl Command {
    /// Runs the command. Returns `false` if a check failed.
    fn run(&self) -> anyhow::Result<bool> {
        match self {
            Self::Codegen(options) => codegen::run(options),
            Self::Corpus(arguments) => lab::run(lab::CORPUS, &[], arguments),
            Self::Schema(command) => schema::run(command, |folder| {
                Ok(workspace::project_in(folder)?.review()?)
            }),
            Self::Conformance(options) => conformance::run(options),
            Self::Interop(command) => interop::run(command),
            Self::Attack(arguments) => lab::run(lab::RUNNER, &["attack"], arguments),
            Self::Fuzz(arguments) => lab::run(lab::RUNNER, &["fuzz"], arguments),
            Self::Rehearse(options) => rehearse::run(options),
            Self::Release => release::run(),
            Self::Quickstart(options) => quickstart::run(options),
            Self::Book(options) => book::run(options),
            Self::Bench(arguments) => lab::run(lab::RUNNER, &["bench"], arguments),
            Self::Lines(options) => lines::run(options),
            Self::Ci(options) => ci::run(options),
        }
    }
}

fn main() -> ExitCode {
    process::exit_code(Command::parse().run())
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::Command;

    fn is_accepted(line: &str) -> bool {
        let words = line.split_whitespace();
        Command::try_parse_from(["xtask"].into_iter().chain(words)).is_ok()
    }

    #[test]
    fn options_are_accepted_together_only_where_they_make_sense() {
        Command::command().debug_assert();
        for line in [
            "codegen --check --deny-warnings",
            "codegen --schema a --out b --hints c --root D --null-as-absent",
            "codegen --schema a --out b --support crate::c --support-out d",
            "codegen --support-out d",
            "attack --peer rmcp --help",
            "bench server --quick --only HTTP",
            "conformance server --through gateway:stdio --deny-warnings",
            "interop cluster --store redis --help",
            "rehearse additions --seeds 2..4 --until types",
            "rehearse --sweep --until crates",
            "rehearse --sweep required --only Icon.mimeType",
            "schema import a --revision=2025-11-25 --ts b --replace",
        ] {
            assert!(is_accepted(line), "{line}");
        }
        for line in [
            "",
            "codegen --check --schema a --out b",
            "codegen --out b",
            "conformance",
            "conformance server --url a --through gateway",
            "interop server --url a --through gateway",
            "interop server --through proxy",
            "quickstart --tutorials a.md",
            "rehearse additions --history a",
            "rehearse --seeds 2",
            "rehearse additions --sweep required",
            "rehearse --only Icon.mimeType",
            "rehearse --until never",
            "release --dry-run",
            "schema diff a",
            "schema verify a",
            "schema verify a --revision ../b",
            "schema import a --revision foo",
            "schema import a --revision 2027-13-45",
        ] {
            assert!(!is_accepted(line), "{line}");
        }
    }
}
