//! A client that sends prepared lines to a program and reads its lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

/// A program on pipes.
pub(crate) struct Conversation {
    pub(crate) child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Conversation {
    pub(crate) fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, to, from }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let to = self.to.as_mut().expect("it is open");
        to.write_all(bytes.as_ref()).expect("written");
        to.write_all(b"\n").expect("written");
    }

    /// Returns the next line, without its end.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("a line");
        assert!(line.ends_with('\n'), "no complete line: {line:?}");
        line.pop();
        line
    }

    /// Closes the input, and returns the rest of the output, stderr and the exit code.
    pub(crate) fn end(mut self) -> Output {
        drop(self.to.take());
        let mut stdout = Vec::new();
        self.from.read_to_end(&mut stdout).expect("read");
        let output = self.child.wait_with_output().expect("it ends");
        Output { stdout, ..output }
    }
}
