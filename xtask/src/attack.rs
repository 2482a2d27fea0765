//! `cargo xtask attack`: hostile and slow peers attack a server, while good clients use it.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::peers::{self, Package, Profile};

const USAGE: &str = "\
usage: cargo xtask attack [--quick] [--peer rmcp] [--workers N] [--only NAME]...
                          [--format text|markdown]
       cargo xtask attack --url URL [--pid PID] [--tool NAME] [--arguments JSON] [--peer rmcp]
                          [--quick] [--only NAME]... [--format text|markdown]

  Runs attacks over loopback while good clients call a tool every 10 ms, and prints for each attack
  the longest wait of a good call, the p99 of good calls without and with the attack, the server's
  memory before, at the peak and after it, and how many good calls failed. Fails if a bound is
  broken: a good call waits for more than 100 ms; p99 is 50 ms or more and also more than 10 times its
  quiet value; more than 64 MiB of memory are not freed; a good call has no good response.

  The server is the example `everything` of `mcp-server`, with an allocator that gives memory back to
  the system, built for speed and started anew for each attack, or the one at URL. Attacks with access
  tokens need the example `protected`, with an issuer of the attacker's. Only loopback addresses are
  attacked. `xtask/peers/servers/attack/src/main.rs` describes the measurements.

  --quick            a short attack of each kind: less than a minute in all, on programs that are less
                     optimized, and compiled in half the time
  --peer rmcp        also attacks rmcp and prints both side by side; its bounds are not checked
  --workers N        worker threads of the servers, by default 2
  --only NAME        only this attack; may be repeated; an unknown name lists all of them
  --format markdown  the table for docs/attacks.md
  --pid PID          the process of the server at URL; without it, its memory is unknown
  --tool NAME        the tool that good clients call at URL, by default `test_simple_text`
  --arguments JSON   its arguments, by default {}";

/// The program that runs the attacks.
const ATTACKER: Package = Package::new("attack");
/// The example `everything`.
const OURS: Package = Package {
    name: "everything-ours",
    features: "jemalloc",
};
/// The example `protected`.
const PROTECTED: Package = Package::new("protected-ours");
/// rmcp with the tools that the attacks call.
const RMCP: Package = Package::new("everything-rmcp");

/// The parsed command line.
#[derive(Debug, Default)]
struct Options {
    /// `true` if the server is already running.
    is_running: bool,
    quick: bool,
    rmcp: bool,
    /// The arguments for the attacker.
    passed: Vec<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            if word == "--quick" {
                options.quick = true;
                options.passed.push(word.clone());
                continue;
            }
            let Some(value) = words.next() else {
                bail!("{USAGE}");
            };
            match word.as_str() {
                "--peer" if value == "rmcp" => options.rmcp = true,
                "--url" | "--pid" | "--tool" | "--arguments" | "--workers" | "--only"
                | "--format" => {
                    options.is_running |= word == "--url";
                    options.passed.extend([word.clone(), value.clone()]);
                }
                _ => bail!("{USAGE}"),
            }
        }
        Ok(options)
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let options = Options::parse(arguments)?;
    let mut packages = vec![ATTACKER];
    if !options.is_running {
        packages.extend([OURS, PROTECTED]);
    }
    packages.extend(options.rmcp.then_some(RMCP));
    let profile = if options.quick {
        Profile::Quick
    } else {
        Profile::Release
    };
    let folder = peers::build(&packages, profile)?;
    let program =
        |package: Package| folder.join(format!("{}{}", package.name, std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(program(ATTACKER));
    command.args(&options.passed);
    if !options.is_running {
        command.arg("--ours").arg(program(OURS));
        command.arg("--protected").arg(program(PROTECTED));
    }
    if options.rmcp {
        command.arg("--rmcp").arg(program(RMCP));
    }
    finish(&mut command, &program(ATTACKER))
}

/// Runs the attacker. Its exit code says whether all bounds were kept.
fn finish(command: &mut Command, program: &Path) -> Result<ExitCode> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", program.display()))?;
    Ok(
        match status.code().and_then(|code| u8::try_from(code).ok()) {
            Some(code) => ExitCode::from(code),
            None => ExitCode::FAILURE,
        },
    )
}
