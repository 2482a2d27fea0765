//! Files without an end, servers that do not stop, and other things that never end by themselves.

use std::io::Write;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::subject;
use crate::support::conversation::Conversation;
use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};
use crate::support::user_folders::UserFolders;

/// Runs a command of a shell in which `$MCP` is the program.
fn shell(script: &str) -> Printed {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::null());
    command.env("MCP", env!("CARGO_BIN_EXE_mcp"));
    command.output().expect("it runs").into()
}

#[cfg(target_os = "linux")]
#[test]
fn file_without_an_end_is_refused_in_little_memory() {
    for command in [
        "explain /dev/zero",
        "replay /dev/zero",
        "tools --config /dev/zero x",
        "tools --cacert /dev/zero https://127.0.0.1:1/mcp",
        "call --args @/dev/zero https://127.0.0.1:1/mcp tool",
        "call --args - https://127.0.0.1:1/mcp tool < /dev/zero",
    ] {
        let printed = shell(&format!("ulimit -v 600000; exec $MCP {command}"));
        assert_eq!(printed.code, Some(2), "{command}: {printed:?}");
        assert!(printed.err.contains(" bytes"), "{command}: {printed:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn answer_without_an_end_is_refused() {
    let subject = subject();
    let subject = subject.display();
    let printed = shell(&format!("exec $MCP call order -- {subject} < /dev/zero"));
    assert!(printed.err.contains("1048576 bytes"), "{printed:?}");
}

#[test]
fn large_arguments_are_refused_with_file_size_and_limit() {
    let folder = Folder::new("limits-arguments").created();
    let path = folder.file("large.json");
    let file = std::fs::File::create(&path).expect("a file");
    file.set_len(20_000_000).expect("a size");
    let arguments = format!("@{path}");
    let mut command = mcp();
    command.args([
        "call",
        "--args",
        &arguments,
        "https://127.0.0.1:1/mcp",
        "tool",
    ]);
    let printed: Printed = command.output().expect("it runs").into();
    assert_eq!(printed.code, Some(2), "{printed:?}");
    let fault = "expected at most 16777216 bytes, found 20000000";
    assert!(printed.err.contains(&path), "{printed:?}");
    assert!(printed.err.contains(fault), "{printed:?}");
}

#[test]
fn pipe_is_read_as_a_file_with_servers_but_not_for_ever() {
    let folders = UserFolders::new("limits-pipe");
    let pipe = folders.0.file("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("it runs");
    assert!(made.success());
    let changed = folders.run(&["install", "--config", &pipe, "s", "https://x/"]);
    assert_eq!(changed.code, Some(2), "{changed:?}");
    assert!(changed.err.contains("no regular file"), "{changed:?}");
    let text = r#"{"mcpServers": {"s": {"url": "https://x/"}}}"#;
    let listed = std::thread::scope(|scope| {
        scope.spawn(|| std::fs::write(&pipe, text).expect("written"));
        folders.printed(&["servers", "--config", &pipe])
    });
    assert!(listed.contains("https://x/"), "{listed}");
    let silent = folders.run(&["tools", "--config", &pipe, "s"]);
    assert_eq!(silent.code, Some(2), "{silent:?}");
    assert!(silent.err.contains("end of the pipe"), "{silent:?}");
}

fn record(folder: &Folder, script: &str) -> Command {
    let mut command = mcp();
    command.args(["record", "-o", &folder.file("session.jsonl")]);
    command.args(["--timeout", "0.5", "--", "sh", "-c", script]);
    command
}

#[test]
fn recorded_server_that_runs_on_with_closed_pipes_is_ended() {
    let folder = Folder::new("limits-closed").created();
    // The host has closed the input.
    let ended = record(&folder, "exec sleep 1000")
        .status()
        .expect("it runs");
    assert_eq!(ended.code(), Some(143));
    // The server has closed its input, and the host writes more than a pipe holds.
    let mut command = record(&folder, "exec <&-; echo ready; exec sleep 1000");
    let mut server = Conversation::start(&mut command);
    assert_eq!(server.line(), "ready");
    for _ in 0..10 {
        server.send("x".repeat(100_000));
    }
    assert_eq!(server.child.wait().expect("it ends").code(), Some(143));
    let recorded = std::fs::read_to_string(folder.file("session.jsonl")).expect("a file");
    assert!(recorded.contains("the server has closed its input"));
    // The server has closed its output.
    let mut server = Conversation::start(&mut record(&folder, "exec >&-; exec sleep 1000"));
    assert_eq!(server.child.wait().expect("it ends").code(), Some(143));
}

#[test]
fn recorded_server_that_ignores_a_signal_is_killed() {
    let folder = Folder::new("limits-ignores").created();
    let script = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
    let mut server = Conversation::start(&mut record(&folder, script));
    assert_eq!(server.line(), "ready");
    let id = i32::try_from(server.child.id()).expect("an id");
    kill_process(Pid::from_raw(id).expect("an id"), Signal::TERM).expect("sent");
    assert_eq!(server.child.wait().expect("it ends").code(), Some(137));
}

#[test]
fn check_ends_with_silent_and_senseless_servers() {
    for (server, code) in [
        ("sleep 1000", 5),
        ("yes", 5),
        ("cat /dev/zero", 3),
        ("cat", 4),
        ("echo no", 3),
    ] {
        let printed = shell(&format!("exec $MCP check --timeout 1 -- {server}"));
        assert_eq!(printed.code, Some(code), "{server}: {printed:?}");
        let size = printed.out.len() + printed.err.len();
        assert!(size < 300_000, "{server}: {size}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn deeply_nested_line_is_recorded_in_little_memory() {
    let folder = Folder::new("limits-deep").created();
    let file = folder.file("session.jsonl");
    let mut server = Conversation::start(&mut record(&folder, "cat >/dev/null"));
    server.send("[".repeat(8_000_000) + &"]".repeat(8_000_000));
    let lines = || std::fs::read(&file).expect("a file");
    while lines().split(|byte| *byte == b'\n').count() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let status = format!("/proc/{}/status", server.child.id());
    let status = std::fs::read_to_string(status).expect("it runs");
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let most = most.and_then(|most| most.trim().strip_suffix(" kB"));
    let most: u64 = most.expect("a size").parse().expect("a number");
    assert!(most < 150_000, "{most} KiB");
    let recorded = String::from_utf8(lines()).expect("text");
    assert!(recorded.contains(r#""bytes":16000000"#));
}

#[test]
fn long_line_is_passed_and_recorded_in_part() {
    let folder = Folder::new("limits-long").created();
    let mut command = mcp();
    command.args(["record", "-o", &folder.file("session.jsonl"), "--", "cat"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut to = child.stdin.take().expect("a pipe");
    let writing = std::thread::spawn(move || {
        let part = vec![b'x'; 1 << 20];
        (0..100).for_each(|_| to.write_all(&part).expect("written"));
    });
    let output = child.wait_with_output().expect("it ends");
    writing.join().expect("written");
    assert_eq!(output.stdout.len(), 100 << 20);
    let recorded = std::fs::read_to_string(folder.file("session.jsonl")).expect("a file");
    assert!(recorded.contains(r#""bytes":104857600"#));
    assert!(recorded.len() < 10_000);
}
