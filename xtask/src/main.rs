//! The commands of the workspace: `cargo xtask <command>`.

mod codegen;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

  codegen                      write the generated sources of mcp-types
  codegen --check              write nothing; fail if they are not up to date
  codegen --schema FILE --out DIR [--hints FILE]
                               write a stand-alone module tree for any schema
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((command, rest)) => match command.as_str() {
            "codegen" => codegen::run(rest),
            "help" | "--help" | "-h" => {
                print!("{USAGE}");
                Ok(ExitCode::SUCCESS)
            }
            other => Err(anyhow::anyhow!("unknown command `{other}`\n\n{USAGE}")),
        },
        None => Err(anyhow::anyhow!("{USAGE}")),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
