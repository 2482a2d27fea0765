//! Shows the app of the example `apps` in a browser, with our client as the host.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::node::Node;
use crate::process;
use crate::subject::{self, Subject};

/// Opens the app in Chromium and uses it. Returns the runs that failed.
pub(super) fn run(node: &Node, chromium: &Path) -> Result<Vec<String>> {
    let folder = node.copy("xtask/interop")?;
    let server = subject::build("apps")?;
    let host = subject::build("apps_host")?;
    let subject = Subject::start(&server, &["--port", "0"], &folder)?;
    let mut script = Command::new(&node.program);
    script
        .args(["apps.js", &subject.url])
        .args([&host, chromium]);
    let failed = !process::succeeds(script.current_dir(&folder))?;
    Ok(Vec::from_iter(failed.then(|| "apps.js".to_owned())))
}
