//! The stages of a rehearsal, in their order.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;

use super::workspace_copy::WorkspaceCopy;

/// A stage. Each one needs those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Stage {
    /// Imports the schema and generates the sources.
    Generate,
    /// Compiles `mcp-types` with all features. Errors in lines by hand do not count.
    Generated,
    /// Compiles `mcp-types` with its default features.
    Types,
    /// Compiles all crates with all features.
    Crates,
    /// Compiles everything with all features, tests included.
    Check,
    /// Compiles each crate with each feature alone.
    Features,
    /// Runs all tests of all crates.
    Tests,
}

/// Where generated code is, and the macros that it calls.
const GENERATED: [&str; 5] = [
    "mcp-types/src/arbitrary",
    "mcp-types/src/codec",
    "mcp-types/src/convert",
    "mcp-types/src/registry",
    "mcp-types/src/revisions",
];

/// Compiles all crates that have types of the protocol, with all features.
pub(super) const CRATES: [&str; 9] = [
    "check",
    "--quiet",
    "--workspace",
    "--exclude",
    "codegen",
    "--exclude",
    "xtask",
    "--all-features",
    "--keep-going",
];

/// The revision that a rehearsal invents.
pub(super) struct Next {
    /// The names under which the schema is imported. A new revision is also the first draft of the
    /// one after it.
    pub(super) names: Vec<String>,
    /// The published form of its schema.
    pub(super) schema: PathBuf,
    /// Its TypeScript source, if there is one.
    pub(super) typescript: Option<PathBuf>,
}

/// A stage that passed, and the time that it took.
pub(super) struct Timed {
    pub(super) time: Duration,
}

impl Stage {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Generate => "generate",
            Self::Generated | Self::Types => "types",
            Self::Crates => "crates",
            Self::Check => "check",
            Self::Features => "features",
            Self::Tests => "tests",
        }
    }

    pub(super) fn up_to(last: Self) -> impl Iterator<Item = Self> {
        let all = Self::value_variants().iter().copied();
        all.filter(move |stage| *stage <= last)
    }

    /// Runs the stage in a copy of the workspace.
    ///
    /// # Errors
    ///
    /// Returns an error with the command that failed.
    pub(super) fn run(self, copy: &WorkspaceCopy, next: &Next) -> Result<Timed> {
        let start = Instant::now();
        match self {
            Self::Generate => {
                let schema = next.schema.display().to_string();
                let typescript = next.typescript.as_ref();
                let typescript = typescript.map(|file| file.display().to_string());
                for name in &next.names {
                    let mut import = vec!["schema", "import", &schema, "--revision", name];
                    import.push("--replace");
                    if let Some(file) = &typescript {
                        import.extend(["--ts", file]);
                    }
                    copy.xtask(&import)?;
                }
                copy.xtask(&["codegen"])?;
            }
            Self::Generated => {
                let package = ["--package", "mcp-types", "--all-features"];
                let check = ["check", "--quiet"].into_iter().chain(package);
                let errors = copy.compile_errors(&check.collect::<Vec<_>>())?;
                let is_generated = |file: &str| GENERATED.iter().any(|at| file.starts_with(at));
                let found = errors.iter().find(|(file, _)| is_generated(file));
                if let Some((file, line)) = found {
                    bail!("{file}:{line} does not compile");
                }
            }
            Self::Types => copy.cargo(&["build", "--quiet", "--package", "mcp-types"])?,
            Self::Crates => copy.cargo(&CRATES)?,
            Self::Check => copy.cargo(&[
                "check",
                "--quiet",
                "--workspace",
                "--all-features",
                "--all-targets",
            ])?,
            Self::Features => copy.xtask(&["ci", "--only", "features"])?,
            Self::Tests => copy.xtask(&["ci", "--only", "tests"])?,
        }
        Ok(Timed {
            time: start.elapsed(),
        })
    }
}
