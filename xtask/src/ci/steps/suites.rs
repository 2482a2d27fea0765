//! The steps that run suites, clients and servers of other projects.

use super::{Extent, Task, unless};
use crate::{browser, node};

/// The official suite. At night also through a gateway, with a server of each era behind it.
pub(super) fn conformance(extent: Extent) -> Vec<Task> {
    let mut ways = vec!["server", "client"];
    if extent == Extent::Nightly {
        ways.push("server --through gateway");
        ways.push("server --through gateway:stdio:2025-11-25");
    }
    let line = |way| format!("xtask conformance {way} --deny-warnings");
    let ways = ways.into_iter();
    ways.map(|way| unless(node::missing, &line(way))).collect()
}

/// Clients and servers of other projects. At night also those that take long to install.
pub(super) fn interop(extent: Extent) -> Vec<Task> {
    let mut tasks = vec![
        unless(node::missing, "xtask interop server"),
        unless(node::missing, "xtask interop client"),
        unless(node::missing, "xtask interop auth"),
        unless(browser::missing, "xtask interop browser"),
        unless(browser::missing, "xtask interop apps"),
    ];
    if extent == Extent::Nightly {
        tasks.push(unless(node::missing, "xtask interop extensions"));
        let line = "xtask interop server --through gateway";
        tasks.push(unless(node::missing, line));
    }
    tasks
}
