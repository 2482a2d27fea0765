//! `mcp call` and `mcp tasks`.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::example::example;
use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

/// The example `cli-subject` with tasks, over HTTP, with its URL. Prints to a pipe.
struct Subject {
    child: std::process::Child,
    url: String,
}

impl Subject {
    fn start() -> Self {
        let mut command = Command::new(example("cli-subject"));
        command.args(["http", "tasks"]).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
        let mut url = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdout.read_line(&mut url).expect("a line");
        let url = url.trim().to_owned();
        Self { child, url }
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(folder: &Folder, arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command.args(arguments).env("MCP_AUTH_DIR", &folder.0);
    command.output().expect("it runs").into()
}

#[test]
fn task_in_the_background_is_remembered_until_its_result_is_fetched() {
    let (subject, folder) = (Subject::start(), Folder::new("background"));
    let begun = run(&folder, &["call", "--background", &subject.url, "render"]);
    assert_eq!((begun.code, &*begun.err), (Some(0), ""), "{begun:?}");
    let id = begun.out.trim();

    let listed = run(&folder, &["tasks", "list"]);
    assert_eq!(listed.out, format!("{id}  render  {}\n", subject.url));
    for file in std::fs::read_dir(folder.0.join("tasks")).expect("a folder") {
        let metadata = file.expect("a file").metadata().expect("metadata");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
    let state = run(&folder, &["tasks", "get", id]);
    assert_eq!(state.code, Some(0), "{state:?}");
    assert!(state.out.starts_with("working"), "{state:?}");
    let waited = run(&folder, &["tasks", "wait", id]);
    assert_eq!(
        (waited.code, &*waited.out),
        (Some(0), "film.mp4\n"),
        "{waited:?}"
    );
    assert_eq!(run(&folder, &["tasks", "list"]).out, "");

    let unknown = run(&folder, &["tasks", "get", id]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    let named = run(&folder, &["tasks", "get", &subject.url, "nothing"]);
    assert_eq!(named.code, Some(4), "{named:?}");
    let plain = run(
        &folder,
        &["call", "--background", &subject.url, "add", "a=1", "b=2"],
    );
    assert_eq!((plain.code, &*plain.out), (Some(0), "3\n"), "{plain:?}");
}

#[test]
fn call_waits_for_its_task_and_an_interrupt_cancels_it() {
    let (mut subject, folder) = (Subject::start(), Folder::new("interrupted"));
    let rendered = run(&folder, &["call", "-v", &subject.url, "render"]);
    assert_eq!(rendered.out, "film.mp4\n", "{rendered:?}");
    assert!(rendered.err.contains("halfway"), "{rendered:?}");

    let stderr = BufReader::new(subject.child.stderr.take().expect("a pipe"));
    let mut lines = stderr.lines().map(|line| line.expect("text"));
    let mut command = mcp();
    command.args(["call", &subject.url, "forever"]);
    let mut child = command.spawn().expect("it runs");
    assert!(lines.any(|line| line == "begun"));
    // The response that announces the task is on its way.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let id = i32::try_from(child.id()).expect("a number");
    kill_process(Pid::from_raw(id).expect("a process"), Signal::INT).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(lines.any(|line| line == "given up"));
}

#[test]
fn task_can_be_cancelled() {
    let (subject, folder) = (Subject::start(), Folder::new("cancelled"));
    let begun = run(&folder, &["call", "--background", &subject.url, "forever"]);
    let id = begun.out.trim();
    let cancelled = run(&folder, &["tasks", "cancel", id]);
    assert_eq!(cancelled.code, Some(0), "{cancelled:?}");
    let waited = run(&folder, &["tasks", "wait", &subject.url, id]);
    assert_eq!(waited.code, Some(4), "{waited:?}");
    assert!(waited.err.contains("was cancelled"), "{waited:?}");
}

#[test]
fn list_of_tasks_shows_no_secrets_of_their_servers() {
    let (subject, folder) = (Subject::start(), Folder::new("background-secrets"));
    let url = format!("{}?key=hunter2", subject.url);
    let begun = run(&folder, &["call", "--background", &url, "render"]);
    assert_eq!(begun.code, Some(0), "{begun:?}");
    for arguments in [&["tasks", "list"][..], &["tasks", "list", "--json"]] {
        let listed = run(&folder, arguments);
        assert!(listed.out.contains("?key=[removed]"), "{listed:?}");
        assert!(!listed.out.contains("hunter2"), "{listed:?}");
    }
    // The task is found nevertheless.
    let state = run(&folder, &["tasks", "get", begun.out.trim()]);
    assert!(state.out.starts_with("working"), "{state:?}");
}
