//! How `mcp gateway` ends, and what it says of the servers of its file.

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

use super::subject;

/// Longer than anything takes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A gateway over HTTP.
struct Running {
    child: Child,
    url: String,
    /// What it has said until it was reachable.
    said: Vec<String>,
    lines: Lines<BufReader<ChildStderr>>,
}

fn start(path: &str) -> Running {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcp"))
        .args(["gateway", path, "--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut said = Vec::new();
    let url = loop {
        let line = lines.next().expect("a line").expect("text");
        match line.split_once("serving at ") {
            Some((_, url)) => break url.to_owned(),
            None => said.push(line),
        }
    };
    Running {
        child,
        url,
        said,
        lines,
    }
}

fn listed(url: &str) -> String {
    let printed: Printed = mcp().args(["tools", url]).output().expect("it runs").into();
    assert_eq!(printed.code, Some(0), "{printed:?}");
    printed.out
}

fn exit_code(child: &mut Child) -> Option<i32> {
    let begun = Instant::now();
    while begun.elapsed() < TIMEOUT {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    None
}

#[test]
fn programs_have_time_to_exit_when_the_gateway_is_interrupted() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let folder = Folder::new(&format!("gateway-ends{signal}")).created();
        let (path, log) = (folder.file("servers.json"), folder.file("log"));
        let subject = subject();
        let subject = subject.to_str().expect("text");
        let script = format!("echo began >> {log}; {subject}; sleep 0.3; echo ended >> {log}");
        let entry = json!({ "mcpServers": { "one": { "command": "sh", "args": ["-c", script] } } });
        fs::write(&path, entry.to_string()).expect("written");
        let mut gateway = start(&path);
        listed(&gateway.url);
        let id = gateway.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("it runs").success());
        assert_eq!(exit_code(&mut gateway.child), Some(0), "{signal}");
        let log = fs::read_to_string(&log).expect("a log");
        let count = |what| log.lines().filter(|line| *line == what).count();
        assert!(count("began") > 0, "{log}");
        assert_eq!(count("began"), count("ended"), "{signal}: {log}");
    }
}

#[test]
fn what_is_wrong_with_an_entry_is_said_once_and_the_others_are_served() {
    let folder = Folder::new("gateway-says").created();
    let path = folder.file("servers.json");
    let subject = subject();
    let server = |more: Value| {
        let mut server = json!({ "command": subject });
        let members = server.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        server
    };
    let servers = json!({ "mcpServers": {
        "fine": server(json!({ "tools": { "deny": ["add", "no-such-tool"] } })),
        "lost": server(json!({ "cwd": "/no/such/folder" })),
        "absent": { "command": "no-such-program" },
        "off": server(json!({ "disabled": true })),
    } });
    fs::write(&path, servers.to_string()).expect("written");
    let mut gateway = start(&path);
    for _ in 0..2 {
        let listed = listed(&gateway.url);
        let is_shown = listed.contains("fine_echo") && !listed.contains("fine_add");
        assert!(is_shown, "{listed}");
    }
    gateway.child.kill().expect("killed");
    gateway.child.wait().expect("ended");
    let rest = gateway.lines.map(|line| line.expect("text"));
    let said: Vec<String> = gateway.said.into_iter().chain(rest).collect();
    let said = said.join("\n");
    for text in [
        "the server `fine` has no tool `no-such-tool`",
        "the server `lost` cannot be started: its working directory (`cwd`) was not found",
        "the server `absent` cannot be started: its program was not found",
        "the server `off` is disabled in the file",
    ] {
        assert_eq!(said.matches(text).count(), 1, "{text}: {said}");
    }
}

#[test]
fn address_without_a_port_is_explained() {
    for command in [
        &["gateway", "servers.json"][..],
        &["record", "-o", "file", "https://a"],
    ] {
        let printed: Printed = mcp()
            .args(command)
            .args(["--listen", "8080"])
            .output()
            .expect("it runs")
            .into();
        assert_eq!(printed.code, Some(2), "{printed:?}");
        let expected = "expected an address and a port, such as 127.0.0.1:8080";
        assert!(printed.err.contains(expected), "{printed:?}");
    }
}
