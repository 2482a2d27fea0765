//! `mcp completions` and `mcp man`.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::args::{Completions, ManPage, Mcp};
use crate::failure::Failure;

/// Prints the script for a shell.
pub(crate) fn completions(args: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Mcp::command(), "mcp", &mut script);
    Ok(io::stdout().write_all(&script)?)
}

/// Prints a manual page.
pub(crate) fn man(args: &ManPage) -> Result<(), Failure> {
    let mut program = Mcp::command();
    program.build();
    let command = match &args.command {
        None => program,
        Some(name) => {
            let found = program.find_subcommand(name);
            let found = found.ok_or_else(|| Failure::Usage(format!("no command `{name}`")))?;
            found.clone().display_name(format!("mcp-{name}"))
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(io::stdout().write_all(&page)?)
}
