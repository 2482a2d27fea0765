//! `cargo xtask corpus`: generates types for schemas of other projects, and checks them.

mod report;
mod source;
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use clap::Args;
use codegen::schema::{Dialect, walk, walk_mut};
use serde_json::{Map, Value};

use self::report::Row;
use self::source::{Packages, Source};
use crate::{process, workspace};

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

/// Generates types for schemas of other projects, and checks them
///
/// Installs packages that contain the schemas, generates types for each, compiles them without
/// warnings, and checks them with instances that are drawn from the schema, and with mutants of
/// these. Prints a table; fails if a schema cannot be generated or compiled, or if the types and what
/// they express disagree about a value. `xtask/corpus/sources.json` lists the schemas.
#[derive(Args)]
pub(crate) struct Options {
    /// Only two small schemas
    #[arg(long)]
    quick: bool,
    /// The JSON-Schema-Test-Suite instead
    #[arg(long, conflicts_with_all = ["quick", "names"])]
    suite: bool,
    /// Instances for each definition
    #[arg(long, value_name = "N", default_value = "32")]
    cases: u64,
    /// How the table is printed
    #[arg(long, value_parser = ["text", "markdown"], default_value = "text")]
    format: String,
    /// The only schemas
    names: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let sources = source::chosen(&options.names, options.quick)?;
    let Some(packages) = Packages::install(&sources)? else {
        return Ok(true);
    };
    let markdown = options.format == "markdown";
    if options.suite {
        return suite::run(&packages.folder, &packages.python, markdown);
    }
    let mut rows = Vec::new();
    for source in &sources {
        println!("\n== {}", source.name);
        let row = check(source, &packages, options.cases).with_context(|| source.name.clone())?;
        println!("{}", row.text());
        rows.push(row);
    }
    println!("\n{}", report::table(&rows, markdown));
    Ok(rows.iter().all(|row| row.disagreements == 0))
}

/// Generates, compiles and checks the types of one schema.
fn check(source: &Source, packages: &Packages, cases: u64) -> Result<Row> {
    let file = packages.file(source);
    let text = workspace::read(&file)?;
    let name = source.name.as_str();
    let folder = packages.folder.join("check");
    let outcome = workspace::project()?.standalone(name, &format!("{name}.json"), &text, None)?;

    let root = workspace::root();
    workspace::copy(&root.join("xtask/corpus/check"), &folder)?;
    let draw = root.join("mcp-types/tests/draw");
    workspace::copy(&draw, &folder.join("src/draw"))?;
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
        let names = reaching(&outcome.originals, found);
        names.iter().map(|name| plain(name)).collect()
    };
    let marked = serde_json::json!({
        "loose": reaching(&outcome.loose),
        "narrow": reaching(&outcome.narrow),
        "draft07": outcome.dialect == Dialect::Draft07,
    });
    fs::write(&lists, marked.to_string())?;

    let arguments = [
        "run",
        "--quiet",
        "--",
        workspace::text(&expressed)?,
        workspace::text(&original)?,
        workspace::text(&lists)?,
        &cases.to_string(),
    ];
    let output = cargo(&folder, &arguments)?;
    let counts: Value = serde_json::from_str(output.trim())
        .with_context(|| format!("the check printed {output:?}"))?;
    let count = |name: &str| counts[name].as_u64().unwrap_or_default();
    Ok(Row {
        about: source.about.clone(),
        bytes: text.len(),
        types: outcome.types,
        warnings: outcome.warnings.len(),
        values: count("values"),
        valid: count("valid"),
        refused: count("refused"),
        accepted: count("accepted"),
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

fn cargo(folder: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(workspace::cargo());
    command.args(arguments).current_dir(folder);
    command.stderr(Stdio::inherit());
    command.env("RUSTFLAGS", "-D warnings");
    process::output(command.env("CARGO_TARGET_DIR", folder.with_file_name("target")))
}
