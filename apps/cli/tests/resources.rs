//! Commands that use the proposals for resources.

use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

use super::{Served, run, run_with_proposals};

/// Returns the output of a command that succeeds.
fn printed(arguments: &[&str]) -> String {
    let Printed { out, err, code } = run_with_proposals(arguments);
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

    let missing = run_with_proposals(&["metadata", "test://missing"]);
    assert_eq!(missing.code, Some(4), "{missing:?}");
}

#[test]
fn metadata_falls_back_to_the_list() {
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
fn collection_is_shown_as_a_tree() {
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
    let expected = "dir/\n  a.txt  [3 bytes]\n  b/\n    c\n";
    assert!(all.contains(expected), "{all}");
    // A server without collections.
    let fault = run(&["tree", "test://dir"]);
    assert_eq!(fault.code, Some(4), "{fault:?}");
    assert!(fault.err.contains("sep-2093"), "{fault:?}");
}

#[test]
fn contents_are_selected_by_media_type() {
    assert_eq!(
        printed(&["read", "test://forms", "--as", "text/plain"]),
        "Hello"
    );
    assert_eq!(
        printed(&["read", "test://forms"]),
        "[test://forms, text/html, 8 bytes]\n<p>Hello\n\n[test://forms, text/plain, 5 bytes]\nHello\n"
    );
    let json = printed(&["read", "test://forms", "--as", "text/html", "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["text"], "<p>Hello");
    let none = run_with_proposals(&["read", "test://forms", "--as", "image/*"]);
    assert_eq!(none.code, Some(4), "{none:?}");
    assert!(none.err.contains("text/html, text/plain"), "{none:?}");
}

#[test]
fn content_is_fetched_by_its_url_into_a_file() {
    let folder = Folder::new("fetch").created();
    let (certificate, file) = (folder.file("cert.pem"), folder.file("known"));
    let served = Served::with(&["https", &certificate]);
    let fetch = |more: &[&str]| -> Printed {
        let mut command = mcp();
        command.args(["fetch", &served.url, "test://known", "-o", &file]);
        command.args(["--cacert", &certificate]).args(more);
        command.output().expect("it runs").into()
    };
    let fetched = fetch(&["--allow-private"]);
    let expected = "5 bytes, text/plain; charset=utf-8, by its URL\n";
    let out = fetched.out;
    assert_eq!(
        (fetched.code, &*fetched.err, &*out),
        (Some(0), expected, "")
    );
    assert_eq!(std::fs::read(&file).expect("a file"), b"Known");

    let fetched = fetch(&["--allow-private", "--json"]);
    let json: Value = serde_json::from_str(&fetched.out).expect("JSON");
    assert_eq!(json["by"], "by its URL", "{json}");
    assert_eq!(
        (&json["bytes"], &json["mimeType"]),
        (&5.into(), &"text/plain; charset=utf-8".into())
    );

    // Addresses of this machine are rejected unless they are allowed.
    let fetched = fetch(&[]);
    assert_eq!(fetched.code, Some(0), "{fetched:?}");
    assert!(
        fetched.err.starts_with("not fetched by its URL: "),
        "{fetched:?}"
    );
    assert!(fetched.err.ends_with("by resources/read\n"), "{fetched:?}");
    assert!(!fetched.err.contains("has no URL"), "{fetched:?}");

    let fetched = fetch(&["--allow-private", "--max-size", "4"]);
    assert_eq!(fetched.code, Some(4), "{fetched:?}");
    let fetched = fetch(&["--allow-private", "--as", "image/png"]);
    assert_eq!(fetched.code, Some(4), "{fetched:?}");
    let left = std::fs::read_dir(&folder.0).expect("a folder").count();
    assert_eq!(left, 2, "no part of a file is left");
}

#[test]
fn requested_media_type_is_negotiated_with_the_url() {
    let folder = Folder::new("negotiate").created();
    let certificate = folder.file("cert.pem");
    let served = Served::with(&["https", &certificate]);
    for (media_type, content) in [("text/html", "<p>Hello"), ("text/plain", "Hello")] {
        let mut command = mcp();
        command.args(["fetch", &served.url, "test://forms", "--as", media_type]);
        command.args(["--cacert", &certificate, "--allow-private"]);
        let fetched = Printed::from(command.output().expect("it runs"));
        assert_eq!((fetched.code, &*fetched.out), (Some(0), content));
        assert!(fetched.err.ends_with("by its URL\n"), "{fetched:?}");
    }
}

#[test]
fn resource_is_read_unless_it_has_a_version_and_lists_are_filtered() {
    let known = ["read", "test://known", "--unless"];
    let current = run_with_proposals(&[&known[..], &["7"]].concat());
    let seen = (current.code, &*current.out, &*current.err);
    assert_eq!(seen, (Some(8), "", "not modified\n"));
    let json = run_with_proposals(&[&known[..], &["7", "--json"]].concat());
    assert_eq!(
        (json.code, &*json.out),
        (Some(8), "{\"notModified\":true}\n")
    );
    let changed = run_with_proposals(&[&known[..], &["6"]].concat());
    let seen = (changed.code, &*changed.out, &*changed.err);
    assert_eq!(seen, (Some(0), "Known", "version 7\n"));
    let notes = printed(&["resources", "--filter", r#"{"kind": "note"}"#]);
    assert_eq!(notes, "test://known\n  known, text/plain, 5 bytes\n");
}

#[test]
fn content_without_a_url_is_fetched_over_the_connection() {
    let fetched = run_with_proposals(&["fetch", "test://known"]);
    assert_eq!((fetched.code, &*fetched.out), (Some(0), "Known"));
    assert!(fetched.err.contains("by resources/read"), "{fetched:?}");
    let missing = run_with_proposals(&["fetch", "test://missing"]);
    assert_eq!(missing.code, Some(4), "{missing:?}");
    let usage = run_with_proposals(&["fetch", "test://known", "--json"]);
    assert_eq!(usage.code, Some(2), "{usage:?}");
}

#[test]
fn contents_of_a_collection_are_those_of_its_members() {
    let read = run_with_proposals(&["read", "test://index"]);
    let expected =
        "[test://dir/a, text/plain, 1 bytes]\nA\n\n[test://dir/b, text/html, 4 bytes]\n<p>B\n";
    assert_eq!((read.code, &*read.out, &*read.err), (Some(0), expected, ""));
    let checked = run_with_proposals(&["check", "--read"]);
    assert!(
        !checked.out.contains("declares no collection"),
        "{checked:?}"
    );
    let typed = run_with_proposals(&["read", "test://index", "--as", "text/plain"]);
    assert_eq!(typed.code, Some(4), "{typed:?}");
    let expected = "`test://index` has no contents of its own, only those of 2 other resources";
    assert!(typed.err.contains(expected), "{typed:?}");
    for words in [
        &["test://index"][..],
        &["test://index", "--as", "text/plain"],
    ] {
        let fetched = run_with_proposals(&[&["fetch"], words].concat());
        assert_eq!((fetched.code, &*fetched.out), (Some(4), ""), "{fetched:?}");
        let expected = "`test://index` is a collection and has no contents";
        assert!(fetched.err.contains(expected), "{fetched:?}");
        assert!(fetched.err.contains("hint: `mcp tree`"), "{fetched:?}");
    }
}

#[test]
fn several_contents_are_written_to_several_files() {
    let folder = Folder::new("read-several").created();
    let file = folder.file("page.txt");
    let read = run_with_proposals(&["read", "test://forms", "-o", &file]);
    assert_eq!((read.code, &*read.out), (Some(0), ""), "{read:?}");
    for (name, content) in [("page.txt", "<p>Hello"), ("page-2.txt", "Hello")] {
        let path = folder.file(name);
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), content);
        assert!(
            read.err
                .contains(&format!("bytes in {path}: test://forms, text/")),
            "{read:?}"
        );
    }
    // Only the file that the user named is replaced.
    let again = run_with_proposals(&["read", "test://forms", "-o", &file]);
    assert_eq!(again.code, Some(2), "{again:?}");
}

#[test]
fn content_is_fetched_by_the_url_of_a_link() {
    let folder = Folder::new("fetch-link").created();
    let certificate = folder.file("cert.pem");
    let served = Served::with(&["https", &certificate]);
    let run = |arguments: &[&str]| -> Printed {
        let mut command = mcp();
        command
            .args(arguments)
            .args(["--cacert", &certificate, "--allow-private"]);
        command.output().expect("it runs").into()
    };
    let about = run(&["metadata", &served.url, "test://known"]);
    let url = about
        .out
        .lines()
        .find_map(|line| line.trim().strip_prefix("url: "));
    let url = url.unwrap_or_else(|| panic!("{about:?}"));
    let fetched = run(&["fetch", &served.url, "test://unlisted", "--http-url", url]);
    assert_eq!(
        (fetched.code, &*fetched.out),
        (Some(0), "Known"),
        "{fetched:?}"
    );
    assert!(fetched.err.ends_with("by its URL\n"), "{fetched:?}");
}
