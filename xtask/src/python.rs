//! Python and the packages of `xtask/interop/requirements.txt`, which a foreign server needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::workspace;

/// The oldest Python that the packages run on.
const OLDEST: &str = "import sys; sys.exit(sys.version_info < (3, 10))";

/// Installs what `requirements.txt` of a folder says in an environment beside it, unless that has
/// been done, and gives the Python there. Where there is none, says so, which is an error where `CI`
/// is set.
pub(crate) fn install(folder: &Path) -> Result<Option<PathBuf>> {
    let environment = folder.join("python");
    let python = environment.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let requirements = folder.join("requirements.txt");
    let wanted = workspace::read(&requirements)?;
    let done = environment.join("installed");
    if fs::read_to_string(&done).is_ok_and(|old| old == wanted) {
        return Ok(Some(python));
    }
    let Some(machine) = find() else {
        let why = "there is no Python 3.10 here";
        if std::env::var_os("CI").is_some() {
            bail!("{why}, and CI is set");
        }
        println!("skipped: {why}");
        return Ok(None);
    };
    succeed(Command::new(machine).args(["-m", "venv"]).arg(&environment))?;
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
    ];
    succeed(Command::new(&python).args(pip).arg(&requirements))?;
    fs::write(&done, wanted).with_context(|| workspace::shown(&done))?;
    Ok(Some(python))
}

fn find() -> Option<&'static str> {
    let runs = |program: &&&str| {
        let status = Command::new(program)
            .args(["-c", OLDEST])
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    ["python3", "python"].iter().find(runs).copied()
}

fn succeed(command: &mut Command) -> Result<()> {
    println!("$ {command:?}");
    let status = command.status().context("cannot run Python")?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
