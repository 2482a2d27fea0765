//! Text at a revision, brought to the newest and back: what was read and written there is valid
//! there. The first byte chooses the revision, two more the type, the rest is its text.
#![no_main]

use fuzz::{head, number, revision, seeds, two};
use libfuzzer_sys::{Corpus, fuzz_target};
use mcp_types::registry::{self, RegistryError, convert_text};
use mcp_types::revision::Versioned;
use mcp_types::{
    CallToolRequestParams, CallToolResult, GetPromptResult, ListResourcesResult, ListToolsResult,
    ReadResourceResult, Revision,
};

fuzz_target!(init: seeds::write(first), |bytes: &[u8]| -> Corpus {
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
    there_and_back(from, entry.name(), text);
    typed::<CallToolRequestParams>(from, text);
    typed::<CallToolResult>(from, text);
    typed::<GetPromptResult>(from, text);
    typed::<ListResourcesResult>(from, text);
    typed::<ListToolsResult>(from, text);
    typed::<ReadResourceResult>(from, text);
    Corpus::Keep
});

fn first(revision: usize, of_revision: usize, _: usize) -> Vec<u8> {
    let revision = u8::try_from(revision).expect("there are few revisions");
    [&[revision], &*two(of_revision)].concat()
}

fn there_and_back(from: Revision, name: &str, text: &str) {
    let newest = match convert_text(from, Revision::LATEST, name, text) {
        Ok(newest) => newest,
        // What came out of a step must be text of the next one, so that only the first can fail so.
        Err(RegistryError::Decode(error)) => {
            let entry = registry::find(from, name).expect("the type is there");
            assert!(entry.round_trip(text).is_err(), "{from} {name}: {error}");
            return;
        }
        Err(_) => return,
    };
    let there = upwards(from, name).expect("it was converted");
    let entry = registry::find(Revision::LATEST, there).expect("the type is there");
    let valid = entry.round_trip(&newest);
    assert_eq!(valid.as_ref().ok(), Some(&newest), "{there}: {valid:?}");
    match convert_text(Revision::LATEST, from, there, &newest) {
        Ok(back) => {
            // A type can have come of several; one of them has the text.
            let types = registry::types(from).iter();
            let mut older = types.filter(|entry| upwards(from, entry.name()) == Some(there));
            let valid = older.any(|entry| entry.round_trip(&back).is_ok());
            assert!(valid, "{from} {name}: {back}");
        }
        Err(RegistryError::Decode(error)) => panic!("{from} {name}: {newest}: {error}"),
        Err(_) => {}
    }
}

/// The name of a type in the newest revision.
fn upwards(from: Revision, name: &str) -> Option<&'static str> {
    let mut entry = registry::find(from, name)?;
    let newer = Revision::ALL.iter().filter(|&&revision| revision > from);
    for &revision in newer {
        entry = registry::find(revision, entry.newer()?)?;
    }
    Some(entry.name())
}

/// What a revision's text was read as can be written there and read again.
fn typed<T: Versioned>(revision: Revision, text: &str) {
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
