//! The official JSON-Schema-Test-Suite: small schemas, each with values that are valid or not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use codegen::project::{Project, Standalone};
use serde_json::Value;

use super::batch::Module;
use super::{batch, report};
use crate::{process, workspace};

/// The parts of the suite: the version of JSON Schema, and the folder.
const PARTS: [(&str, &str); 2] = [("draft 7", "draft7"), ("2020-12", "draft2020-12")];

/// Files about what needs other documents, or is not checked by default.
const LEFT_OUT: [&str; 3] = ["format.json", "refRemote.json", "vocabulary.json"];

/// A schema of the suite and its tests.
struct Group {
    part: usize,
    name: String,
    outcome: Standalone,
    tests: Vec<Test>,
}

struct Test {
    about: String,
    data: Value,
    valid: bool,
}

#[derive(Clone, Default)]
struct Row {
    groups: usize,
    compiled: usize,
    values: usize,
    refused: usize,
    refused_silently: usize,
    accepted: usize,
    accepted_silently: usize,
    changed: usize,
}

/// Generates types for all schemas of the suite, and judges them by its values. Returns `false` if a
/// schema cannot be generated or compiled, a value comes back as another one, or if an invalid value
/// is accepted, or a valid one refused, without a warning.
pub(super) fn run(folder: &Path, python: &Path, markdown: bool) -> Result<bool> {
    let source = download(folder, python)?;
    let mut rows = vec![Row::default(); PARTS.len()];
    let mut groups = groups(&source, &mut rows)?;
    let output = outcomes(&folder.join("corpus-suite"), &mut groups)?;
    let mut faults = Vec::new();
    for (group, outcomes) in groups.iter().zip(&output) {
        rows[group.part].judge(group, outcomes, &mut faults);
    }
    for line in &faults {
        println!("{line}");
    }
    let cells: Vec<Vec<String>> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| row.cells(at))
        .collect();
    println!("\n{}", report::aligned(&HEAD, &cells, markdown));
    Ok(rows.iter().all(|row| {
        row.groups == row.compiled
            && row.changed + row.accepted_silently + row.refused_silently == 0
    }))
}

const HEAD: [&str; 7] = [
    "version",
    "schemas",
    "compiled",
    "values",
    "valid, refused",
    "invalid, accepted",
    "of these without a warning",
];

impl Row {
    fn cells(&self, part: usize) -> Vec<String> {
        let counts = [
            self.groups,
            self.compiled,
            self.values,
            self.refused,
            self.accepted,
            self.accepted_silently + self.refused_silently,
        ];
        let name = std::iter::once(PARTS[part].0.to_owned());
        name.chain(counts.map(|count| count.to_string())).collect()
    }

    fn judge(&mut self, group: &Group, outcomes: &[Option<String>], faults: &mut Vec<String>) {
        self.compiled += 1;
        let warnings = &group.outcome.warnings;
        for (test, outcome) in group.tests.iter().zip(outcomes) {
            self.values += 1;
            let what = match (test.valid, outcome) {
                (true, None) => {
                    self.refused += 1;
                    self.refused_silently += usize::from(warnings.is_empty());
                    "refused"
                }
                (false, Some(_)) => {
                    self.accepted += 1;
                    self.accepted_silently += usize::from(warnings.is_empty());
                    "accepted"
                }
                (true, Some(back)) if !is_same(&test.data, back) => {
                    self.changed += 1;
                    faults.push(format!("{}: {} became {back}", group.name, test.data));
                    continue;
                }
                _ => continue,
            };
            let about = &test.about;
            let line = format!(
                "{}, {about}: {} is {what}: {warnings:?}",
                group.name, test.data
            );
            faults.push(line);
        }
    }
}

/// Returns whether a text is the same value. Numbers may be written differently.
fn is_same(value: &Value, text: &str) -> bool {
    fn same(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            (Value::Object(a), Value::Object(b)) => {
                let found = |(name, value)| b.get(name).is_some_and(|other| same(value, other));
                a.len() == b.len() && a.iter().all(found)
            }
            (a, b) => a == b,
        }
    }
    serde_json::from_str(text).is_ok_and(|back| same(value, &back))
}

