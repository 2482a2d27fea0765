//! `cargo xtask interop cluster`: several processes of one server behind nginx, on each store.

mod checks;
mod costs;
mod faults;
mod load;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};

use super::clients;
use crate::cluster::missing;
use crate::cluster::processes::Cluster;
use crate::cluster::stores::Store;
use crate::node::Node;
use crate::{conformance, subject, workspace};

/// The number of processes.
const COUNT: usize = 3;

/// Runs everything on the store with this name, or on each store. Returns what failed.
pub(super) fn run(node: &Node, only: Option<&str>) -> Result<Vec<String>> {
    if let Some(why) = missing() {
        if std::env::var_os("CI").is_some() {
            bail!("{why}, and CI is set");
        }
        println!("skipped: {why}");
        return Ok(Vec::new());
    }
    let program = subject::build("everything")?;
    let mut failed = Vec::new();
    let wanted = Store::NAMES
        .into_iter()
        .filter(|name| only.is_none_or(|only| only == *name));
    for name in wanted {
        println!("\n== three processes behind nginx, on {name}");
        let folder = workspace::target()?.join("cluster").join(name);
        let mut cluster = Cluster::start(&program, name, &folder, COUNT, &[])?;
        let of_store = |what: String| format!("{name}: {what}");
        failed.extend(checks::run(&cluster).into_iter().map(of_store));
        costs::run(&cluster).context("the costs")?;
        let url = cluster.url();
        failed.extend(clients::run(node, Some(&url))?.into_iter().map(of_store));
        let arguments = ["server", "--url", &url].map(str::to_owned);
        if conformance::run(&arguments)? != ExitCode::SUCCESS {
            failed.push(of_store("the conformance suite".to_owned()));
        }
        let faults = faults::run(&mut cluster).context("the faults")?;
        failed.extend(faults.into_iter().map(of_store));
    }
    ensure!(
        only.is_none_or(|only| Store::NAMES.contains(&only)),
        "the stores are {}",
        Store::NAMES.join(" and ")
    );
    Ok(failed)
}
