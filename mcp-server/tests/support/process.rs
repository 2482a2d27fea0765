//! Processes of the examples, which are built together with the tests.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Returns the path of an example.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    let folder = test
        .ancestors()
        .nth(2)
        .expect("the test runs in target/*/deps");
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join("examples").join(name);
    assert!(path.exists(), "run `cargo build -p mcp-server --examples`");
    path
}

/// A process on pipes. It is killed when this value is dropped, also if the test fails.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<BufReader<ChildStdout>>,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().map(BufReader::new),
            child,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
