//! Converts the JSON of a type from one revision to another, through all revisions in between.
//!
//! ```text
//! convert --from 2025-06-18 --to 2026-07-28 --type Tool < in.json
//! ```
//!
//! Writes the converted JSON. If the input is not valid for the type, or if one of the revisions
//! cannot represent it, the program writes the error, with its path if it has one, to standard
//! error and exits with status 1. Invalid arguments exit with status 2.

mod arguments;

use arguments::Arguments;
use mcp_types::Revision;
use mcp_types::registry;
use std::io::{self, Read, Write};
use std::process::ExitCode;

const USAGE: &str = "usage: convert --from REVISION --to REVISION --type TYPE < FILE";

struct Task {
    from: Revision,
    to: Revision,
    name: String,
}

fn main() -> ExitCode {
    let task = match task(Arguments::of_program()) {
        Ok(task) => task,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn task(mut arguments: Arguments) -> Result<Task, String> {
    let mut revision = |name| {
        arguments
            .value(name)?
            .parse::<Revision>()
            .map_err(|error| error.to_string())
    };
    let (from, to) = (revision("--from")?, revision("--to")?);
    let name = arguments.value("--type")?;
    arguments.finish()?;
    if registry::find(from, &name).is_none() {
        return Err(format!("revision `{from}` has no type `{name}`"));
    }
    Ok(Task { from, to, name })
}

fn run(task: &Task) -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text)?;
    let converted = registry::convert_text(task.from, task.to, &task.name, &text)?;
    writeln!(io::stdout(), "{converted}")?;
    Ok(())
}
