//! Text of a revision, converted to the newest one and back: the result is valid at that revision.
//! The first byte selects the revision, the next two the type, the rest is the text.
#![no_main]

use fuzz::{head, number, revision, seeds, to_bytes};
use libfuzzer_sys::{Corpus, fuzz_target};
use mcp_types::registry::{self, RegistryError, convert_text};
use mcp_types::revision::Versioned;
use mcp_types::{
    CallToolRequestParams, CallToolResult, GetPromptResult, ListResourcesResult, ListToolsResult,
    ReadResourceResult, Revision,
};

fuzz_target!(init: seeds::write(seed_prefix), |bytes: &[u8]| -> Corpus {
    let (choice, text) = head(bytes, 3);
    let Ok(text) = std::str::from_utf8(text) else {
        return Corpus::Reject;
    };
    let (first, kind) = head(choice, 1);
    let from = revision(first.first().copied().unwrap_or_default());
    let types = registry::types(from);
    let Some(entry) = types.get(number(kind) % types.len().max(1)) else {
        return Corpus::Reject;
    };
    check_round_trip(from, entry.name(), text);
    check_typed::<CallToolRequestParams>(from, text);
    check_typed::<CallToolResult>(from, text);
    check_typed::<GetPromptResult>(from, text);
    check_typed::<ListResourcesResult>(from, text);
    check_typed::<ListToolsResult>(from, text);
    check_typed::<ReadResourceResult>(from, text);
    Corpus::Keep
});

fn seed_prefix(revision: usize, of_revision: usize, _: usize) -> Vec<u8> {
    let revision = u8::try_from(revision).expect("there are few revisions");
    [&[revision], &*to_bytes(of_revision)].concat()
}

fn check_round_trip(from: Revision, name: &str, text: &str) {
    let newest = match convert_text(from, Revision::LATEST, name, text) {
        Ok(newest) => newest,
        // The output of a step is valid for the next one, so only the first step can fail to
        // decode.
        Err(RegistryError::Decode(error)) => {
            let entry = registry::find(from, name).expect("the type exists");
            assert!(entry.round_trip(text).is_err(), "{from} {name}: {error}");
            return;
        }
        Err(_) => return,
    };
    let there = registry::convert_name(from, Revision::LATEST, name)
        .expect("the type exists in the newest revision");
    let entry = registry::find(Revision::LATEST, there).expect("the type exists");
    let valid = entry.round_trip(&newest);
    assert_eq!(valid.as_ref().ok(), Some(&newest), "{there}: {valid:?}");
    match convert_text(Revision::LATEST, from, there, &newest) {
        Ok(back) => {
            // Several types of the older revision may convert to this one; at least one of them
            // accepts the text.
            let types = registry::types(from).iter();
            let mut older = types.filter(|entry| {
                registry::convert_name(from, Revision::LATEST, entry.name()) == Some(there)
            });
            let valid = older.any(|entry| entry.round_trip(&back).is_ok());
            assert!(valid, "{from} {name}: {back}");
        }
        Err(RegistryError::Decode(error)) => panic!("{from} {name}: {newest}: {error}"),
        Err(_) => {}
    }
}

/// Checks that a value decoded at a revision can be encoded at it and decoded again.
fn check_typed<T: Versioned>(revision: Revision, text: &str) {
    let Ok(value) = revision.decode::<T>(text) else {
        return;
    };
    let Ok(written) = revision.encode_text(value) else {
        return;
    };
    let again = revision.decode::<T>(&written);
    let again = again.unwrap_or_else(|error| panic!("{revision}: {written}: {error}"));
    let rewritten = revision.encode_text(again).ok();
    assert_eq!(rewritten, Some(written), "{revision}");
}
