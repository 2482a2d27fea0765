//! Errors and their exit codes.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::thread;

#[cfg(unix)]
use std::{
    io::{BufRead, BufReader},
    time::{Duration, Instant},
};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::support::program::{Printed, mcp};

use super::{run, subject};

fn bare(arguments: &[&str]) -> Printed {
    mcp().args(arguments).output().expect("it runs").into()
}

#[cfg(unix)]
#[test]
fn invalid_command_line_exits_before_a_server_is_started() {
    let started = "echo started >&2; exit 1";
    for (wrong, said) in [
        (&["call"][..], "no tool is named"),
        (
            &["call", "add", "a"],
            "invalid argument `a`: expected NAME=VALUE",
        ),
        (&["call", "add", "--args", "[]"], "`--args`"),
        (&["call", "add", "--args", "@/nowhere"], "/nowhere"),
        (&["resources", "more"], "unexpected argument `more`"),
        (&["resources", "--filter", "[]"], "`--filter`"),
        (&["request"], "one method"),
        (&["read"], "one URI"),
        (&["tools", "--revision", "2020-01-01"], "2020-01-01"),
        (&["tools", "--timeout", "soon"], "--timeout"),
        (&["dance"], "dance"),
    ] {
        let printed = bare(&[wrong, &["-v", "--", "sh", "-c", started]].concat());
        assert_eq!(printed.code, Some(2), "{wrong:?} {printed:?}");
        assert!(printed.err.contains(said), "{wrong:?} {printed:?}");
        assert!(!printed.err.contains("started"), "{wrong:?} {printed:?}");
    }
    let nowhere = bare(&["tools"]);
    assert_eq!(nowhere.code, Some(2));
    assert!(nowhere.err.contains("no server is named"), "{nowhere:?}");
}

#[test]
fn command_lines_without_a_server_get_a_hint() {
    for (words, hint) in [
        (
            &["tools", "npx", "-y", "foo"][..],
            "hint: a server that is a program comes after `--`: mcp tools -- npx -y foo\n",
        ),
        (
            &["tools", "npx"],
            "hint: a server that is a program comes after `--`: `-- npx`, and one that a host lists \
             after `@`: `@npx`\n",
        ),
        (
            &["tools", "npx -y foo"],
            "hint: a server that is a program comes after `--`, without quotes, `-- npx -y foo`\n",
        ),
        (
            &["tools", "--", "nothing -y foo"],
            "hint: a server that is a program comes after `--`, without quotes, `-- nothing -y foo`\n",
        ),
        (
            &["tools", "localhost:3000/mcp"],
            "hint: a URL begins with its scheme: `http://localhost:3000/mcp`\n",
        ),
        (
            &["call", "example.com/mcp", "add"],
            "hint: a URL begins with its scheme: `https://example.com/mcp`\n",
        ),
    ] {
        let printed = bare(words);
        assert!(printed.err.ends_with(hint), "{words:?} {printed:?}");
    }
}

/// Answers every request with this status, without a body.
fn refusing(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    // The thread ends with the test.
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("connected");
            let mut head = [0; 16 << 10];
            let _ = stream.read(&mut head);
            let answer =
                format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    url
}

#[test]
fn refused_and_unreachable_logins_have_exit_codes() {
    for (status, code) in [
        ("403 Forbidden", 7),
        ("401 Unauthorized", 7),
        ("500 Oops", 3),
    ] {
        let refused = bare(&["tools", &refusing(status), "--no-login"]);
        assert_eq!(refused.code, Some(code), "{status} {refused:?}");
    }
    let login = bare(&["login", "http://127.0.0.1:1/mcp", "--no-browser"]);
    assert_eq!(login.code, Some(3), "{login:?}");
}

#[cfg(unix)]
#[test]
fn interrupt_answers_at_once_although_the_server_does_not_exit() {
    // `begun` is printed once the call runs.
    let script = format!("trap '' TERM; '{}'; exec sleep 60", subject().display());
    let mut command = mcp();
    command.args(["call", "-v", "never", "--", "sh", "-c", &script]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut lines = stderr.lines().map(|line| line.expect("text"));
    assert!(lines.any(|line| line == "server: begun"));
    let start = Instant::now();
    let id = i32::try_from(child.id()).expect("a number");
    kill_process(Pid::from_raw(id).expect("a process"), Signal::INT).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn help_lists_the_exit_codes() {
    let help = bare(&["--help"]);
    assert_eq!(help.code, Some(0));
    assert!(help.out.contains("Exit codes:"), "{help:?}");
}

#[cfg(unix)]
#[test]
fn missing_server_exits_with_3_and_its_stderr() {
    let missing = bare(&["tools", "--", "/nowhere/server"]);
    assert_eq!(missing.code, Some(3));
    assert!(missing.err.contains("/nowhere/server"), "{missing:?}");
    let dead = bare(&["tools", "--", "sh", "-c", "echo no key >&2; exit 9"]);
    assert_eq!(dead.code, Some(3));
    assert!(dead.err.contains("exit status: 9"), "{dead:?}");
    assert!(dead.err.ends_with("no key\n"), "{dead:?}");
    let silent = bare(&["tools", "http://127.0.0.1:1/mcp"]);
    assert_eq!(silent.code, Some(3), "{silent:?}");
}

#[test]
fn rejected_and_unanswered_calls_have_exit_codes() {
    let refused = run(&["prompt", "nonsense"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(
        refused
            .err
            .starts_with("mcp: the server refused `prompts/get`"),
        "{refused:?}"
    );
    let late = run(&["call", "never", "--timeout", "0.5"]);
    assert_eq!(late.code, Some(5), "{late:?}");
}

#[test]
fn closed_pipe_exits_with_0() {
    let mut command = mcp();
    command.args(["tools", "--"]).arg(subject());
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[cfg(unix)]
#[test]
fn interrupt_cancels_the_call_and_ends_the_server() {
    let script = format!("echo $$ >&2; exec '{}'", subject().display());
    let mut command = mcp();
    command.args(["call", "-v", "never", "--", "sh", "-c", &script]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let stderr = child.stderr.take().expect("a pipe");
    let mut lines = BufReader::new(stderr)
        .lines()
        .map(|line| line.expect("text"));
    let mut until = |wanted: &dyn Fn(&str) -> bool| {
        let found = lines.by_ref().find(|line| wanted(line));
        found.expect("the text is printed")
    };
    let number = |line: &str| line.strip_prefix("server: ")?.parse::<i32>().ok();
    let server = until(&|line| number(line).is_some());
    let server = number(&server).and_then(Pid::from_raw).expect("a process");
    until(&|line| line == "server: begun");
    let id = i32::try_from(child.id()).expect("a number");
    kill_process(Pid::from_raw(id).expect("a process"), Signal::INT).expect("it runs");
    until(&|line| line == "server: given up");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(test_kill_process(server).is_err(), "the server is gone");
}
