//! The program `mcp`: its output and its exit codes.
//!
//! Modules for Unix start shells, open pseudo-terminals or send signals.

mod authorization;
#[cfg(target_os = "linux")]
mod browser;
mod calls;
mod check;
mod everyday;
mod explain;
mod gateway;
#[cfg(unix)]
mod gateway_ends;
mod gateway_login;
mod gateway_store;
mod hostile;
mod install;
#[cfg(unix)]
mod limits;
mod lists;
mod odd;
mod options;
mod proposals;
mod proxy;
mod record;
mod replay;
mod resources;
mod scripted;
mod servers;
#[cfg(unix)]
mod shell;
mod skills;
mod support;
#[cfg(unix)]
mod tasks;
#[cfg(unix)]
mod terminal;
mod trouble;
mod upstreams;
#[cfg(unix)]
mod watch;

/// A scripted server with an authorization server, as in the tests of the client.
#[allow(dead_code, reason = "the tests of the client use the rest")]
#[path = "../../../mcp-client/oauth/tests/auth_servers.rs"]
mod auth_servers;

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::example::example;
use crate::support::program::{Printed, mcp};

/// The example `cli-subject`.
fn subject() -> PathBuf {
    example("cli-subject")
}

/// Runs `mcp` with the subject as its server.
fn run(arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command.args(arguments).arg("--").arg(subject());
    command.output().expect("it runs").into()
}

/// The same with a subject that supports the proposals for resources.
fn run_with_proposals(arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command.args(arguments).arg("--").arg(subject());
    command.arg("proposals").output().expect("it runs").into()
}

/// The same, with a text on standard input.
fn run_with(input: &str, arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command.args(arguments).arg("--").arg(subject());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("written");
    drop(stdin);
    child.wait_with_output().expect("it ends").into()
}

/// Returns the output of a command that succeeds.
fn printed(arguments: &[&str]) -> String {
    let printed = run(arguments);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert_eq!(printed.err, "");
    printed.out
}

/// Returns the JSON value that a command prints.
fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(&[arguments, &["--json"]].concat())).expect("one JSON value")
}

/// The subject as an HTTP server. It is killed when this value is dropped.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    fn start() -> Self {
        Self::with(&["http"])
    }

    fn with(arguments: &[&str]) -> Self {
        let mut command = Command::new(subject());
        command.args(arguments).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let mut url = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdout.read_line(&mut url).expect("a line");
        let url = url.trim().to_owned();
        Self { child, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
