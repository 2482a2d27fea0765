//! Finds Python and installs packages for programs of other projects.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{process, workspace};

/// Fails for versions of Python that the packages do not support.
const OLDEST: &str = "import sys; sys.exit(sys.version_info < (3, 10))";

/// Installs the packages of `requirements.txt` in a folder into a virtual environment next to it,
/// unless that was done before. Returns the Python of the environment. If Python is missing, prints
/// a message and returns `None`; if `CI` is set, returns an error.
pub fn install(folder: &Path) -> Result<Option<PathBuf>> {
    install_as(folder, "requirements.txt", "python")
}

/// Does the same with packages of another file in an environment of another name.
pub fn install_as(folder: &Path, requirements: &str, environment: &str) -> Result<Option<PathBuf>> {
    let environment = folder.join(environment);
    let python = environment.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let requirements = folder.join(requirements);
    let wanted = workspace::read(&requirements)?;
    let done = environment.join("installed");
    if fs::read_to_string(&done).is_ok_and(|old| old == wanted) {
        return Ok(Some(python));
    }
    let machine = find();
    let why = "Python 3.10 or newer is not installed";
    if process::is_skipped(machine.is_none().then_some(why))? {
        return Ok(None);
    }
    process::run(
        Command::new(machine.context(why)?)
            .args(["-m", "venv"])
            .arg(&environment),
    )?;
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
    ];
    process::run(Command::new(&python).args(pip).arg(&requirements))?;
    fs::write(&done, wanted).with_context(|| workspace::display_path(&done))?;
    Ok(Some(python))
}

fn find() -> Option<&'static str> {
    let runs =
        |program: &&str| process::succeeds_quietly(Command::new(program).args(["-c", OLDEST]));
    ["python3", "python"].into_iter().find(runs)
}
