//! Builds and runs the programs of the READMEs and of `docs/start.md`.
//!
//! It creates a package with their commands and programs, builds and runs it, and compares the
//! output with them.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::manifest::Manifest;
use crate::markdown::{Kind, Page};
use crate::node::Node;
use crate::{process, workspace};

/// The request for the server in the README of `mcp-server`, and a part of the response.
const REQUEST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
const RESPONSE: &str = r#""text":"Hello, Ada!""#;

pub(super) fn run() -> Result<()> {
    let package = Package::create()?;
    package.build()?;

    for (page, index, program) in [
        (&package.readme, 0, "client"),
        (&package.start, 0, "client"),
        (&package.start, 1, "types"),
    ] {
        let session = page.block("console", index)?;
        let session = session.split_once('\n');
        let (_, expected) = session.context("the session has no output")?;
        let printed = package.output(program, &package.folder, "")?;
        let name = &page.name;
        ensure!(
            printed == expected,
            "`{program}` of {name} printed:\n{printed}"
        );
        println!("{name}: `{program}` prints what the page says");
    }

    let printed = package.output("readme-of-server", &package.folder, REQUEST)?;
    ensure!(
        printed.contains(RESPONSE),
        "the server of mcp-server/README.md wrote:\n{printed}"
    );
    println!("mcp-server/README.md: the server answers");

    if let Some(node) = Node::find()? {
        let folder = node.install("xtask/interop")?;
        let printed = package.output("readme-of-client", &folder, "")?;
        let expected = "The sum of 1 and 2 is 3.\n";
        ensure!(
            printed.ends_with(expected),
            "the client of mcp-client/README.md printed:\n{printed}"
        );
        println!("mcp-client/README.md: the client calls a server from npm");
    }
    Ok(())
}

/// The package that a reader of the READMEs would create.
struct Package {
    folder: PathBuf,
    readme: Readme,
    start: Readme,
}

impl Package {
    fn create() -> Result<Self> {
        let root = workspace::root();
        let folder = workspace::target()?.join("quickstart");
        let programs = folder.join("src/bin");
        let readme = Readme::read(&root.join("README.md"))?;
        let of_server = Readme::read(&root.join("mcp-server/README.md"))?;
        let of_client = Readme::read(&root.join("mcp-client/README.md"))?;
        let start = Readme::read(&root.join("docs/start.md"))?;
        // The page repeats the programs of the README, and adds a package and a program.
        for program in 0..2 {
            let ours = start.block("rust,no_run", program)?;
            ensure!(
                ours == readme.block("rust,no_run", program)?,
                "{}: not the program {program} of README.md",
                start.name
            );
        }
        let commands = start.block("sh", 1)?;
        ensure!(
            commands.starts_with(readme.block("sh", 0)?),
            "{}: not the commands of README.md",
            start.name
        );
        for (name, program) in [
            ("server", readme.block("rust,no_run", 0)?),
            ("client", readme.block("rust,no_run", 1)?),
            ("types", start.block("rust", 1)?),
            ("readme-of-server", of_server.block("rust,no_run", 0)?),
            ("readme-of-client", of_client.block("rust,no_run", 0)?),
        ] {
            workspace::write(&programs.join(format!("{name}.rs")), program.as_bytes())?;
        }
        let mut manifest = Manifest::new("quickstart");
        for command in commands.lines() {
            manifest.add(command)?;
        }
        manifest.write(&folder)?;
        Ok(Self {
            folder,
            readme,
            start,
        })
    }

    fn cargo(&self) -> Command {
        let mut command = workspace::cargo();
        command.current_dir(&self.folder);
        command.env("CARGO_TARGET_DIR", self.folder.join("target"));
        command
    }

    fn build(&self) -> Result<()> {
        process::run(self.cargo().args(["build", "--quiet", "--bins"]))
    }

    /// Runs a program with this input, and returns its output.
    fn output(&self, program: &str, folder: &Path, input: &str) -> Result<String> {
        let file = self.folder.join("target/debug").join(program);
        let mut child = Command::new(&file)
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| workspace::display_path(&file))?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        ensure!(
            output.status.success(),
            "`{program}` ended with {}",
            output.status
        );
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// A README.
struct Readme {
    name: String,
    page: Page,
}

impl Readme {
    fn read(file: &Path) -> Result<Self> {
        Ok(Self {
            name: workspace::display_path(file),
            page: Page::parse(&workspace::read(file)?),
        })
    }

    /// Returns a code block of a language.
    fn block(&self, language: &str, index: usize) -> Result<&str> {
        let mut blocks = self.page.parts.iter().filter_map(|part| match &part.kind {
            Kind::Code { info, text } if info == language => Some(text.as_str()),
            _ => None,
        });
        let block = blocks.nth(index);
        block.with_context(|| format!("{}: no block {index} of `{language}`", self.name))
    }
}
