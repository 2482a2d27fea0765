//! `cargo xtask codegen`.

use crate::workspace;
use anyhow::{Result, bail};
use clap::Args;
use codegen::emit::{File, feature_name};
use codegen::hints::Hints;
use codegen::project::{Output, Standalone, StandaloneOptions, Summary};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Generates the sources of mcp-types, or a module tree for any schema
#[derive(Args)]
pub(crate) struct Options {
    /// Writes nothing; fails if the files are not up to date
    #[arg(long, conflicts_with = "schema")]
    check: bool,
    /// Fails if the types do not check all that the schema says
    #[arg(long)]
    deny_warnings: bool,
    /// Writes a stand-alone module tree for this schema
    #[arg(long, value_name = "FILE", requires = "out")]
    schema: Option<String>,
    /// The folder of the module tree
    #[arg(long, value_name = "DIR", requires = "schema")]
    out: Option<String>,
    /// Hints for the schema
    #[arg(long, value_name = "FILE", requires = "schema")]
    hints: Option<String>,
    /// The name of the type of the schema's root
    #[arg(long, value_name = "NAME", requires = "schema")]
    root: Option<String>,
    /// Treats `null` as an absent member, and leaves the member out when encoding
    #[arg(long, requires = "schema")]
    null_as_absent: bool,
    /// The module with the support code, such as `crate::support`; without it, the module tree has its
    /// own
    #[arg(long, value_name = "PATH", requires = "schema")]
    support: Option<String>,
    /// Writes the support code to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "check")]
    support_out: Option<String>,
}

impl Options {
    /// Prints warnings. Returns `false` if they are errors.
    fn accepts(&self, warnings: &[String]) -> bool {
        let kind = if self.deny_warnings {
            "error"
        } else {
            "warning"
        };
        for warning in warnings {
            eprintln!("{kind}: {warning}");
        }
        !self.deny_warnings || warnings.is_empty()
    }
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if let (Some(schema), Some(out)) = (&options.schema, &options.out) {
        return standalone(schema, out, options);
    }
    if let Some(folder) = &options.support_out {
        write_support(Path::new(folder))?;
        println!("{folder}: the support code\n{NEEDS}");
        return Ok(true);
    }
    let start = Instant::now();
    let output = workspace::project()?.generate()?;
    if !options.accepts(&output.report.warnings()) {
        return Ok(false);
    }
    if options.check {
        check(&output)
    } else {
        write(&output, start)
    }
}

fn write(output: &Output, start: Instant) -> Result<bool> {
    for (path, text) in expected(output)? {
        workspace::write(&path, text.as_bytes())?;
    }
    for stale in stale(output)? {
        fs::remove_file(stale)?;
    }
    print_summary(&output.summary);
    let unwritten = output.report.unwritten().len();
    if unwritten > 0 {
        println!("{unwritten} texts, examples and hints to write: `cargo xtask ci --only texts`");
    }
    println!(
        "{} files in {} ms",
        output.files.len(),
        start.elapsed().as_millis()
    );
    Ok(true)
}

fn check(output: &Output) -> Result<bool> {
    let mut differences = Vec::new();
    for (path, text) in expected(output)? {
        let old = fs::read_to_string(&path).unwrap_or_default();
        if old != text {
            differences.push(difference(&path, &old, &text));
        }
    }
    differences.extend(
        stale(output)?
            .iter()
            .map(|path| format!("{}: is no longer generated", workspace::display_path(path))),
    );
    if differences.is_empty() {
        println!("generated files are up to date");
        return Ok(true);
    }
    for difference in &differences {
        eprintln!("{difference}");
    }
    eprintln!("\nrun `cargo xtask codegen` and commit what it writes");
    Ok(false)
}

/// The hand-written files that generated types need, below `mcp-types/src`.
const SUPPORT: [&str; 7] = [
    "base64", "codec", "cursor", "error", "id", "json", "message",
];

