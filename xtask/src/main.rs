//! The commands of the workspace: `cargo xtask <command>`.

#[macro_use]
mod output;

mod attack;
mod bench;
mod book;
mod browser;
mod ci;
mod cluster;
mod codegen;
mod conformance;
mod corpus;
mod fuzz;
mod interop;
mod lines;
mod node;
mod peers;
mod process;
mod python;
mod quickstart;
mod rehearse;
mod release;
mod schema;
mod subject;
mod through;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

  codegen                      write the generated sources of mcp-types
  codegen --check              write nothing; fail if they are not up to date
  codegen --schema FILE --out DIR [--hints FILE]
                               write a stand-alone module tree for any schema
          --deny-warnings      fail if the types do not check all that the schema says
  corpus [--quick] [NAME]...   generate and check types for schemas of other projects

  schema diff A B [--format text|markdown|json|html]
                               compare two revisions or files
  schema import FILE --revision R [--ts SCHEMA.TS] [--checklist FILE]
                               store the structure of a published schema
  schema verify FILE --revision R [--ts SCHEMA.TS]
                               compare the structure of a published schema with ours

  conformance server [--requirements R | --suite all] [--scenario NAME]
              [--url URL | --through gateway] [--deny-warnings]
                               the official suite against our server, or a gateway in front of it
  conformance client [--requirements R | --suite all] [--scenario NAME]
                               our client against the official suite
  interop server [--url URL | --through gateway]
                               clients of other projects against our server
  interop client               our client against servers of other projects
  interop auth                 clients and servers that use OAuth
  interop browser              pages in Chromium against our server

  attack [--quick] [--peer rmcp] [--only NAME] [--format text|markdown]
                               hostile and slow peers against our server
  attack --url URL [--pid PID] attack another server of this machine

  fuzz [TARGET] [--seconds N]  run the decoders of peer input with random inputs

  rehearse [NAME]... [--seed N] [--until STAGE]
                               import, compile and test an invented revision in a copy
  rehearse --history FOLDER    import the real revisions, one after the other

  release [--dry-run [--quick]]
                               check whether the crates can be published, and print how
  quickstart                   build and run the programs of the READMEs and docs/start.md
  quickstart --tutorials | PAGE...
                               follow the tutorials step by step, and compare what programs print

  book [--open]                make the book of docs/SUMMARY.md

  bench types [--quick]        compare with serde_json::Value and other crates
  bench server [--quick]       compare with rmcp and the simplest possible server
  bench client [--quick]       compare with rmcp's client
  bench gateway [--quick]      compare with a bare proxy and that of fastmcp
  bench files [--quick]        list and change a large tree
  bench scale [--quick] [--only PART]
                               many sessions, streams and changes, and what they ask of a store
  lines                        count the lines of the workspace by origin and layer
  ci [--only STEP]...          run all checks that have to pass before a merge
  ci --help                    list the steps and their durations
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((command, rest)) => match command.as_str() {
            "codegen" => codegen::run(rest),
            "schema" => schema::run(rest, || Ok(workspace::project()?.review()?)),
            "conformance" => conformance::run(rest),
            "interop" => interop::run(rest),
            "attack" => attack::run(rest),
            "corpus" => corpus::run(rest),
            "fuzz" => fuzz::run(rest),
            "rehearse" => rehearse::run(rest),
            "release" => release::run(rest),
            "quickstart" => quickstart::run(rest),
            "bench" => bench::run(rest),
            "book" => book::run(rest),
            "lines" => lines::run(rest),
            "ci" => ci::run(rest),
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
