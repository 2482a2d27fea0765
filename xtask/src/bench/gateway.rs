//! `cargo xtask bench gateway`.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::{peers, python, workspace};

/// The gateways, the server behind them, and the load generator.
const PROGRAMS: [&str; 4] = ["gateway-ours", "http-ours", "load", "proxy-floor"];

/// Packages of fastmcp, which other commands use, too.
const FASTMCP: &str = "xtask/extensions/skills.txt";

/// Runs the command. A missed target is not a failure, as for servers.
pub(super) fn run(options: &[&str]) -> Result<ExitCode> {
    if !matches!(options, [] | ["--quick"]) {
        bail!("{}", super::USAGE);
    }
    let environment = workspace::target()?.join("gateways");
    fs::create_dir_all(&environment).with_context(|| workspace::display_path(&environment))?;
    let requirements = workspace::root().join(FASTMCP);
    let requirements = requirements.to_str().context("a path that is no text")?;
    let python = python::install_as(&environment, requirements, "fastmcp")?;
    let folder = peers::build(&PROGRAMS.map(peers::Package::new), peers::Profile::Release)?;
    let folder = folder.to_str().context("a path that is no text")?;
    let load = ["run", "--quiet", "--release", "--package", "load", "--"];
    let mut arguments = [&load[..], &[folder, "gateway"], options].concat();
    let script = workspace::root().join("xtask/peers/fastmcp_proxy.py");
    if let Some(python) = &python {
        for path in [python, &script] {
            arguments.push(path.to_str().context("a path that is no text")?);
        }
    }
    peers::cargo(&arguments, &[])
}
