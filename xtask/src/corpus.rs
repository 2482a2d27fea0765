//! `cargo xtask corpus`: generates types for schemas of other projects, and checks them.

mod report;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use codegen::schema::{Dialect, walk, walk_mut};
use serde_json::{Map, Value};

use self::report::Row;
use self::source::{Packages, Source};
use crate::workspace;

const USAGE: &str = "\
usage: cargo xtask corpus [--quick] [--cases N] [--format text|markdown] [NAME]...

  Installs packages that contain schemas of other projects, generates types for each schema, compiles
  them without warnings, and checks them with instances that are drawn from the schema, and with
  mutants of these. Prints a table; fails if a schema cannot be generated or compiled, or if the types
  and what they express disagree about a value. `xtask/corpus/sources.json` lists the schemas.

  --quick            two small schemas
  --cases N          instances for each definition, by default 32
  --format markdown  the table for docs/corpus.md";

/// The keywords that the generator of instances understands.
const UNDERSTOOD: [&str; 21] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minimum",
    "not",
    "properties",
    "required",
    "type",
    "uniqueItems",
];

struct Options {
    quick: bool,
    cases: u64,
    markdown: bool,
    names: Vec<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            quick: false,
            cases: 32,
            markdown: false,
            names: Vec::new(),
        };
        let mut words = arguments.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match (word, word.starts_with('-')) {
                ("--quick", _) => options.quick = true,
                ("--cases", _) => options.cases = words.next().context(USAGE)?.parse()?,
                ("--format", _) => options.markdown = words.next() == Some("markdown"),
                (_, true) => bail!("{USAGE}"),
                (name, false) => options.names.push(name.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let options = Options::parse(arguments)?;
    let sources = source::chosen(&options.names, options.quick)?;
    let Some(packages) = Packages::install(&sources)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut rows = Vec::new();
    for source in &sources {
        println!("\n== {}", source.name);
        let row = check(source, &packages, options.cases).with_context(|| source.name.clone())?;
        println!("{}", row.text());
        rows.push(row);
    }
    println!("\n{}", report::table(&rows, options.markdown));
    Ok(if rows.iter().all(|row| row.disagreements == 0) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Generates, compiles and checks the types of one schema.
fn check(source: &Source, packages: &Packages, cases: u64) -> Result<Row> {
    let file = packages.file(source);
    let text = workspace::read(&file)?;
    let name = source.name.as_str();
    let folder = packages.folder.join("check");
    let outcome = workspace::project()?.standalone(name, &format!("{name}.json"), &text, None)?;

    copy(&workspace::root().join("xtask/corpus/check"), &folder)?;
    copy(
        &workspace::root().join("mcp-types/tests/draw"),
        &folder.join("src/draw"),
    )?;
    let generated = folder.join("src/generated");
    if generated.is_dir() {
        fs::remove_dir_all(&generated)?;
    }
    crate::codegen::write_module(&outcome, &generated)?;
    fs::write(folder.join("src/list.rs"), list(&outcome.names))?;
    let expressed = folder.join("expressed.json");
    let original = folder.join("original.json");
    fs::write(&expressed, understood(&outcome.definitions).to_string())?;
    fs::write(&original, local(&outcome.originals).to_string())?;

    let lists = folder.join("lists.json");
    let reaching = |found| -> Vec<String> {
        let names = reaching(&outcome.definitions, found);
        names.iter().map(|name| plain(name)).collect()
    };
    let marked = serde_json::json!({
        "loose": reaching(&outcome.loose),
        "narrow": reaching(&outcome.narrow),
        "draft07": outcome.dialect == Dialect::Draft07,
    });
    fs::write(&lists, marked.to_string())?;

    cargo(&folder, &["build", "--quiet"], None)?;
    let arguments = [
        "run".to_owned(),
        "--quiet".to_owned(),
        "--".to_owned(),
        expressed.display().to_string(),
        original.display().to_string(),
        lists.display().to_string(),
        cases.to_string(),
    ];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut output = String::new();
    cargo(&folder, &arguments, Some(&mut output))?;
    let counts: Value = serde_json::from_str(output.trim())
        .with_context(|| format!("the check printed {output:?}"))?;
    let count = |name: &str| counts[name].as_u64().unwrap_or_default();
    Ok(Row {
        about: source.about.clone(),
        bytes: text.len(),
        types: outcome.types,
        warnings: outcome.warnings.len(),
        instances: count("instances"),
        original: count("original"),
        refused: count("refused"),
        disagreements: count("disagreements"),
    })
}

/// Returns the source of a function that decodes and encodes a type by its name in the schema.
fn list(names: &BTreeMap<String, String>) -> String {
    let mut text = String::from(
        "//! The types by the names of their definitions.\n\n\
         use corpus_check::generated::{self, support::json};\n\n",
    );
    let all = names.keys().map(|name| format!("    {:?},\n", plain(name)));
    let all: Vec<String> = all.collect();
    text.push_str(&format!(
        "pub const NAMES: &[&str] = &[\n{}];\n\n",
        all.concat()
    ));
    text.push_str(
        "fn through<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) -> Result<String, String> {\n\
             let value: T = json::from_str(text).map_err(|error| error.to_string())?;\n\
             json::to_string(&value).map_err(|error| error.to_string())\n\
         }\n\n\
         pub fn round_trip(name: &str, text: &str) -> Result<String, String> {\n    match name {\n",
    );
    for (name, ident) in names {
        text.push_str(&format!(
            "        {:?} => through::<generated::{ident}>(text),\n",
            plain(name)
        ));
    }
    text.push_str("        other => Err(format!(\"no type {other}\")),\n    }\n}\n");
    text
}

/// Returns the definitions from which references lead to one of these.
fn reaching(definitions: &Map<String, Value>, found: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = found.clone();
    loop {
        let before = found.len();
        for (name, schema) in definitions {
            let mut leads = false;
            walk(schema, "", &mut |_, members| {
                let target = members.get("$ref").and_then(Value::as_str);
                let target = target.and_then(|target| target.strip_prefix("#/$defs/"));
                leads |= target.is_some_and(|target| found.contains(target));
            });
            if leads {
                found.insert(name.clone());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Returns the name of a definition in a form that a reference may contain as it is.
fn plain(name: &str) -> String {
    let mut plain = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            plain.push(c);
        } else {
            plain.push_str(&format!("_{:x}", u32::from(c)));
        }
    }
    plain
}

/// Gives definitions, and the references to them, plain names.
fn with_plain_names(definitions: Map<String, Value>) -> Value {
    let plain_names = definitions.into_iter().map(|(name, mut schema)| {
        walk_mut(&mut schema, &mut |members| {
            let target = members.get("$ref").and_then(Value::as_str);
            if let Some(target) = target.and_then(|target| target.strip_prefix("#/$defs/")) {
                let reference = format!("#/$defs/{}", plain(target));
                members.insert("$ref".to_owned(), reference.into());
            }
        });
        (plain(&name), schema)
    });
    Value::Object(plain_names.collect())
}

/// Returns definitions with nothing but what the generator of instances understands. Types do not
/// check that exactly one alternative matches.
fn understood(definitions: &Map<String, Value>) -> Value {
    let mut all = definitions.clone();
    for schema in all.values_mut() {
        walk_mut(schema, &mut |members| {
            if let Some(one_of) = members.shift_remove("oneOf") {
                members.insert("anyOf".to_owned(), one_of);
            }
            members.retain(|keyword, _| UNDERSTOOD.contains(&keyword.as_str()));
        });
    }
    with_plain_names(all)
}

/// Returns definitions without references to other documents.
fn local(definitions: &Map<String, Value>) -> Value {
    let mut all = definitions.clone();
    for schema in all.values_mut() {
        walk_mut(schema, &mut |members| {
            let reference = members.get("$ref").and_then(Value::as_str);
            if reference.is_some_and(|reference| !reference.starts_with("#/$defs/")) {
                members.shift_remove("$ref");
            }
            members.retain(|keyword, _| !matches!(keyword.as_str(), "$id" | "id" | "$schema"));
        });
    }
    with_plain_names(all)
}

fn cargo(folder: &Path, arguments: &[&str], output: Option<&mut String>) -> Result<()> {
    let mut command = Command::new(workspace::cargo());
    command
        .args(arguments)
        .current_dir(folder)
        .env("RUSTFLAGS", "-D warnings")
        .env("CARGO_TARGET_DIR", folder.with_file_name("target"))
        .stderr(Stdio::inherit());
    let result = command.output().context("cannot run cargo")?;
    if !result.status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    if let Some(output) = output {
        *output = String::from_utf8(result.stdout).context("the output is not UTF-8")?;
    }
    Ok(())
}

fn copy(from: &Path, to: &PathBuf) -> Result<()> {
    fs::create_dir_all(to).with_context(|| workspace::display_path(to))?;
    for entry in fs::read_dir(from).with_context(|| workspace::display_path(from))? {
        let path = entry?.path();
        let Some(name) = path.file_name() else {
            continue;
        };
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            let text = fs::read(&path)?;
            let target = to.join(name);
            // An unchanged file is not compiled again.
            if fs::read(&target).is_ok_and(|old| old == text) {
                continue;
            }
            fs::write(&target, text).with_context(|| workspace::display_path(&target))?;
        }
    }
    Ok(())
}
