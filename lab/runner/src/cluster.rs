//! `cargo xtask interop cluster`: several processes of one server behind nginx, on each store.

mod axum;
mod checks;
mod costs;
pub(crate) mod counts;
mod faults;
pub(crate) mod http;
mod load;
mod login;
pub(crate) mod processes;
pub(crate) mod stores;
mod tasks;

use anyhow::{Context as _, Result};
use clap::Args;

use self::processes::{Cluster, Program};
use self::stores::Store;
use self::tasks::Orders;
use crate::{process, services, subject, workspace};

/// The number of processes.
const COUNT: usize = 3;

/// Runs three processes of the example `everything` behind nginx, on each store
///
/// The conformance suite, clients of npm, steps of one client at several processes, faults while 100
/// clients work, a rolling restart of an application in axum, tasks in each of their states whose
/// processes are killed, and logins at gateways that are killed. It starts nginx, Redis and PostgreSQL, which
/// have to be installed.
#[derive(Args)]
pub(crate) struct Options {
    /// The only store
    #[arg(long, value_parser = Store::NAMES)]
    store: Option<String>,
    /// Only the part about tasks or about logins, or the checks and the part about an application in axum
    #[arg(long, value_parser = ["axum", "login", "tasks"])]
    only: Option<String>,
}

/// Runs the command.
pub(super) fn run(options: &Options) -> Result<bool> {
    if process::is_skipped(services::missing())? {
        return Ok(true);
    }
    let failed = on_each_store(options)?;
    println!();
    for line in &failed {
        println!("failed: {line}");
    }
    Ok(failed.is_empty())
}

/// Runs everything on the store that was named, or on each store. Returns what failed.
fn on_each_store(options: &Options) -> Result<Vec<String>> {
    let program = Program::Everything(subject::build("everything")?);
    let mut failed = Vec::new();
    let only = options.store.as_deref();
    let wanted = Store::NAMES
        .into_iter()
        .filter(|name| only.is_none_or(|only| only == *name));
    for name in wanted {
        let of_store = |what: String| format!("{name}: {what}");
        let part = options.only.as_deref();
        if matches!(part, None | Some("login")) {
            let logins = login::run(name).context("the logins")?;
            failed.extend(logins.into_iter().map(of_store));
        }
        if part == Some("login") {
            continue;
        }
        println!("\n== three processes behind nginx, on {name}");
        let folder = workspace::target()?.join("cluster").join(name);
        let orders = Orders::create(&folder)?;
        let mut cluster = Cluster::start(program.clone(), name, &folder, COUNT, &orders.options())?;
        let others = match part {
            None => all_but_tasks(&mut cluster)?,
            Some("axum") => {
                let mut failed = checks::run(&cluster);
                failed.extend(axum::run(&mut cluster)?);
                failed
            }
            Some(_) => Vec::new(),
        };
        failed.extend(others.into_iter().map(of_store));
        if part != Some("axum") {
            let tasks = tasks::run(&mut cluster, &orders).context("the tasks")?;
            failed.extend(tasks.into_iter().map(of_store));
        }
    }
    Ok(failed)
}

fn all_but_tasks(cluster: &mut Cluster) -> Result<Vec<String>> {
    let mut failed = checks::run(cluster);
    costs::run(cluster).context("the costs")?;
    let url = cluster.url();
    for suite in ["interop server", "conformance server"] {
        if !workspace::xtask(&[suite.split(' ').collect(), vec!["--url", &url]].concat())? {
            failed.push(suite.to_owned());
        }
    }
    failed.extend(faults::run(cluster).context("the faults")?);
    failed.extend(axum::run(cluster).context("the application in axum")?);
    Ok(failed)
}
