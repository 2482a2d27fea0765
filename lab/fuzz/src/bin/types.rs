//! All types of all revisions: both decoders agree, and an accepted text is encoded without a
//! change. The first two bytes select the type, the rest is the text.
#![no_main]

use fuzz::same::same_content;
use fuzz::{head, number, seeds, to_bytes};
use libfuzzer_sys::{Corpus, fuzz_target};
use mcp_types::Revision;
use mcp_types::json::{self, Value};
use mcp_types::registry::{self, Entry};

fuzz_target!(init: seeds::write(|_, _, of_all| to_bytes(of_all)), |bytes: &[u8]| -> Corpus {
    let (choice, text) = head(bytes, 2);
    let Ok(text) = std::str::from_utf8(text) else {
        return Corpus::Reject;
    };
    let entry = choose(number(choice));
    let kind = (entry.name(), entry.home());
    let direct = entry.round_trip(text);
    let Ok(value) = json::from_str::<Value>(text) else {
        assert!(direct.is_err(), "{kind:?} accepts an invalid value");
        return Corpus::Keep;
    };
    let indirect = entry.round_trip_value(value.clone());
    assert_eq!(
        direct.as_ref().ok(),
        indirect.as_ref().ok(),
        "{kind:?} by text and by value: {direct:?} {indirect:?}"
    );
    if let Ok(written) = direct {
        let back: Value = json::from_str(&written).expect("the encoded text is JSON");
        assert!(same_content(&value, &back), "{kind:?} was written as {written}");
        let again = entry.round_trip(&written);
        assert_eq!(again.as_ref().ok(), Some(&written), "{kind:?}: {again:?}");
    }
    Corpus::Keep
});

fn choose(number: usize) -> &'static Entry {
    let all = || Revision::ALL.iter().flat_map(|&r| registry::types(r));
    let count = all().count();
    all().nth(number % count).expect("there are types")
}
