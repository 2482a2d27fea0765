//! Errors and their exit codes.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::{Printed, mcp, run, subject};

fn bare(arguments: &[&str]) -> Printed {
    mcp().args(arguments).output().expect("it runs").into()
}

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
fn help_lists_the_exit_codes() {
    let help = bare(&["--help"]);
    assert_eq!(help.code, Some(0));
    assert!(help.out.contains("Exit codes:"), "{help:?}");
}

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

#[test]
fn interrupt_cancels_the_call_and_ends_the_server() {
    let script = format!("echo $$ >&2; exec '{}'", subject().display());
    let mut command = mcp();
    command.args(["-v", "call", "never", "--", "sh", "-c", &script]);
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
