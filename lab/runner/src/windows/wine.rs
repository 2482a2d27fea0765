//! [`Wine`]: runs programs for Windows.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{process, workspace};

const TARGET: &str = "x86_64-pc-windows-gnu";
const COMPILER: &str = "x86_64-w64-mingw32-gcc";
/// Debian's package without support for programs of 32 bits installs it beside the folders of programs.
const PROGRAMS: [&str; 3] = [
    "/usr/bin/wine64",
    "/usr/local/bin/wine64",
    "/usr/lib/wine/wine64",
];

/// Returns what is missing, if anything.
pub(super) fn missing() -> Option<&'static str> {
    if !process::succeeds_quietly(Command::new(COMPILER).arg("--version")) {
        Some("x86_64-w64-mingw32-gcc is not installed")
    } else if program().is_none() {
        Some("wine64 is not installed")
    } else if !workspace::has_target(TARGET) {
        Some("the target x86_64-pc-windows-gnu is not installed")
    } else {
        None
    }
}

fn program() -> Option<&'static Path> {
    PROGRAMS
        .into_iter()
        .map(Path::new)
        .find(|path| path.exists())
}

/// Wine with its own settings, and the folder in which cargo compiles.
pub(super) struct Wine {
    program: &'static Path,
    folder: PathBuf,
}

impl Wine {
    /// Creates what Wine lacks in a folder, in which programs are found.
    pub(super) fn prepare(folder: &Path) -> Result<Self> {
        let library = [
            "-shared",
            "-nostdlib",
            "-Wl,-e0",
            "-o",
            "bcryptprimitives.dll",
        ];
        let mut compiler = Command::new(COMPILER);
        compiler.args(library).arg("bcryptprimitives.def");
        process::run(compiler.current_dir(folder))?;
        Ok(Self {
            program: program().context("wine64 is not installed")?,
            folder: folder.to_owned(),
        })
    }

    /// Returns a command of cargo with the options that it has for all packages. It runs programs with Wine.
    pub(super) fn cargo(&self, line: &str) -> Command {
        let mut cargo = workspace::cargo();
        cargo.args(line.split(' '));
        cargo.args(["--workspace", "--all-features", "--target", TARGET]);
        cargo.arg("--target-dir").arg(self.folder.join("target"));
        self.set_variables(cargo.current_dir(workspace::root()));
        cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", self.program);
        cargo
    }

    /// Compiles programs.
    pub(super) fn build(&self, options: &str) -> Result<()> {
        println!("$ cargo build {options} --target {TARGET}");
        process::run(&mut self.cargo(&format!("build {options}")))
    }

    /// Returns a command of a program of the workspace.
    pub(super) fn program(&self, name: &str) -> Command {
        let mut wine = Command::new(self.program);
        let path = self.folder.join("target").join(TARGET);
        wine.arg(path.join("debug").join(name).with_extension("exe"));
        self.set_variables(wine.current_dir(workspace::root()));
        wine
    }

    fn set_variables(&self, command: &mut Command) {
        command.env("WINEPREFIX", self.folder.join("prefix"));
        // Wine prints what it does not know.
        command.env("WINEDEBUG", "-all");
        // Where Windows looks for programs and libraries.
        command.env("WINEPATH", windows_path(&self.folder));
    }
}

/// Returns a path as Wine has it: the root of this system is the drive Z.
pub(super) fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.display().to_string().replace('/', "\\"))
}
