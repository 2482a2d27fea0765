//! `cargo xtask corpus`: generates types for schemas of other projects, and checks them.

#[macro_use(println)]
extern crate xtask_support;

mod batch;
mod others;
mod report;
mod source;
mod store;
mod suite;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, mem};

use anyhow::{Context as _, Result};
use clap::Parser;
use codegen::project::{Project, ProjectError, Standalone, StandaloneOptions};
use codegen::schema::{Dialect, walk, walk_mut};
use serde_json::{Map, Value};

use self::batch::Module;
use self::report::Row;
use self::source::Packages;
use xtask_support::{node, process, python, workspace};

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
/// they express disagree about a value. `lab/corpus/schemas/sources.json` lists the schemas.
#[derive(Parser)]
#[command(bin_name = "cargo xtask corpus")]
struct Options {
    /// Only two small schemas
    #[arg(long)]
    quick: bool,
    /// Also a sample of the public collection schemastore.org
    #[arg(long)]
    all: bool,
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

fn main() -> ExitCode {
    process::exit_code(run(&Options::parse()))
}

/// Runs the command.
fn run(options: &Options) -> Result<bool> {
    let sources = source::chosen(&options.names, options.quick)?;
    let Some(packages) = Packages::install(&sources)? else {
        return Ok(true);
    };
    let markdown = options.format == "markdown";
    if options.suite {
        return suite::run(&packages.folder, &packages.python, markdown);
    }
    let mut files: Vec<(String, PathBuf)> = sources
        .iter()
        .map(|source| (source.about.clone(), packages.file(source)))
        .collect();
    if options.all {
        files.extend(store::schemas(&packages.site)?);
    }
    let mut rows = Vec::new();
    let (mut schemas, mut types) = (Vec::new(), 0);
    for (about, file) in &files {
        match Schema::generate(about, file) {
            Ok(schema) => {
                types += schema.outcome.types;
                schemas.push(schema);
            }
            Err(error) => {
                let kind = error.downcast_ref::<ProjectError>();
                rows.push(Row {
                    // A file that is not a schema has to be refused.
                    is_valid: !matches!(kind, Some(ProjectError::Schema(_))),
                    ..Row::failed(about, &format!("{error:#}"))
                });
            }
        }
        if types > BATCH {
            rows.extend(check(&mem::take(&mut schemas), &packages, options.cases)?);
            types = 0;
        }
    }
    rows.extend(check(&schemas, &packages, options.cases)?);
    println!("\n{}", report::table(&rows, markdown));
    println!("\n{}", report::sum(&rows));
    if options.all {
        println!("\n{}", others::compare(&files[sources.len()..], &packages)?);
    }
    let mut faults = rows.iter().filter(|row| row.is_valid);
    Ok(faults.all(|row| row.disagreements == 0 && row.failure.is_none()))
}

/// The number of types in a crate from which on it has no further schemas.
const BATCH: usize = 1500;

/// A schema with the types that were generated for it.
struct Schema {
    about: String,
    bytes: usize,
    outcome: Standalone,
}

impl Schema {
    fn generate(about: &str, file: &Path) -> Result<Self> {
        println!("== {about}");
        let text = workspace::read(file)?;
        let outcome =
            Project::default().standalone("root", "root.json", &text, &shared_support())?;
        Ok(Self {
            about: about.to_owned(),
            bytes: text.len(),
            outcome,
        })
    }

    /// Writes what the check needs to know.
    fn write(&self, file: &Path) -> Result<()> {
        let outcome = &self.outcome;
        let reaching = |found| -> Vec<String> {
            let names = reaching(&outcome.originals, found);
            names.iter().map(|name| plain(name)).collect()
        };
        let about = serde_json::json!({
            "expressed": understood(&outcome.definitions),
            "original": local(&outcome.originals),
            "loose": reaching(&outcome.loose),
            "narrow": reaching(&outcome.narrow),
            "draft07": outcome.dialect == Dialect::Draft07,
        });
        fs::write(file, about.to_string())?;
        Ok(())
    }
}

/// Returns the options for modules of one crate.
fn shared_support() -> StandaloneOptions {
    StandaloneOptions {
        support: Some("crate::support".to_owned()),
        ..StandaloneOptions::default()
    }
}

/// Compiles and checks the types of several schemas.
fn check(schemas: &[Schema], packages: &Packages, cases: u64) -> Result<Vec<Row>> {
    let root = workspace::root();
    let package = packages.folder.join("corpus-check");
    let draw = root.join("mcp-types/tests/draw");
    workspace::copy(&draw, &package.join("src/draw"))?;
    let modules = schemas.iter().map(|schema| batch::module(&schema.outcome));
    let modules: Vec<Module> = modules.collect();
    let source = root.join("lab/corpus/check");
    let (program, failed) =
        batch::compile(&source, &package, &modules, |failed| list(schemas, failed))?;
    let mut rows = Vec::new();
    for (at, schema) in schemas.iter().enumerate() {
        if failed.contains(&at) {
            rows.push(Row::failed(&schema.about, "does not compile"));
            continue;
        }
        let file = package.join("schema.json");
        schema.write(&file)?;
        let arguments = [&at.to_string(), workspace::text(&file)?, &cases.to_string()];
        let output = match batch::run(&program, &arguments) {
            Ok(output) => output,
            Err(error) => {
                rows.push(Row::failed(&schema.about, &error.to_string()));
                continue;
            }
        };
        let counts: Value = serde_json::from_str(output.trim())
            .with_context(|| format!("the check printed {output:?}"))?;
        let count = |name: &str| counts[name].as_u64().unwrap_or_default();
        let row = Row {
            about: schema.about.clone(),
            bytes: schema.bytes,
            types: schema.outcome.types,
            warnings: schema.outcome.warnings.len(),
            values: count("values"),
            valid: count("valid"),
            refused: count("refused"),
            accepted: count("accepted"),
            disagreements: count("disagreements"),
            failure: None,
            is_valid: true,
        };
        println!("{}", row.text());
        rows.push(row);
    }
    Ok(rows)
}

/// Returns the source of the lists of types: by schema, then by their names in the schema.
fn list(schemas: &[Schema], failed: &BTreeSet<usize>) -> String {
    let mut text = String::from(
        "//! The types by the names of their definitions.\n\n\
         use corpus_check::{groups, support::json};\n\n\
         type Through = fn(&str) -> Result<String, String>;\n\n\
         fn through<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) -> Result<String, String> {\n\
             let value: T = json::from_str(text).map_err(|error| error.to_string())?;\n\
             json::to_string(&value).map_err(|error| error.to_string())\n\
         }\n\npub const SCHEMAS: &[&[(&str, Through)]] = &[\n",
    );
    for (at, schema) in schemas.iter().enumerate() {
        text.push_str("    &[\n");
        let names = schema.outcome.names.iter();
        for (name, ident) in names.filter(|_| !failed.contains(&at)) {
            let name = plain(name);
            text.push_str(&format!(
                "        ({name:?}, through::<groups::g{at}::{ident}>),\n"
            ));
        }
        text.push_str("    ],\n");
    }
    text.push_str("];\n");
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
            // Content is not checked, like formats.
            let left_out = [
                "$id",
                "id",
                "$schema",
                "contentEncoding",
                "contentMediaType",
            ];
            members.retain(|keyword, _| !left_out.contains(&keyword.as_str()));
        });
    }
    with_plain_names(all)
}