fn standalone(schema: &str, out: &str, options: &Options) -> Result<bool> {
    if options.support_out.is_some() && options.support.is_none() {
        bail!("`--support-out` with a schema needs `--support`, the path of the module");
    }
    let text = workspace::read(Path::new(schema))?;
    let hints = match &options.hints {
        Some(file) => Some(Hints::parse(file, &workspace::read(Path::new(file))?)?),
        None => None,
    };
    let stem = Path::new(schema)
        .file_stem()
        .map_or("schema".into(), |stem| stem.to_string_lossy());
    let how = StandaloneOptions {
        hints,
        null_as_absent: options.null_as_absent,
        root: options.root.clone(),
        support: options.support.clone(),
    };
    let outcome = workspace::project()?.standalone(&stem, schema, &text, &how)?;
    if !options.accepts(&outcome.warnings) {
        return Ok(false);
    }
    for note in &outcome.notes {
        eprintln!("note: {note}");
    }
    write_module(&outcome, Path::new(out))?;
    match (&options.support, &options.support_out) {
        (None, _) => write_support(&Path::new(out).join("support"))?,
        (Some(_), Some(folder)) => write_support(Path::new(folder))?,
        (Some(_), None) => {}
    }
    if let Some(revision) = &outcome.recognised {
        println!("the structure is that of {revision}: its errata and hints apply");
    }
    println!(
        "{out}: {} types, {} messages",
        outcome.types, outcome.messages
    );
    let mut files = outcome.files.iter();
    let has_patterns = files.any(|file| file.text.contains("regex::Regex"));
    println!("{NEEDS}{}", if has_patterns { "; also regex" } else { "" });
    Ok(true)
}

/// What a crate with generated modules has to contain.
const NEEDS: &str = "needs base64, lean_string, serde and serde_json (raw_value, float_roundtrip); use it as `mod` of a crate";

/// Writes a stand-alone module tree without the support code, and removes files of an earlier one.
pub(crate) fn write_module(outcome: &Standalone, out: &Path) -> Result<()> {
    let paths = outcome.files.iter().map(|file| out.join(&file.path));
    let paths: BTreeSet<PathBuf> = paths.collect();
    let folders: BTreeSet<&Path> = paths.iter().filter_map(|path| path.parent()).collect();
    for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let is_source = path.is_file() && path.extension().is_some_and(|it| it == "rs");
            if is_source && !paths.contains(&path) && is_generated(&path)? {
                fs::remove_file(path)?;
            }
        }
    }
    outcome
        .files
        .iter()
        .try_for_each(|file| workspace::write(&out.join(&file.path), file.text.as_bytes()))
}

/// Returns `true` if the first line of a file says that this command wrote it.
fn is_generated(path: &Path) -> Result<bool> {
    let text = workspace::read(path)?;
    Ok(text.starts_with("// Generated by `cargo xtask codegen`"))
}

/// Writes a copy of the support code as a module.
pub(crate) fn write_support(out: &Path) -> Result<()> {
    let source = workspace::root().join("mcp-types/src");
    let mut root = String::from("//! What the generated types are read and written with.\n\n");
    for name in SUPPORT {
        root.push_str(&format!("pub mod {name};\n"));
        let mut paths = vec![source.join(format!("{name}.rs"))];
        let folder = source.join(name);
        if folder.is_dir() {
            paths.extend(workspace::files(&folder)?);
        }
        for path in paths {
            let text = without_tests(&workspace::read(&path)?);
            workspace::write(&out.join(path.strip_prefix(&source)?), text.as_bytes())?;
        }
    }
    workspace::write(&out.join("mod.rs"), root.as_bytes())
}

/// Returns a source without its tests and with its examples as plain text: they are ours.
fn without_tests(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next();
    let mut is_inside = false;
    let lines = code.unwrap_or(text).lines().map(|line| {
        let fence = line.trim_start().strip_prefix("///");
        let Some(info) = fence.and_then(|rest| rest.trim_start().strip_prefix("```")) else {
            return format!("{line}\n");
        };
        is_inside = !is_inside;
        if is_inside && info != "text" {
            let fence = line.strip_suffix(info).unwrap_or(line);
            return format!("{fence}text\n");
        }
        format!("{line}\n")
    });
    lines.collect()
}

