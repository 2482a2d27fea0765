//! Notifications of changes: sent after the change is readable, coalesced, and never lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;

use super::peer::{FilesPeer, changed, write};

fn listening(root: &Path, uris: &[&str]) -> FilesPeer {
    let mut peer = FilesPeer::start(root, &[]);
    let uris: Vec<String> = uris.iter().map(|uri| (*uri).to_owned()).collect();
    peer.listen(&uris);
    peer
}

fn list_changed(message: &Value) -> bool {
    message["method"] == "notifications/resources/list_changed"
}

#[test]
fn changed_content_is_readable_when_notified() {
    let root = tempdir().unwrap();
    write(root.path(), "d/file", "0");
    let mut peer = listening(root.path(), &["file:///d/file", "file:///d/"]);
    for turn in 1..20 {
        let text = turn.to_string();
        // Some changes replace the file, as editors do.
        if turn % 3 == 0 {
            write(root.path(), "d/.new", &text);
            fs::rename(root.path().join("d/.new"), root.path().join("d/file")).unwrap();
        } else {
            write(root.path(), "d/file", &text);
        }
        // A write in place truncates the file first, which may cause a notification of its own.
        loop {
            peer.updated("file:///d/file");
            let read = peer.text("file:///d/file");
            if read == text {
                break;
            }
            assert_eq!(read, "");
        }
    }
    peer.updated("file:///d/");
}

#[test]
fn created_and_removed_files_notify_their_folder_and_the_list() {
    let root = tempdir().unwrap();
    write(root.path(), "d/old", "");
    let uris = [
        "file:///",
        "file:///d/",
        "file:///d/new",
        "file:///d/sub/deep/x",
        "file:///d/sub/",
    ];
    let mut peer = listening(root.path(), &uris);
    write(root.path(), "d/new", "new");
    peer.wait(list_changed);
    peer.updated("file:///d/");
    peer.updated("file:///d/new");
    assert_eq!(
        peer.list(Some("file:///d/")),
        ["file:///d/new", "file:///d/old"]
    );
    // All at once, in a new folder.
    write(root.path(), "d/sub/deep/x", "x");
    peer.updated("file:///d/sub/deep/x");
    peer.updated("file:///d/sub/");
    peer.updated("file:///d/");
    assert_eq!(peer.text("file:///d/sub/deep/x"), "x");
    write(root.path(), "d/sub/deep/x", "y");
    peer.updated("file:///d/sub/deep/x");
    peer.heard.clear();
    fs::remove_dir_all(root.path().join("d/sub")).unwrap();
    peer.gone("file:///d/sub/deep/x");
    peer.gone("file:///d/sub/");
    peer.wait(list_changed);
    fs::remove_file(root.path().join("d/new")).unwrap();
    peer.gone("file:///d/new");
    peer.heard.clear();
    fs::remove_dir_all(root.path().join("d")).unwrap();
    peer.updated("file:///");
}

#[test]
fn moved_folder_is_still_watched() {
    let root = tempdir().unwrap();
    write(root.path(), "one/in/x", "1");
    let uris = ["file:///one/in/x", "file:///two/in/x"];
    let mut peer = listening(root.path(), &uris);
    for turn in 0..10 {
        let (from, to) = if turn % 2 == 0 {
            ("one", "two")
        } else {
            ("two", "one")
        };
        fs::rename(root.path().join(from), root.path().join(to)).unwrap();
        peer.gone(&format!("file:///{from}/in/x"));
        peer.updated(&format!("file:///{to}/in/x"));
        write(root.path(), format!("{to}/in/x"), turn.to_string());
        peer.updated(&format!("file:///{to}/in/x"));
        while peer.text(&format!("file:///{to}/in/x")) != turn.to_string() {
            peer.updated(&format!("file:///{to}/in/x"));
        }
        peer.heard.clear();
    }
}

