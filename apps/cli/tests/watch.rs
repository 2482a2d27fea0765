//! Changes that `mcp watch` prints.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::program::mcp;

use super::Served;

/// Longer than all changes need to be printed.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Watches while a tool notifies of changes, until all of `wanted` were printed.
fn watch(options: &[&str], wanted: &[&str]) {
    watch_at(&Served::start(), options, wanted);
}

fn watch_at(served: &Served, options: &[&str], wanted: &[&str]) {
    let mut changes = mcp();
    changes.args(["call", &served.url, "change"]);
    let mut changes = changes.spawn().expect("it runs");
    let mut watch = mcp();
    watch
        .args(["watch", &served.url, "test://text"])
        .args(options);
    let mut watch = watch.stdout(Stdio::piped()).spawn().expect("it runs");
    let stdout = watch.stdout.take().expect("a pipe");
    let (sender, lines) = mpsc::channel();
    // The thread ends with the process.
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            if sender.send(line.expect("text")).is_err() {
                break;
            }
        }
    });
    let mut wanted = wanted.to_vec();
    let end = Instant::now() + TIMEOUT;
    while !wanted.is_empty() {
        let left = end.saturating_duration_since(Instant::now());
        // Changes are printed all the time, so that the wait for one of them may not end by itself.
        let Ok(line) = lines.recv_timeout(left) else {
            break;
        };
        if options.contains(&"--json") {
            serde_json::from_str::<Value>(&line).expect("each line is JSON");
        }
        wanted.retain(|wanted| !line.contains(wanted));
        if left.is_zero() {
            break;
        }
    }
    for child in [&mut watch, &mut changes] {
        let id = i32::try_from(child.id()).expect("a number");
        kill_process(Pid::from_raw(id).expect("a process"), Signal::INT).expect("it runs");
    }
    assert_eq!(watch.wait().expect("it ends").code(), Some(0));
    assert_eq!(changes.wait().expect("it ends").code(), Some(130));
    assert_eq!(wanted, Vec::<&str>::new());
}

#[test]
fn changes_are_printed_when_they_arrive() {
    watch(
        &[],
        &[
            "listening",
            "tools changed",
            "resource updated: test://text",
        ],
    );
    let old = ["--revision", "2025-11-25"];
    watch(&old, &["tools changed", "resource updated: test://text"]);
}

#[test]
fn changed_resource_is_printed_with_its_version() {
    let served = Served::with(&["http", "proposals"]);
    let changed = r#"resource changed: {"uri":"test://text","name":"text""#;
    // Images in the text of a resource are not shown.
    let icon = r#""icons":[{"src":"data:image/png, 21 characters"}]"#;
    watch_at(&served, &[], &[changed, r#""version":""#, icon]);
    let changed = r#"{"event":"resource changed","about":{"uri":"test://text""#;
    watch_at(&served, &["--json"], &[changed]);
}

#[test]
fn changes_are_printed_as_json_lines() {
    let updated = r#"{"event":"resource updated","about":"test://text"}"#;
    watch(&["--json"], &[r#"{"event":"tools changed"}"#, updated]);
}
