//! `cargo xtask attack`: hostile and slow peers attack a server, while good clients use it.

use std::process::Command;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use peers::{PEERS, Peer};

use crate::packages::{self, Package, Profile};
use crate::process;

/// The program that runs the attacks.
const ATTACKER: Package<'_> = Package::new("attack");
/// The example `everything`.
const OURS: Package<'_> = Package {
    name: "everything-ours",
    features: "jemalloc",
};
/// The example `protected`.
const PROTECTED: Package<'_> = Package::new("protected-ours");

/// Attacks a server with hostile and slow peers, while good clients use it
///
/// Runs attacks over loopback while good clients call a tool every 10 ms, and prints for each attack
/// the longest wait of a good call, the p99 of good calls without and with the attack, the server's
/// memory before, at the peak and after it, and how many good calls failed. Fails if a bound is
/// broken: a good call waits for more than 100 ms; p99 is 50 ms or more and also more than 10 times
/// its quiet value; more than 64 MiB of memory are not freed; a good call has no good response.
///
/// The server is the example `everything` of `mcp-server`, with an allocator that gives memory back
/// to the system, built for speed and started anew for each attack, or the one at URL. Attacks with
/// access tokens need the example `protected`, with an issuer of the attacker's. Only loopback
/// addresses are attacked. `lab/servers/attack/src/main.rs` describes the measurements.
#[derive(Args)]
pub(crate) struct Options {
    /// A short attack of each kind: less than a minute in all
    ///
    /// The programs are less optimized, and compiled in half the time.
    #[arg(long)]
    quick: bool,
    /// Also attacks another SDK, and prints both side by side; its bounds are not checked
    #[arg(long, value_parser = attacked_peers())]
    peer: Option<String>,
    /// Worker threads of the servers that are started, by default 2
    #[arg(long, value_name = "N")]
    workers: Option<String>,
    /// The only attack; may be repeated; an unknown name lists all of them
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// How the table is printed; as in docs/attacks.md with `markdown`
    #[arg(long, value_parser = ["text", "markdown"])]
    format: Option<String>,
    /// A running server, instead of our example
    #[arg(long)]
    url: Option<String>,
    /// The process of the server at URL; without it, its memory is unknown
    #[arg(long, requires = "url")]
    pid: Option<String>,
    /// The tool that good clients call at URL, by default `test_simple_text`
    #[arg(long, value_name = "NAME", requires = "url")]
    tool: Option<String>,
    /// The arguments of the tool, by default {}
    #[arg(long, value_name = "JSON", requires = "url")]
    arguments: Option<String>,
}

/// Returns the names of the peers that have the tools that the attacks call.
fn attacked_peers() -> PossibleValuesParser {
    let peers = PEERS.iter().filter(|peer| peer.is_attacked);
    PossibleValuesParser::new(peers.map(|peer| peer.name))
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let mut packages = vec![ATTACKER];
    if options.url.is_none() {
        packages.extend([OURS, PROTECTED]);
    }
    let peer = options.peer.as_deref().and_then(Peer::find);
    let peer = peer.and_then(|peer| Some((peer, peer.attacked()?)));
    packages.extend(peer.iter().map(|(_, package)| Package::new(package)));
    let profile = if options.quick {
        Profile::Quick
    } else {
        Profile::Release
    };
    let folder = packages::build(&packages, profile)?;
    let program = |name: &str| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(program(ATTACKER.name));
    command.args(options.quick.then_some("--quick"));
    for (name, value) in [
        ("--workers", &options.workers),
        ("--format", &options.format),
        ("--url", &options.url),
        ("--pid", &options.pid),
        ("--tool", &options.tool),
        ("--arguments", &options.arguments),
    ] {
        command.args(value.iter().flat_map(|value| [name, value]));
    }
    command.args(options.only.iter().flat_map(|attack| ["--only", attack]));
    if options.url.is_none() {
        command.arg("--ours").arg(program(OURS.name));
        command.arg("--protected").arg(program(PROTECTED.name));
    }
    if let Some((peer, package)) = &peer {
        command.args(["--peer", peer.name]);
        command.arg("--peer-program").arg(program(package));
    }
    process::succeeds(&mut command)
}
