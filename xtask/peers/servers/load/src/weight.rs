//! What the smallest server or client weighs: crates, time to build it from nothing, size.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::case::Who;

/// A hello-world program on standard input and output.
pub(crate) struct Weight {
    pub(crate) who: Who,
    /// In its dependency tree, the program itself apart.
    pub(crate) crates: usize,
    /// The fastest build of all that were made, from nothing; absent where none was made.
    pub(crate) build: Option<Build>,
}

#[derive(Clone, Copy)]
pub(crate) struct Build {
    pub(crate) time: Duration,
    /// Time of all processors.
    pub(crate) cpu: Duration,
    /// Bytes of the program without symbols.
    pub(crate) size: u64,
}

/// Weighs both packages, in turns.
pub(crate) fn all(
    folder: &Path,
    packages: [(Who, &'static str); 2],
    builds: usize,
) -> Result<Vec<Weight>> {
    let mut weights = Vec::new();
    for (who, package) in packages {
        let crates = crates(package)?;
        weights.push((
            package,
            Weight {
                who,
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

/// What all children that have ended used, theirs included.
fn cpu_of_children() -> Result<Duration> {
    let text = fs::read_to_string("/proc/self/stat")?;
    // The name of the program stands in parentheses, and may be anything.
    let rest = text.rsplit_once(')').context("no name")?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks =
        |at: usize| -> Result<u64> { Ok(fields.get(at).context("no time of children")?.parse()?) };
    // Ticks are hundredths of a second on all systems that have this file.
    Ok(Duration::from_millis((ticks(13)? + ticks(14)?) * 10))
}
