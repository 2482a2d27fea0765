//! Lists, pages, and completion.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;
use tempfile::tempdir;

use super::peer::{FilesPeer, uris, write};

/// A name of many meanings, and its URI.
const ODD: (&str, &str) = if cfg!(windows) {
    ("a b%&#", "file:///a%20b%25&%23")
} else {
    ("a b%?#", "file:///a%20b%25%3F%23")
};

/// Nested folders whose names are hard to sort correctly.
fn sample(root: &Path) -> Vec<&'static str> {
    for path in [
        "a/b/c.txt",
        "a/b.txt",
        "a.txt",
        "a-b/x",
        "empty/none",
        "z",
        "Zebra",
        "ä/é.txt",
        ODD.0,
    ] {
        write(root, path, path);
    }
    fs::remove_file(root.join("empty/none")).expect("removed");
    vec![
        "file:///",
        "file:///Zebra",
        "file:///a/",
        "file:///a/b/",
        "file:///a/b/c.txt",
        "file:///a/b.txt",
        ODD.1,
        "file:///a-b/",
        "file:///a-b/x",
        "file:///a.txt",
        "file:///empty/",
        "file:///z",
        "file:///%C3%A4/",
        "file:///%C3%A4/%C3%A9.txt",
    ]
}

#[test]
fn every_page_size_lists_everything_once_in_the_same_order() {
    let root = tempdir().unwrap();
    let expected = sample(root.path());
    for size in 1..=expected.len() + 1 {
        let mut peer = FilesPeer::start(root.path(), &["--page-size", &size.to_string()]);
        let pages = peer.pages(None);
        assert_eq!(pages.concat(), expected, "{size} a page");
        assert!(pages.iter().all(|page| page.len() <= size), "{size} a page");
        assert_eq!(pages.len(), expected.len().div_ceil(size), "{size} a page");
    }
}

#[test]
fn unchanged_files_are_listed_once_during_changes() {
    let root = tempdir().unwrap();
    for folder in 0..5 {
        for file in 0..10 {
            write(root.path(), format!("d{folder}/f{file}"), "");
        }
    }
    let mut peer = FilesPeer::start(root.path(), &["--page-size", "4"]);
    let (mut listed, mut params) = (Vec::new(), json!({}));
    // Files with an even number are kept. The last entry of the previous page is often removed.
    for turn in 0.. {
        let page = peer.ask("resources/list", params.clone()).unwrap();
        listed.extend(uris(&page));
        let Some(cursor) = page.get("nextCursor") else {
            break;
        };
        params["cursor"] = cursor.clone();
        if let Some(last) = listed.last().and_then(|uri| uri.strip_prefix("file:///"))
            && last.ends_with(['1', '3', '5', '7', '9'])
        {
            fs::remove_file(root.path().join(last)).expect("removed");
        }
        match turn {
            3 => fs::remove_dir_all(root.path().join("d1")).expect("removed"),
            4 => write(root.path(), "d1", "a file now"),
            5 => write(root.path(), "d2/f00/new", ""),
            _ => write(root.path(), format!("d0/late{turn}"), ""),
        }
    }
    let unique: BTreeSet<_> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len(), "{listed:?}");
    for folder in [0, 2, 3, 4] {
        for file in [0, 2, 4, 6, 8] {
            let uri = format!("file:///d{folder}/f{file}");
            assert!(listed.contains(&uri), "{uri} of {listed:?}");
        }
    }
}

#[test]
fn collection_lists_only_its_members() {
    let root = tempdir().unwrap();
    sample(root.path());
    let mut peer = FilesPeer::start(root.path(), &["--page-size", "1"]);
    let members = peer.list(Some("file:///a/"));
    assert_eq!(members, ["file:///a/b/", "file:///a/b.txt"]);
    assert_eq!(peer.list(Some("file:///")).len(), 8);
    assert_eq!(peer.list(Some("file:///empty/")), [""; 0]);
    for uri in ["file:///z", "file:///none/", "file:///a.txt/"] {
        let error = peer
            .ask("resources/list", json!({ "uri": uri }))
            .unwrap_err();
        assert_eq!(error["code"], -32602, "{uri}: {error}");
        assert_eq!(error["data"]["uri"], uri, "{error}");
    }
    // A cursor of another list.
    let page = peer
        .ask("resources/list", json!({ "uri": "file:///a/" }))
        .unwrap();
    let params = json!({ "uri": "file:///", "cursor": page["nextCursor"] });
    let error = peer.ask("resources/list", params).unwrap_err();
    assert_eq!(error["code"], -32602, "{error}");
}

