//! `mcp gateway`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::json;

use super::subject;
use crate::support::folder::Folder;
use crate::support::program::mcp;

#[test]
fn end_of_the_input_ends_the_servers() {
    let folder = Folder::new("gateway-end").created();
    let (file, pid) = (folder.0.join("servers.json"), folder.0.join("pid"));
    let script = "echo $$ > \"$1\"; exec \"$2\"";
    let args = json!(["-c", script, "sh", pid, subject()]);
    let servers = json!({"mcpServers": {"sub": {"command": "sh", "args": args}}});
    std::fs::write(&file, servers.to_string()).expect("written");
    let mut command = mcp();
    command.arg("gateway").arg(&file);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let arguments = json!({"a": 1, "b": 2});
    let params = json!({"name": "sub_add", "arguments": arguments, "_meta": meta});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    writeln!(stdin, "{call}").expect("written");
    let mut answer = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut answer).expect("a line");
    assert!(answer.contains("\"result\""), "{answer}");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    let pid = std::fs::read_to_string(&pid).expect("started");
    // A process that has ended may stay in the table until its new parent looks.
    let is_running = || {
        let mut ps = std::process::Command::new("ps");
        let listed = ps.args(["-o", "stat=", "-p", pid.trim()]).output();
        let state = listed.expect("it runs").stdout;
        state.first().is_some_and(|state| *state != b'Z')
    };
    while is_running() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn programs_do_not_get_the_token_of_the_gateway() {
    let folder = Folder::new("gateway-token").created();
    let file = folder.0.join("servers.json");
    let script = "[ -z \"$GATEWAY_TOKEN\" ] && [ -n \"$OTHER\" ] && exec \"$1\"";
    let args = json!(["-c", script, "sh", subject()]);
    let servers = json!({"mcpServers": {"sub": {"command": "sh", "args": args}}});
    std::fs::write(&file, servers.to_string()).expect("written");
    let mut command = mcp();
    command.arg("gateway").arg(&file);
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--listen-token-env",
        "GATEWAY_TOKEN",
    ]);
    command.env("GATEWAY_TOKEN", "hunter2").env("OTHER", "x");
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    stderr.read_line(&mut line).expect("a line");
    let url = line.trim().rsplit(' ').next().expect("a URL").to_owned();
    let call = |token: Option<&str>| {
        let mut command = mcp();
        command.args(["call", &url, "sub_add", "a=1", "b=2"]);
        if let Some(token) = token {
            command.args(["--header", &format!("Authorization: Bearer {token}")]);
        }
        command.output().expect("it runs")
    };
    let refused = [call(None), call(Some("hunter3"))].map(|output| output.status.success());
    let sum = call(Some("hunter2"));
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(refused, [false, false]);
    assert_eq!(String::from_utf8_lossy(&sum.stdout), "3\n", "{sum:?}");
}
