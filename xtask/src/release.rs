//! `cargo xtask release`: checks whether the crates can be published, and prints how.

mod archive;
mod changelog;
mod docs_rs;
mod manifest;
mod names;
mod package;

use anyhow::{Context as _, Result};
use clap::Args;

use self::archive::Archive;
use self::package::Package;
use crate::workspace;

/// Checks whether the crates can be published, and prints how
///
/// Prints the commands that publish the crates; it publishes nothing itself.
#[derive(Args)]
pub(crate) struct Options {
    /// First checks what would be published
    ///
    /// Checks versions, metadata and CHANGELOG.md, packages the crates, compiles each package with
    /// the packages of the others, and builds their documentation as docs.rs does.
    #[arg(long)]
    dry_run: bool,
    /// Only checks the files
    #[arg(long, requires = "dry_run")]
    quick: bool,
}

/// What a dry run found.
#[derive(Default)]
struct Findings {
    /// Each of them prevents a release.
    faults: Vec<String>,
    /// What a maintainer should know or do before a release.
    warnings: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<bool> {
    let packages = package::published()?;
    let first = packages.first();
    let first = first.context("no package of the workspace can be published")?;
    let version = first.version.as_str();
    if !options.dry_run {
        println!("This command publishes nothing. A maintainer does it by hand, after a dry run.");
        print_steps(&packages, version);
        return Ok(true);
    }
    if !check_files(&packages, version)? {
        return Ok(false);
    }
    if options.quick {
        let count = packages.len();
        println!("release: the files of {count} packages are ready for version {version}");
        return Ok(true);
    }
    let archives = archive::create(&packages)?;
    let faults: Vec<&String> = archives
        .iter()
        .flat_map(|archive| &archive.faults)
        .collect();
    if !faults.is_empty() {
        for fault in faults {
            println!("error: {fault}");
        }
        return Ok(false);
    }
    docs_rs::build(&packages, &archives)?;
    print_table(&packages, &archives);
    print_steps(&packages, version);
    Ok(true)
}

/// Checks and prints what needs no compilation. Returns `false` if something prevents a release.
fn check_files(packages: &[Package], version: &str) -> Result<bool> {
    let mut findings = Findings::default();
    manifest::check(packages, &mut findings);
    let text = workspace::read(&workspace::root().join("CHANGELOG.md"))?;
    changelog::check(&text, version, &mut findings);
    names::check(packages, &mut findings);
    // Outside of a repository, there are neither tags nor changes.
    let git = |arguments: &[&str]| workspace::git(arguments).unwrap_or_default();
    if !git(&["tag", "--list", &format!("v{version}")]).is_empty() {
        let what = "before the next release, raise the version in Cargo.toml";
        let warning = format!("the tag v{version} exists: {what}");
        findings.warnings.push(warning);
    }
    if !git(&["status", "--porcelain"]).is_empty() {
        let warning = "the packages contain changes that are not committed";
        findings.warnings.push(warning.to_owned());
    }
    for warning in &findings.warnings {
        println!("warning: {warning}");
    }
    for fault in &findings.faults {
        println!("error: {fault}");
    }
    Ok(findings.faults.is_empty())
}

/// Prints what would be published, in order.
fn print_table(packages: &[Package], archives: &[Archive]) {
    println!("\npackage        version    files  unpacked    packed  largest file");
    for (package, archive) in packages.iter().zip(archives) {
        println!(
            "{:<14} {:<8} {:>7} {:>5} KiB {:>5} KiB  {} ({} KiB)",
            package.name,
            package.version,
            archive.files,
            archive.unpacked.div_ceil(1024),
            archive.packed.div_ceil(1024),
            archive.largest.0,
            archive.largest.1.div_ceil(1024),
        );
    }
}

/// Prints what a maintainer does to publish the packages.
fn print_steps(packages: &[Package], version: &str) {
    println!("\nTo publish version {version}:\n");
    println!("  give the section `Unreleased` of CHANGELOG.md the version and the date; commit");
    println!("  cargo xtask ci --nightly");
    println!("  git tag v{version} && git push origin v{version}");
    let is_renamed = names::are_taken(packages);
    if is_renamed {
        println!("  git switch -c publish-{version}");
        println!("  rename the packages there as VERSIONING.md describes, since names are taken");
    }
    for package in packages {
        let name = if is_renamed {
            names::proposed(&package.name)
        } else {
            package.name.clone()
        };
        println!("  cargo publish -p {name}");
    }
    println!("  create the release v{version} on GitHub, with the section of CHANGELOG.md");
}
