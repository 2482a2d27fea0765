//! What the proposals about resources give whoever types.

use serde_json::Value;

use crate::{Printed, run, run_speaking};

/// What a command prints that goes well.
fn printed(arguments: &[&str]) -> String {
    let Printed { out, err, code } = run_speaking(arguments);
    assert_eq!((code, &*err), (Some(0), ""), "{out}");
    out
}

#[test]
fn metadata_is_shown_without_reading() {
    let expected = "test://known\n  known, text/plain, 5 bytes\n  type: document\n  kind: note\n  version: 7\n  \
                    modified: 2026-01-02T03:04:05Z\n  owner: \"Ada\"\n";
    assert_eq!(printed(&["metadata", "test://known"]), expected);
    let json = printed(&["metadata", "test://known", "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["resource"]["version"], "7");
    assert!(printed(&["metadata", "test://dir"]).contains("type: collection"));

    let missing = run_speaking(&["metadata", "test://missing"]);
    assert_eq!(missing.code, Some(4), "{missing:?}");
}

#[test]
fn metadata_comes_from_the_list_where_there_is_no_other_way() {
    let shown = run(&["metadata", "test://bytes"]);
    assert_eq!(
        shown.out,
        "test://bytes\n  bytes, application/octet-stream, 4 bytes\n"
    );
    let missing = run(&["metadata", "test://missing"]);
    assert_eq!(missing.code, Some(4), "{missing:?}");
    assert!(missing.err.contains("`test://missing`"), "{missing:?}");
}

#[test]
fn a_collection_is_shown_as_a_tree() {
    assert_eq!(
        printed(&["tree", "test://dir"]),
        "a.txt  [3 bytes]\nb/\n  c\n"
    );
    assert_eq!(
        printed(&["tree", "test://dir", "--depth", "1"]),
        "a.txt  [3 bytes]\nb/\n"
    );
    let json = printed(&["tree", "test://dir", "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["resources"][2]["uri"], "test://dir/b/c");

    let all = printed(&["tree"]);
    assert!(all.contains("dir/\n  b/\n"), "{all}");
    // A server that lists no collections.
    let fault = run(&["tree", "test://dir"]);
    assert_eq!(fault.code, Some(4), "{fault:?}");
    assert!(fault.err.contains("sep-2093"), "{fault:?}");
}

#[test]
fn a_form_is_chosen_by_its_media_type() {
    assert_eq!(
        printed(&["read", "test://forms", "--as", "text/plain"]),
        "Hello"
    );
    assert_eq!(printed(&["read", "test://forms"]), "<p>HelloHello");
    let json = printed(&["read", "test://forms", "--as", "text/html", "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["text"], "<p>Hello");
    let none = run_speaking(&["read", "test://forms", "--as", "image/*"]);
    assert_eq!(none.code, Some(4), "{none:?}");
    assert!(none.err.contains("text/html, text/plain"), "{none:?}");
}
