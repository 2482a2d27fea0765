//! [`Judge`]: whether a value is valid, by the published schema and by corrected ones.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use jsonschema::Validator;
use serde_json::{Value, json};
use xtask_support::workspace;

/// The validators of the types of a schema.
type Validators = BTreeMap<String, Validator>;

/// A schema, and the same with corrections.
pub(crate) struct Judge {
    document: Value,
    published: Validators,
    corrected: Validators,
    /// With one correction each, by its name.
    pub(crate) errata: Vec<(String, Validators)>,
}

impl Judge {
    /// Reads the published schema of a folder, and the corrections of this workspace.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let document: Value = serde_json::from_str(&workspace::read(&folder.join("schema.json"))?)?;
        let file = workspace::root().join("schema/errata/2026-07-28.json");
        let file: Value = serde_json::from_str(&workspace::read(&file)?)?;
        let mut corrected = document.clone();
        let mut errata = Vec::new();
        for erratum in file["errata"].as_array().context("a list of errata")? {
            let name = erratum["name"].as_str().context("an erratum has a name")?;
            let mut one = document.clone();
            for document in [&mut one, &mut corrected] {
                apply(erratum, document).with_context(|| name.to_owned())?;
            }
            errata.push((name.to_owned(), validators(&one)?));
        }
        Ok(Self {
            published: validators(&document)?,
            corrected: validators(&corrected)?,
            errata,
            document,
        })
    }

    pub(crate) fn is_published(&self, of: &str, value: &Value) -> Result<bool> {
        is_valid(&self.published, of, value)
    }

    pub(crate) fn is_corrected(&self, of: &str, value: &Value) -> Result<bool> {
        is_valid(&self.corrected, of, value)
    }

    /// Returns the members of a type that have one value only, such as `method`.
    pub(crate) fn constants(&self, of: &str) -> Vec<&str> {
        let members = self.document["$defs"][of]["properties"].as_object();
        let members = members.into_iter().flatten();
        let constants = members.filter(|(_, schema)| schema.get("const").is_some());
        constants.map(|(name, _)| name.as_str()).collect()
    }
}

pub(crate) fn is_valid(validators: &Validators, of: &str, value: &Value) -> Result<bool> {
    let validator = validators.get(of).with_context(|| of.to_owned())?;
    Ok(validator.is_valid(value))
}

fn apply(erratum: &Value, document: &mut Value) -> Result<()> {
    for change in erratum["changes"].as_array().context("changes")? {
        let at = change["at"].as_str().context("a pointer")?;
        let value = document.pointer_mut(&format!("/$defs{at}"));
        let value = value.with_context(|| format!("there is nothing at {at}"))?;
        let now = change.get("now").context("a new value")?;
        now.clone_into(value);
    }
    Ok(())
}

fn validators(document: &Value) -> Result<Validators> {
    let definitions = document["$defs"].as_object().context("no definitions")?;
    let of = |name: &String| -> Result<_> {
        let mut schema = document.clone();
        schema["$ref"] = json!(format!("#/$defs/{name}"));
        Ok((name.clone(), jsonschema::validator_for(&schema)?))
    };
    definitions.keys().map(of).collect()
}
