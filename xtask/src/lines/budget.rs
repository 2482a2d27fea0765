//! `cargo xtask lines --check`: the lines of code, features and conditions that each package may have.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use super::{Lines, is_generated};
use crate::workspace;

/// The file with the budget.
const FILE: &str = "xtask/budget.json";

/// What a package has, or may have at most.
#[derive(Default)]
struct Weight {
    /// Lines of code in `src` that are neither generated nor tests.
    code: usize,
    /// Cargo features, without `default`.
    features: usize,
    /// Lines with `cfg(feature` or `cfg_attr(feature`.
    conditions: usize,
}

impl Weight {
    /// Reads the most that a package may have.
    fn read(value: &Value) -> Option<Self> {
        let number = |member: &str| usize::try_from(value.get(member)?.as_u64()?).ok();
        Some(Self {
            code: number("code")?,
            features: number("features")?,
            conditions: number("conditions")?,
        })
    }
}

/// Returns the packages that have more than the budget says, or that it does not name.
pub(crate) fn exceeded() -> Result<Vec<String>> {
    let text = workspace::read(&workspace::root().join(FILE))?;
    let budget: Map<String, Value> = serde_json::from_str(&text).context(FILE)?;
    let mut faults = Vec::new();
    let packages = Package::all()?;
    for package in &packages {
        let Some(most) = budget.get(&package.name).and_then(Weight::read) else {
            faults.push(format!(
                "{FILE}: `{}` needs `code`, `features` and `conditions`",
                package.name
            ));
            continue;
        };
        let has = package.weight()?;
        for (what, has, most) in [
            ("lines of code", has.code, most.code),
            ("features", has.features, most.features),
            ("lines with `cfg(feature`", has.conditions, most.conditions),
        ] {
            if has > most {
                let since = match what {
                    "lines of code" => package.since(has - most)?,
                    _ => String::new(),
                };
                faults.push(format!(
                    "`{}` has {has} {what}, {} more than {FILE} permits{since}",
                    package.name,
                    has - most
                ));
            }
        }
    }
    let is_unknown = |name: &&String| packages.iter().all(|package| package.name != **name);
    let unknown = budget.keys().filter(is_unknown);
    faults.extend(unknown.map(|name| format!("{FILE}: there is no package `{name}`")));
    Ok(faults)
}

/// Prints the budget that fits exactly.
pub(super) fn print() -> Result<()> {
    let mut all = Map::new();
    for package in Package::all()? {
        let Weight {
            code,
            features,
            conditions,
        } = package.weight()?;
        let weight = json!({ "code": code, "features": features, "conditions": conditions });
        all.insert(package.name, weight);
    }
    println!("{}", serde_json::to_string_pretty(&all)?);
    Ok(())
}

struct Package {
    name: String,
    /// The folder of its sources, relative to the root.
    sources: String,
    features: usize,
}

impl Package {
    fn all() -> Result<Vec<Self>> {
        let metadata = workspace::metadata(&["--no-deps"])?;
        workspace::packages(&metadata).map(Self::read).collect()
    }

    fn read(package: &Value) -> Result<Self> {
        let text = |member: &str| package[member].as_str().context("cargo names no package");
        let folder = Path::new(text("manifest_path")?)
            .parent()
            .unwrap_or(Path::new(""));
        let sources = workspace::display_path(&folder.join("src"));
        let features = package["features"].as_object();
        let features = features.into_iter().flatten();
        Ok(Self {
            name: text("name")?.to_owned(),
            sources,
            features: features.filter(|(name, _)| *name != "default").count(),
        })
    }

    fn weight(&self) -> Result<Weight> {
        let mut weight = Weight {
            features: self.features,
            ..Weight::default()
        };
        for file in workspace::known_files(&[&format!("{}/*.rs", self.sources)])? {
            if is_generated(&file) {
                continue;
            }
            let text = workspace::read(&workspace::root().join(&file))?;
            weight.code += Lines::of(&file, &text).code;
            let is_condition = |line: &&str| line.contains("cfg") && line.contains("feature = \"");
            weight.conditions += text.lines().filter(is_condition).count();
        }
        Ok(weight)
    }

    /// Returns since which commit the package has more lines than it may have, for a message. Empty
    /// if there is no history. Counts lines of tests as well, of which there are few in `src`.
    fn since(&self, excess: usize) -> Result<String> {
        let count = |commit: &str| -> Result<usize> {
            let pattern = r"^\s*(//.*)?$";
            let files = format!("{}/*.rs", self.sources);
            let counts = workspace::git(&["grep", "-hcvE", pattern, commit, "--", &files])?;
            Ok(counts
                .lines()
                .filter_map(|line| line.parse::<usize>().ok())
                .sum())
        };
        let commits = ["log", "--format=%h", "-100", "--", &self.sources];
        let commits = workspace::git(&commits).unwrap_or_default();
        let mut commits = commits.lines();
        let Some(mut newest) = commits.next() else {
            return Ok(String::new());
        };
        let most = count("HEAD")?.saturating_sub(excess);
        for older in commits {
            if count(older)? <= most {
                break;
            }
            newest = older;
        }
        let subject = workspace::git(&["log", "--format=%h %s", "-1", newest])?;
        Ok(format!(", since {}", subject.trim()))
    }
}
