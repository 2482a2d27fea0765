//! The program `mcp`.

use std::process::{Command, Output, Stdio};

/// The program, without input.
pub(crate) fn mcp() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp"));
    command.stdin(Stdio::null());
    command
}

/// The output and the exit code.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

impl From<Output> for Printed {
    fn from(output: Output) -> Self {
        Self {
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
            code: output.status.code(),
        }
    }
}
