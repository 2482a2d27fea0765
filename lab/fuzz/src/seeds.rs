//! Initial inputs for targets whose input selects a type by number: the examples of the
//! documentation.

use std::fs;
use std::path::Path;

use mcp_types::Revision;
use mcp_types::json::{self, Object};
use mcp_types::registry;

/// The examples, by `<revision>/Type` or by `Type`.
const EXAMPLES: &str = include_str!("../../../schema/examples.json");

/// The environment variable with the folder for the inputs.
const FOLDER: &str = "FUZZ_SEEDS";

/// Writes the examples into the folder that the environment variable names, if it is set. `number`
/// gets the index of the revision, of the type in it, and of the type among all types, and returns
/// the bytes that precede the text.
///
/// # Panics
///
/// Panics if a file cannot be written.
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
            input.extend(
                json::to_string(example)
                    .expect("the example is JSON")
                    .into_bytes(),
            );
            let file = Path::new(&folder).join(format!("{revision}-{name}"));
            fs::write(file, input).expect("a file is written");
        }
        before += types.len();
    }
}
