//! Decodes JSON as a type of a revision and encodes it again.
//!
//! ```text
//! roundtrip --revision 2026-07-28 --type CallToolResult < in.json
//! roundtrip --batch < lines.jsonl
//! ```
//!
//! The first form writes the encoded JSON. If the input is not valid for the type, it writes the
//! error with its path to standard error and exits with status 1. Invalid arguments exit with
//! status 2.
//!
//! The second form reads one line `{"revision": ..., "type": ..., "json": ...}` at a time and
//! writes one line for each: `{"ok": ...}`, `{"error": "...", "path": "$..."}`, or `{"unmapped":
//! true}` if the schema of the revision does not define the type. Empty lines are skipped. An
//! invalid line produces an error, and the next line is read.

mod arguments;

use arguments::Arguments;
use mcp_types::Revision;
use mcp_types::error::{DecodeError, ErrorKind};
use mcp_types::registry::{self, Entry};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

const USAGE: &str = "usage: roundtrip --revision REVISION --type TYPE < FILE
       roundtrip --batch < LINES";

fn main() -> ExitCode {
    let mut arguments = Arguments::of_program();
    let outcome = if switch(&mut arguments, "--batch") {
        arguments
            .finish()
            .map_err(Failure::Usage)
            .and_then(|()| batch())
    } else {
        single(arguments)
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
        Err(Failure::Input(message)) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
        // The reader may close the pipe at any time.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(Failure::Io(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

enum Failure {
    Usage(String),
    Input(String),
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn single(mut arguments: Arguments) -> Result<(), Failure> {
    let revision = arguments.value("--revision").map_err(Failure::Usage)?;
    let name = arguments.value("--type").map_err(Failure::Usage)?;
    arguments.finish().map_err(Failure::Usage)?;
    let entry = published(&revision, &name)
        .ok_or_else(|| Failure::Usage(format!("revision `{revision}` has no type `{name}`")))?;
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|error| Failure::Input(error.to_string()))?;
    let back = entry
        .round_trip(&text)
        .map_err(|error| Failure::Input(error.to_string()))?;
    writeln!(io::stdout(), "{back}")?;
    Ok(())
}

/// Returns the type that the schema of a revision defines by a name.
fn published(revision: &str, name: &str) -> Option<&'static Entry> {
    let revision: Revision = revision.parse().ok()?;
    registry::types(revision)
        .iter()
        .find(|entry| entry.is_published() && entry.name() == name)
}

fn batch() -> Result<(), Failure> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer =
            answer(&line).unwrap_or_else(|message| format!(r#"{{"error":{}}}"#, quoted(&message)));
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
}

/// Returns the response to a line, or the error in the line itself.
fn answer(line: &[u8]) -> Result<String, String> {
    let line = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    // The value is kept as text, so that it is decoded without loss.
    let members: BTreeMap<String, &RawValue> =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    let member = |name| {
        members
            .get(name)
            .copied()
            .ok_or_else(|| format!("missing member `{name}`"))
    };
    let text = |name| {
        serde_json::from_str::<String>(member(name)?.get())
            .map_err(|error| format!("member `{name}`: {error}"))
    };
    let (revision, name, json) = (text("revision")?, text("type")?, member("json")?);
    let Some(entry) = published(&revision, &name) else {
        return Ok(r#"{"unmapped":true}"#.to_owned());
    };
    Ok(match entry.round_trip(json.get()) {
        Ok(back) => format!(r#"{{"ok":{back}}}"#),
        Err(error) => format!(
            r#"{{"error":{},"path":{}}}"#,
            quoted(&message(&error)),
            quoted(&error.path().to_string())
        ),
    })
}

/// Returns the message without the path, which is written separately, but with line and column.
fn message(error: &DecodeError) -> String {
    match error.kind() {
        ErrorKind::Data => error.message().to_owned(),
        _ => error.to_string(),
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Removes a switch from the arguments. Returns `true` if it was given.
fn switch(arguments: &mut Arguments, name: &str) -> bool {
    let position = arguments.0.iter().position(|argument| argument == name);
    position.map(|at| arguments.0.remove(at)).is_some()
}
