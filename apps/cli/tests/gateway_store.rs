//! `mcp gateway --store-env`: several gateways with one store.

use std::fs;
#[cfg(feature = "redis")]
use std::io::{BufRead, BufReader, Read, Write};
#[cfg(feature = "redis")]
use std::net::{TcpListener, TcpStream};
use std::process::Command;
#[cfg(feature = "redis")]
use std::process::{Child, Stdio};

use serde_json::json;

use super::subject;
use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

const KEY: &str = "0f0e0d0c0b0a09080706050403020100f0e0d0c0b0a090807060504030201000";

fn file(folder: &Folder) -> String {
    let path = folder.file("servers.json");
    let server = json!({ "mcpServers": { "one": { "command": subject() } } });
    fs::write(&path, server.to_string()).expect("written");
    path
}

/// Returns the command of a gateway with this store.
fn command(path: &str, store: &str) -> Command {
    let mut command = mcp();
    command.args(["gateway", path, "--listen", "127.0.0.1:0"]);
    command.args(["--keys-env", "GATEWAY_STORE_KEYS"]);
    command.args(["--store-env", "GATEWAY_STORE_URL"]);
    command.env("GATEWAY_STORE_KEYS", KEY);
    command.env("GATEWAY_STORE_URL", store);
    command
}

#[test]
fn store_that_cannot_be_used_is_an_error_without_its_password() {
    let folder = Folder::new("gateway-store-faults").created();
    let path = file(&folder);
    for (url, expected) in [
        (
            "mysql://ada:secret@localhost",
            "expected a URL that begins with `redis://`",
        ),
        ("secret", "expected a URL that begins with `redis://`"),
        ("redis://ada:secret@127.0.0.1:1", "redis"),
    ] {
        let printed = command(&path, url).output().expect("it runs");
        let printed = Printed::from(printed);
        assert!(printed.code != Some(0), "{url}: {printed:?}");
        let err = printed.err.to_lowercase();
        assert!(
            err.contains(&expected.to_lowercase()) && !err.contains("secret"),
            "{url}: {printed:?}"
        );
    }
}

/// A process that is killed when this value is dropped.
#[cfg(feature = "redis")]
struct Running(Child);

#[cfg(feature = "redis")]
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a gateway, and returns its address.
#[cfg(feature = "redis")]
fn gateway(path: &str, store: &str) -> (Running, String) {
    let child = command(path, store).stderr(Stdio::piped()).spawn();
    let mut running = Running(child.expect("it runs"));
    let lines = BufReader::new(running.0.stderr.take().expect("a pipe")).lines();
    let mut printed = Vec::new();
    for line in lines.map_while(Result::ok) {
        if let Some((_, at)) = line.split_once("http://") {
            let address = at.split('/').next().unwrap_or(at).to_owned();
            return (running, address);
        }
        printed.push(line);
    }
    panic!("the gateway does not serve: {printed:?}");
}

/// Starts a database, and returns its port. Returns `None` if it is not installed, except in continuous
/// integration.
#[cfg(feature = "redis")]
fn redis() -> Option<(Running, u16)> {
    for _ in 0..10 {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        let port = free.expect("a port").port();
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--save", "", "--port"]);
        command.arg(port.to_string()).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            let is_required = std::env::var_os("CI").is_some();
            assert!(!is_required, "redis-server is not installed");
            return None;
        };
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let running = Running(child);
        let mut lines = lines.map_while(Result::ok);
        // It ends if another program took the port in the meantime.
        if lines.any(|line| line.contains("Ready to accept connections")) {
            return Some((running, port));
        }
    }
    panic!("redis-server does not start");
}

/// Sends a message, and returns the whole response.
#[cfg(feature = "redis")]
fn post(address: &str, session: Option<&str>, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("connected");
    let session = session.map_or_else(String::new, |id| format!("Mcp-Session-Id: {id}\r\n"));
    let length = body.len();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{session}\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .expect("sent");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("read");
    text
}

#[test]
#[cfg(feature = "redis")]
fn session_goes_on_at_another_gateway_with_the_same_store() {
    let Some((_redis, port)) = redis() else {
        return;
    };
    let folder = Folder::new("gateway-store").created();
    let path = file(&folder);
    let store = format!("redis://127.0.0.1:{port}");
    let (_one, one) = gateway(&path, &store);
    let (_two, two) = gateway(&path, &store);

    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    } });
    let answer = post(&one, None, &begin.to_string());
    let header = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id")
            .then(|| value.to_owned())
    };
    let session = answer.lines().find_map(header).expect("a session");
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert!(post(&one, Some(&session), ready).starts_with("HTTP/1.1 202"));
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#;
    for address in [&two, &one] {
        let called = post(address, Some(&session), call);
        assert!(called.contains(r#""text":"3""#), "{called}");
    }
}
