//! `cargo xtask interop cluster`: several processes of one server behind nginx, on each store.

mod checks;
mod costs;
mod faults;
mod load;
mod tasks;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};

use self::tasks::Orders;
use super::clients;
use crate::cluster::missing;
use crate::cluster::processes::Cluster;
use crate::cluster::stores::Store;
use crate::node::Node;
use crate::{conformance, subject, workspace};

/// The number of processes.
const COUNT: usize = 3;

/// What to run.
#[derive(Clone, Copy, Default)]
pub(super) struct Options<'a> {
    /// The name of the only store.
    store: Option<&'a str>,
    /// Only the part about tasks.
    is_tasks: bool,
    /// All but the part about tasks.
    is_quick: bool,
}

impl<'a> Options<'a> {
    /// Reads the arguments. `None` if there are others.
    pub(super) fn parse(arguments: &[&'a str]) -> Option<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(&argument) = arguments.next() {
            match argument {
                "--store" => options.store = Some(*arguments.next()?),
                "--only" if arguments.next() == Some(&"tasks") => options.is_tasks = true,
                "--quick" => options.is_quick = true,
                _ => return None,
            }
        }
        Some(options)
    }
}

/// Runs everything on the store with this name, or on each store. Returns what failed.
pub(super) fn run(node: &Node, options: Options<'_>) -> Result<Vec<String>> {
    if let Some(why) = missing() {
        if std::env::var_os("CI").is_some() {
            bail!("{why}, and CI is set");
        }
        println!("skipped: {why}");
        return Ok(Vec::new());
    }
    let only = options.store;
    ensure!(
        only.is_none_or(|only| Store::NAMES.contains(&only)),
        "the stores are {}",
        Store::NAMES.join(" and ")
    );
    let program = subject::build("everything")?;
    let mut failed = Vec::new();
    let wanted = Store::NAMES
        .into_iter()
        .filter(|name| only.is_none_or(|only| only == *name));
    for name in wanted {
        println!("\n== three processes behind nginx, on {name}");
        let folder = workspace::target()?.join("cluster").join(name);
        let orders = Orders::create(&folder)?;
        let mut cluster = Cluster::start(&program, name, &folder, COUNT, &orders.options())?;
        let of_store = |what: String| format!("{name}: {what}");
        if !options.is_tasks {
            let others = all_but_tasks(node, &mut cluster)?;
            failed.extend(others.into_iter().map(of_store));
        }
        if !options.is_quick {
            let tasks = tasks::run(&mut cluster, &orders).context("the tasks")?;
            failed.extend(tasks.into_iter().map(of_store));
        }
    }
    Ok(failed)
}

fn all_but_tasks(node: &Node, cluster: &mut Cluster) -> Result<Vec<String>> {
    let mut failed = checks::run(cluster);
    costs::run(cluster).context("the costs")?;
    let url = cluster.url();
    failed.extend(clients::run(node, Some(&url))?);
    let arguments = ["server", "--url", &url].map(str::to_owned);
    if conformance::run(&arguments)? != ExitCode::SUCCESS {
        failed.push("the conformance suite".to_owned());
    }
    failed.extend(faults::run(cluster).context("the faults")?);
    Ok(failed)
}
