//! The commands of the lab, which `cargo xtask` starts with its own arguments. Each builds programs of this
//! workspace or examples of the libraries, and runs them.

#[macro_use(print, println)]
extern crate xtask_support;

mod attack;
#[cfg(feature = "bench")]
mod bench;
mod cluster;
mod fuzz;
mod packages;
mod windows;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
#[cfg(feature = "bench")]
use xtask_support::python;
use xtask_support::{gateway, node, process, services, subject, workspace};

/// Measures, attacks and compares
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    Attack(attack::Options),
    #[cfg(feature = "bench")]
    #[command(subcommand)]
    Bench(bench::Command),
    Fuzz(fuzz::Options),
    #[command(subcommand)]
    Interop(Interop),
}

/// Tests our server and client with those of other projects
#[derive(Subcommand)]
enum Interop {
    Cluster(cluster::Options),
    Windows(windows::Options),
}

impl Command {
    /// Runs the command. Returns `false` if a check failed.
    fn run(&self) -> anyhow::Result<bool> {
        match self {
            Self::Attack(options) => attack::run(options),
            #[cfg(feature = "bench")]
            Self::Bench(command) => bench::run(command),
            Self::Fuzz(options) => fuzz::run(options),
            Self::Interop(Interop::Cluster(options)) => cluster::run(options),
            Self::Interop(Interop::Windows(options)) => windows::run(options),
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
        Command::try_parse_from(["lab"].into_iter().chain(words)).is_ok()
    }

    #[test]
    fn options_are_accepted_together_only_where_they_make_sense() {
        Command::command().debug_assert();
        for line in [
            "attack --peer rust-mcp-sdk --quick",
            "fuzz lines --seconds 3",
            "fuzz --seconds 3 lines",
            "interop cluster --store redis --only tasks",
            "interop cluster --only login",
            "interop windows --only programs",
        ] {
            assert!(is_accepted(line), "{line}");
        }
        for line in [
            "",
            "attack --peer other",
            "attack --peer turbomcp",
            "attack --pid 1",
            "bench scale --only nothing",
            "fuzz --seconds 0",
            "fuzz a b",
            "interop cluster --only nothing",
            "interop windows --only nothing",
        ] {
            assert!(!is_accepted(line), "{line}");
        }
    }
}
