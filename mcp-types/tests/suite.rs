//! All integration tests of the crate, except those that need a process of their own.
//!
//! One test binary instead of one for each file: the code that decodes and encodes all types is
//! compiled and linked once. A new file of tests is declared here.

use std::path::Path;

mod common;
mod draw;

mod agreement;
mod conversion_meta;
mod conversions;
mod draw_self_test;
mod error_paths;
mod error_rules;
mod forms;
mod items;
mod json_base64;
mod json_decode;
mod json_properties;
mod json_text;
mod json_values;
mod json_with_text;
mod json_writing;
mod kept;
mod message_shapes;
mod messages;
mod negative;
mod numbers;
mod published;
mod rpc_faults;
mod rpc_messages;
mod rpc_tracker;
mod user_schemas;
mod validation;
mod variants;
mod versioned;
mod wire_header_params;
mod wire_header_values;
mod wire_headers;
mod wire_lines;
mod wire_sse;

/// The file whose tests are a binary of their own, because they count the memory of the process.
const ALONE: &str = "allocations";

#[test]
fn each_file_of_tests_is_declared() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = std::fs::read_to_string(folder.join("suite.rs")).unwrap();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_none_or(|extension| extension != "rs") || name == ALONE {
            continue;
        }
        let declared = text.lines().any(|line| line == format!("mod {name};"));
        assert!(
            declared || name == "suite",
            "`mod {name};` is missing in suite.rs"
        );
    }
}