fn folder() -> PathBuf {
    workspace::root().join("mcp-types/src/revisions")
}

/// Returns every file that is generated, completely or in part, with its expected content.
fn expected(output: &Output) -> Result<Vec<(PathBuf, String)>> {
    let mut files: Vec<(PathBuf, String)> = output
        .files
        .iter()
        .map(|File { path, text }| (folder().join(path), text.clone()))
        .collect();
    let tests = workspace::root().join("mcp-types/tests/schemas");
    files.extend(
        output
            .schemas
            .iter()
            .map(|File { path, text }| (tests.join(path), text.clone())),
    );
    let client = workspace::root().join("mcp-client/src");
    let File { path, text } = &output.methods;
    files.push((client.join(path), text.clone()));
    let manifest = workspace::root().join("mcp-types/Cargo.toml");
    let features = output.features.iter().map(|(name, on)| {
        let on: Vec<String> = on.iter().map(|name| format!("\"{name}\"")).collect();
        format!("{} = [{}]\n", quoted(name), on.join(", "))
    });
    let text = between(
        &workspace::read(&manifest)?,
        "#",
        &features.collect::<String>(),
    )?;
    files.push((manifest, text));
    let readme = workspace::root().join("README.md");
    let rows: String = output.summary.iter().rev().map(readme_row).collect();
    let table = format!(
        "\n| revision | feature | types | generated | shared with a newer revision | messages |\n\
         | --- | --- | --- | --- | --- | --- |\n{rows}\n"
    );
    let text = between(&workspace::read(&readme)?, "<!--", &table)?;
    files.push((readme, text));
    Ok(files)
}

fn quoted(name: &str) -> String {
    if name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}

fn readme_row(row: &Summary) -> String {
    format!(
        "| {} | `{}` | {} | {} | {} | {} |\n",
        row.revision,
        feature_name(&row.revision),
        row.definitions,
        row.generated,
        row.shared,
        row.messages
    )
}

/// Replaces the text between two marks of a file that is otherwise hand-written.
fn between(text: &str, comment: &str, new: &str) -> Result<String> {
    let (start, end) = (
        format!("{comment} generated by codegen"),
        format!("{comment} end of generated"),
    );
    let Some((before, rest)) = text.split_once(&start) else {
        bail!("the mark `{start}` is missing")
    };
    let Some((line, rest)) = rest.split_once('\n') else {
        bail!("nothing follows the mark `{start}`")
    };
    let Some((_, after)) = rest.split_once(&end) else {
        bail!("the mark `{end}` is missing")
    };
    Ok(format!("{before}{start}{line}\n{new}{end}{after}"))
}

/// Returns files in the output folder that are no longer generated.
fn stale(output: &Output) -> Result<Vec<PathBuf>> {
    let known: BTreeSet<PathBuf> = output
        .files
        .iter()
        .map(|file| folder().join(&file.path))
        .collect();
    let mut found = workspace::files(&folder())?;
    found.retain(|path| !known.contains(path));
    Ok(found)
}

/// Returns the first lines that differ.
fn difference(path: &Path, old: &str, new: &str) -> String {
    let at = old
        .lines()
        .zip(new.lines())
        .take_while(|(a, b)| a == b)
        .count();
    let line = |text: &str, mark: &str| {
        text.lines()
            .skip(at)
            .take(3)
            .map(|line| format!("  {mark} {line}\n"))
            .collect::<String>()
    };
    format!(
        "{}:{}\n{}{}",
        workspace::display_path(path),
        at + 1,
        line(old, "-"),
        line(new, "+")
    )
}

fn print_summary(rows: &[Summary]) {
    println!(
        "{:<12} {:>11} {:>10} {:>7} {:>9}",
        "revision", "definitions", "generated", "shared", "messages"
    );
    for row in rows.iter().rev() {
        println!(
            "{:<12} {:>11} {:>10} {:>7} {:>9}",
            row.revision, row.definitions, row.generated, row.shared, row.messages
        );
    }
}