/// Downloads the suite with pip, unless it is there. Returns its folder.
fn download(folder: &Path, python: &Path) -> Result<PathBuf> {
    let list = workspace::root().join("lab/corpus/schemas/suite.txt");
    let wanted = workspace::read(&list)?;
    let target = folder.join("suite");
    let done = target.join("downloaded");
    let package = wanted.lines().find(|line| line.contains("=="));
    let package = package
        .context("suite.txt names a package")?
        .replace("==", "-");
    let tests = target.join(&package).join("json/tests");
    if fs::read_to_string(&done).is_ok_and(|old| old == wanted) {
        return Ok(tests);
    }
    fs::create_dir_all(&target)?;
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    pip.args(["--no-deps", "--no-binary", ":all:", "-r"])
        .arg(&list);
    process::run(pip.arg("-d").arg(&target))?;
    let script = "import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])";
    let mut unpack = Command::new(python);
    unpack
        .args(["-c", script])
        .arg(target.join(format!("{package}.tar.gz")));
    process::run(unpack.arg(&target))?;
    fs::write(&done, wanted)?;
    Ok(tests)
}

/// Generates the types for all schemas without references to other documents.
fn groups(source: &Path, rows: &mut [Row]) -> Result<Vec<Group>> {
    let project = Project::default();
    let options = super::shared_support();
    let mut groups = Vec::new();
    for (part, (_, folder)) in PARTS.iter().enumerate() {
        let mut files = workspace::files(&source.join(folder))?;
        files.retain(|file| file.parent().is_some_and(|parent| parent.ends_with(folder)));
        files.sort();
        for file in files {
            let stem = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if LEFT_OUT.contains(&stem.as_str()) {
                continue;
            }
            let all: Value = serde_json::from_str(&workspace::read(&file)?)?;
            for group in all.as_array().into_iter().flatten() {
                let name = format!("{folder}/{stem}: {}", group["description"]);
                let text = group["schema"].to_string();
                let outcome = match project.standalone("root", "root.json", &text, &options) {
                    Ok(outcome) if refers_to_others(&outcome) => continue,
                    Ok(outcome) => outcome,
                    Err(error) => {
                        rows[part].groups += 1;
                        println!("{name}: {error}");
                        continue;
                    }
                };
                rows[part].groups += 1;
                let tests = group["tests"].as_array().into_iter().flatten();
                let tests = tests.map(|test| Test {
                    about: test["description"].to_string(),
                    data: test["data"].clone(),
                    valid: test["valid"] == true,
                });
                groups.push(Group {
                    part,
                    name,
                    outcome,
                    tests: tests.collect(),
                });
            }
        }
    }
    Ok(groups)
}

/// Returns `true` for a schema with references to other documents.
fn refers_to_others(outcome: &Standalone) -> bool {
    let mut warnings = outcome.warnings.iter();
    warnings.any(|warning| warning.contains("is in another document"))
}

/// Compiles the types, and returns what becomes of the values of each group.
fn outcomes(package: &Path, groups: &mut Vec<Group>) -> Result<Vec<Vec<Option<String>>>> {
    let source = workspace::root().join("lab/corpus/suite");
    let modules = groups.iter().map(|group| batch::module(&group.outcome));
    let modules: Vec<Module> = modules.collect();
    let (program, failed) =
        batch::compile(&source, package, &modules, |failed| list(groups, failed))?;
    for at in failed.into_iter().rev() {
        println!("{} does not compile", groups[at].name);
        groups.remove(at);
    }
    let texts = |group: &Group| -> Vec<String> {
        let tests = group.tests.iter();
        tests.map(|test| test.data.to_string()).collect()
    };
    let data: Vec<Vec<String>> = groups.iter().map(texts).collect();
    let file = package.join("values.json");
    fs::write(&file, serde_json::to_string(&data)?)?;
    let output = batch::run(&program, &[workspace::text(&file)?])?;
    Ok(serde_json::from_str(&output)?)
}

/// Returns the source of the list of functions that decode and encode a value of each group.
fn list(groups: &[Group], failed: &BTreeSet<usize>) -> String {
    let mut list = String::from(
        "use corpus_suite::{groups, support::json};\n\n\
         type Through = fn(&str) -> Result<String, String>;\n\n\
         fn through<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) -> Result<String, String> {\n\
             let value: T = json::from_str(text).map_err(|error| error.to_string())?;\n\
             json::to_string(&value).map_err(|error| error.to_string())\n\
         }\n\npub const GROUPS: &[Through] = &[\n",
    );
    for (at, group) in groups.iter().enumerate() {
        let ty = match &group.outcome.root {
            _ if failed.contains(&at) => continue,
            Some(root) => format!("groups::g{at}::{root}"),
            None => "json::Value".to_owned(),
        };
        list.push_str(&format!("    through::<{ty}>,\n"));
    }
    list.push_str("];\n");
    list
}
