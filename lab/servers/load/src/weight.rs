//! The size of the smallest server or client: dependencies, build time, and bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::case::Candidate;

/// A hello-world program on standard input and output.
pub(crate) struct Weight {
    pub(crate) candidate: Candidate,
    /// The number of crates in its dependency tree, without the program itself.
    pub(crate) crates: usize,
    /// The fastest clean build, or `None` if none was made.
    pub(crate) build: Option<Build>,
}

#[derive(Clone, Copy)]
pub(crate) struct Build {
    pub(crate) time: Duration,
    /// Time of all processors.
    pub(crate) cpu: Duration,
    /// Size of the program without symbols, in bytes.
    pub(crate) size: u64,
}

/// Measures all packages alternately.
pub(crate) fn all(
    folder: &Path,
    packages: impl Iterator<Item = (Candidate, String)>,
    builds: usize,
) -> Result<Vec<Weight>> {
    let mut weights = Vec::new();
    for (candidate, package) in packages {
        let crates = crates(&package)?;
        weights.push((
            package,
            Weight {
                candidate,
                crates,
                build: None,
            },
        ));
    }
    for turn in 0..builds {
        eprintln!("build {} of {builds}", turn + 1);
        for (package, weight) in &mut weights {
            let build = build(package, &folder.join("clean"))?;
            let best = weight.build.get_or_insert(build);
            if build.time < best.time {
                *best = build;
            }
        }
    }
    Ok(weights.into_iter().map(|(_, weight)| weight).collect())
}

fn crates(package: &str) -> Result<usize> {
    let output = cargo()
        .args(["tree", "--locked", "--package", package])
        .args(["--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p}"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "cargo tree failed");
    let text = String::from_utf8(output.stdout)?;
    let mut crates: Vec<&str> = text
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .collect();
    crates.sort_unstable();
    crates.dedup();
    Ok(crates.len().saturating_sub(1))
}

fn build(package: &str, target: &Path) -> Result<Build> {
    if target.exists() {
        fs::remove_dir_all(target).with_context(|| target.display().to_string())?;
    }
    let (start, before) = (Instant::now(), cpu_of_children()?);
    let status = cargo()
        .args([
            "build",
            "--locked",
            "--release",
            "--quiet",
            "--package",
            package,
        ])
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        .status()
        .context("cannot run cargo")?;
    let (time, after) = (start.elapsed(), cpu_of_children()?);
    ensure!(status.success(), "{package} does not compile");
    let program = target.join("release").join(package);
    let size = fs::metadata(&program)
        .with_context(|| program.display().to_string())?
        .len();
    fs::remove_dir_all(target).with_context(|| target.display().to_string())?;
    Ok(Build {
        time,
        cpu: after.saturating_sub(before),
        size,
    })
}

fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    command.current_dir(own);
    command
}

/// Returns the processor time of all child processes that have ended, including their children.
fn cpu_of_children() -> Result<Duration> {
    let text = fs::read_to_string("/proc/self/stat")?;
    // The name of the program is in parentheses and may contain any characters.
    let rest = text.rsplit_once(')').context("no name")?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks =
        |at: usize| -> Result<u64> { Ok(fields.get(at).context("no time of children")?.parse()?) };
    // A tick is a hundredth of a second on all systems that have this file.
    Ok(Duration::from_millis((ticks(13)? + ticks(14)?) * 10))
}
