//! `cargo xtask bench gateway`.

use std::fs;

use anyhow::{Context as _, Result};

use super::LOAD;
use crate::packages::{self, Package, Profile};
use crate::{python, workspace};

/// The gateways, the server behind them, and the load generator.
const PROGRAMS: [&str; 4] = ["gateway-ours", "http-ours", "load", "proxy-floor"];

/// Packages of fastmcp, which other commands use, too.
pub(super) const FASTMCP: &str = "xtask/extensions/skills.txt";

/// Runs the command. A missed target is not a failure, as for servers.
pub(super) fn run(quick: bool) -> Result<bool> {
    let environment = workspace::target()?.join("gateways");
    fs::create_dir_all(&environment).with_context(|| workspace::display_path(&environment))?;
    let requirements = workspace::root().join(FASTMCP);
    let python = python::install_as(&environment, workspace::text(&requirements)?, "fastmcp")?;
    let folder = packages::build(&PROGRAMS.map(Package::new), Profile::Release)?;
    let script = workspace::root().join("lab/fastmcp_proxy.py");
    let mut arguments = vec![workspace::text(&folder)?, "gateway"];
    arguments.extend(quick.then_some("--quick"));
    if let Some(python) = &python {
        arguments.extend([workspace::text(python)?, workspace::text(&script)?]);
    }
    packages::cargo(&LOAD, &arguments)
}
