//! Inputs to begin with, for targets whose input names a type by number: the examples of the
//! documentation.

use std::fs;
use std::path::Path;

use mcp_types::Revision;
use mcp_types::json::{self, Object};
use mcp_types::registry;

/// By revision and type, or by type alone.
const EXAMPLES: &str = include_str!("../../../schema/examples.json");

/// Where they are written to.
const FOLDER: &str = "FUZZ_SEEDS";

/// Writes the examples into the folder that the environment names, if it does. `number` is given the
/// place of a revision, of a type in it, and of that type among all, and says what stands in front of
/// a text.
///
/// # Panics
///
/// Where that fails.
pub fn write(number: impl Fn(usize, usize, usize) -> Vec<u8>) {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let examples: Object = json::from_str(EXAMPLES).expect("the examples are JSON");
    let mut before = 0;
    for (at, &revision) in Revision::ALL.iter().enumerate() {
        let types = registry::types(revision);
        for (place, entry) in types.iter().enumerate() {
            let name = entry.name();
            let own = examples.get(&format!("{revision}/{name}"));
            let Some(example) = own.or_else(|| examples.get(name)) else {
                continue;
            };
            let mut input = number(at, place, before + place);
            input.extend(json::to_string(example).expect("it is JSON").into_bytes());
            let file = Path::new(&folder).join(format!("{revision}-{name}"));
            fs::write(file, input).expect("a file is written");
        }
        before += types.len();
    }
}