#[test]
fn cached_listing_reflects_changes() {
    let root = tempdir().unwrap();
    write(root.path(), "d/one", "");
    let mut peer = FilesPeer::start(root.path(), &["--no-watch"]);
    // Folders that changed a moment ago are not cached.
    let folder = root.path().join("d");
    let age = || fs::metadata(&folder).unwrap().modified().unwrap().elapsed();
    while age().unwrap_or_default() < Duration::from_millis(50) {
        thread::yield_now();
    }
    for _ in 0..2 {
        assert_eq!(peer.list(Some("file:///d/")), ["file:///d/one"]);
    }
    write(root.path(), "d/two", "");
    fs::rename(folder.join("one"), folder.join("three")).unwrap();
    let expected = ["file:///d/three", "file:///d/two"];
    assert_eq!(peer.list(Some("file:///d/")), expected);
}

#[test]
fn listed_files_have_metadata() {
    let root = tempdir().unwrap();
    write(root.path(), "notes/ä.md", "# Ä");
    let time = UNIX_EPOCH + Duration::from_secs(1_709_210_096);
    let file = fs::File::options()
        .write(true)
        .open(root.path().join("notes/ä.md"))
        .unwrap();
    file.set_modified(time).unwrap();
    let mut peer = FilesPeer::start(root.path(), &[]);
    let page = peer
        .ask("resources/list", json!({ "uri": "file:///notes/" }))
        .unwrap();
    let listed = &page["resources"][0];
    assert_eq!(listed["name"], "ä.md");
    assert_eq!(listed["uri"], "file:///notes/%C3%A4.md");
    assert_eq!(listed["mimeType"], "text/markdown");
    assert_eq!(listed["size"], 4);
    assert_eq!(listed["resourceType"], "document");
    assert_eq!(listed["kind"], "file");
    assert_eq!(
        listed["annotations"]["lastModified"],
        "2024-02-29T12:34:56Z"
    );
    let icon = listed["icons"][0]["src"].as_str().unwrap();
    assert!(
        icon.starts_with("data:image/png;base64,iVBORw0KGgo"),
        "{icon}"
    );
    let version = listed["version"].as_str().unwrap().to_owned();
    let folder = peer
        .ask("resources/list", json!({ "uri": "file:///" }))
        .unwrap();
    let folder = &folder["resources"][0];
    assert_eq!(folder["resourceType"], "collection");
    assert_eq!(folder["mimeType"], "inode/directory");
    assert_eq!(folder["kind"], "directory");
    let folder_version = folder["version"].clone();
    // Only the modification time of the file changes.
    write(root.path(), "notes/ä.md", "# Ö");
    let page = peer
        .ask("resources/list", json!({ "uri": "file:///notes/" }))
        .unwrap();
    assert_ne!(page["resources"][0]["version"], version);
    // It is read with its folder, which has changed as well.
    let folder = peer
        .ask("resources/list", json!({ "uri": "file:///" }))
        .unwrap();
    assert_ne!(folder["resources"][0]["version"], folder_version);
}

#[test]
fn paths_are_completed() {
    let root = tempdir().unwrap();
    sample(root.path());
    let mut peer = FilesPeer::start(root.path(), &[]);
    let mut complete = |typed: &str| {
        let params = json!({
            "ref": { "type": "ref/resource", "uri": "file:///{+path}" },
            "argument": { "name": "path", "value": typed },
        });
        let done = peer.ask("completion/complete", params).unwrap();
        serde_json::from_value::<Vec<String>>(done["completion"]["values"].clone()).unwrap()
    };
    assert_eq!(complete("a"), ["a/", ODD.0, "a-b/", "a.txt"]);
    assert_eq!(complete("a/"), ["a/b/", "a/b.txt"]);
    assert_eq!(complete("a/b"), ["a/b/", "a/b.txt"]);
    assert_eq!(complete("ä/"), ["ä/é.txt"]);
    for nothing in [
        "x", "a.txt/", "..", "../", "/etc/", "a/../", "a//", "none/x",
    ] {
        assert_eq!(complete(nothing), [""; 0], "{nothing}");
    }
}