#[test]
fn recreated_folder_is_watched_again() {
    let root = tempdir().unwrap();
    write(root.path(), "d/x", "0");
    let mut peer = listening(root.path(), &["file:///d/x"]);
    for turn in 0..20 {
        fs::remove_dir_all(root.path().join("d")).unwrap();
        let text = format!("turn {turn}");
        write(root.path(), "d/x", "");
        write(root.path(), "d/x", &text);
        loop {
            peer.updated("file:///d/x");
            match peer.read("file:///d/x") {
                Ok(read) if read["contents"][0]["text"] == text => break,
                _ => {}
            }
        }
        // More notifications may follow.
        write(root.path(), "d/x", "again");
        while peer.text("file:///d/x") != "again" {
            peer.updated("file:///d/x");
        }
        peer.updated("file:///d/x");
        peer.heard.clear();
    }
}

#[test]
fn changes_of_hidden_files_are_not_notified() {
    let root = tempdir().unwrap();
    write(root.path(), ".git/index", "0");
    write(root.path(), "seen", "0");
    let uris = [
        "file:///.git/index",
        "file:///.git/",
        "file:///.new",
        "file:///seen",
    ];
    let mut peer = listening(root.path(), &uris);
    write(root.path(), ".git/index", "1");
    write(root.path(), ".new", "1");
    write(root.path(), "seen", "1");
    peer.updated("file:///seen");
    // Notifications are sent in the order in which changes are found.
    write(root.path(), "seen", "2");
    while peer.text("file:///seen") != "2" {
        peer.updated("file:///seen");
    }
    write(root.path(), "seen", "3");
    peer.updated("file:///seen");
    peer.heard
        .retain(|message| changed(message) != Some("file:///seen"));
    assert_eq!(peer.heard, [Value::Null; 0]);
}

#[test]
fn burst_of_changes_is_coalesced_without_loss() {
    const FILES: usize = 1_000;
    const ROUNDS: usize = 4;
    let root = tempdir().unwrap();
    let name = |number: usize| format!("d{}/{number}", number % 7);
    for number in 0..FILES {
        write(root.path(), name(number), "");
    }
    let mut peer = FilesPeer::start(root.path(), &[]);
    let uri = |number: usize| format!("file:///{}", name(number));
    peer.listen(&(0..FILES).map(uri).collect::<Vec<_>>());
    for round in 1..=ROUNDS {
        for number in 0..FILES {
            write(root.path(), name(number), round.to_string());
        }
    }
    let (mut missing, mut received) = ((0..FILES).map(uri).collect::<BTreeSet<_>>(), 0);
    // A client that reads after each notification ends with the last content.
    while !missing.is_empty() {
        let message = peer.wait(|message| changed(message).is_some());
        let uri = changed(&message).unwrap_or_default().to_owned();
        received += 1;
        if peer.text(&uri) == ROUNDS.to_string() {
            missing.remove(&uri);
        }
    }
    assert!(received < FILES * ROUNDS, "{received} notifications");
}

#[cfg(unix)]
#[test]
fn overflow_of_the_event_queue_loses_no_change() {
    // Linux queues 16,384 events, and each new file causes at least three.
    const FILES: usize = 8_000;
    let root = tempdir().unwrap();
    let uris = [
        "file:///first",
        "file:///many/0",
        "file:///many/7999",
        "file:///z/last",
    ];
    write(root.path(), "first", "0");
    write(root.path(), "many/0", "0");
    write(root.path(), "gone", "0");
    let mut peer = listening(root.path(), &[&uris[..], &["file:///gone"]].concat());
    // The events are not read meanwhile.
    peer.signal("-STOP");
    for number in 0..FILES {
        write(root.path(), format!("many/{number}"), "x");
    }
    write(root.path(), "first", "1");
    write(root.path(), "z/last", "1");
    fs::remove_file(root.path().join("gone")).unwrap();
    peer.signal("-CONT");
    for uri in uris {
        peer.updated(uri);
    }
    peer.gone("file:///gone");
    assert_eq!(peer.text("file:///many/7999"), "x");
    // Watching continues as before.
    write(root.path(), "z/last", "2");
    while peer.text("file:///z/last") != "2" {
        peer.updated("file:///z/last");
    }
    write(root.path(), "z/last", "3");
    peer.updated("file:///z/last");
}
