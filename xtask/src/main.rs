//! The commands of the workspace: `cargo xtask <command>`.

#[macro_use]
mod output;

mod attack;
mod bench;
mod book;
mod browser;
mod ci;
mod cluster;
mod codegen;
mod conformance;
mod corpus;
mod fuzz;
mod handwritten;
mod interop;
mod lab;
mod lines;
mod markdown;
mod node;
mod process;
mod python;
mod quickstart;
mod rehearse;
mod release;
mod schema;
mod subject;
mod through;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

/// The commands of the workspace, which docs/commands.md describes
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    Codegen(codegen::Options),
    Corpus(corpus::Options),
    #[command(subcommand)]
    Schema(schema::Command),
    Conformance(conformance::Options),
    #[command(subcommand)]
    Interop(interop::Command),
    Attack(attack::Options),
    Fuzz(fuzz::Options),
    Rehearse(rehearse::Options),
    Release(release::Options),
    Quickstart(quickstart::Options),
    Book(book::Options),
    #[command(subcommand)]
    Bench(bench::Command),
    Lines(lines::Options),
    Ci(ci::Options),
}

impl Command {
    /// Runs the command. Returns `false` if a check failed.
    fn run(&self) -> anyhow::Result<bool> {
        match self {
            Self::Codegen(options) => codegen::run(options),
            Self::Corpus(options) => corpus::run(options),
            Self::Schema(command) => schema::run(command, |folder| {
                Ok(workspace::project_in(folder)?.review()?)
            }),
            Self::Conformance(options) => conformance::run(options),
            Self::Interop(command) => interop::run(command),
            Self::Attack(options) => attack::run(options),
            Self::Fuzz(options) => fuzz::run(options),
            Self::Rehearse(options) => rehearse::run(options),
            Self::Release(options) => release::run(options),
            Self::Quickstart(options) => quickstart::run(options),
            Self::Book(options) => book::run(options),
            Self::Bench(command) => bench::run(command),
            Self::Lines(options) => lines::run(options),
            Self::Ci(options) => ci::run(options),
        }
    }
}

fn main() -> ExitCode {
    match Command::parse().run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
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
            "conformance server --through gateway:stdio --deny-warnings",
            "fuzz lines --seconds 3",
            "fuzz --seconds 3 lines",
            "interop cluster --store redis --only tasks",
            "rehearse additions --seeds 2..4 --until types",
            "rehearse --sweep --until crates",
            "rehearse --sweep required --only Icon.mimeType",
            "schema import a --revision=2025-11-25 --ts b --replace",
        ] {
            assert!(is_accepted(line), "{line}");
        }
        for line in [
            "",
            "attack --peer other",
            "attack --pid 1",
            "bench scale --only nothing",
            "codegen --check --schema a --out b",
            "codegen --out b",
            "conformance",
            "conformance server --url a --through gateway",
            "fuzz --seconds 0",
            "fuzz a b",
            "interop server --url a --through gateway",
            "interop server --through proxy",
            "interop cluster --only nothing",
            "quickstart --tutorials a.md",
            "rehearse additions --history a",
            "rehearse --seeds 2",
            "rehearse additions --sweep required",
            "rehearse --only Icon.mimeType",
            "rehearse --until never",
            "release --quick",
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
