//! Reading of texts, bytes, folders, and files that are written at the same time.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::thread;

use mcp_server::types::Base64Text;
use serde_json::{Value, json};
use tempfile::tempdir;

use super::peer::{FilesPeer, RunFlag, write};

/// Decodes the bytes of contents.
pub(crate) fn bytes(contents: &Value) -> Vec<u8> {
    if let Some(text) = contents["text"].as_str() {
        return text.into();
    }
    let blob = contents["blob"].as_str().expect("text or blob");
    Base64Text::from(blob.to_owned()).decode().expect("base64")
}

#[test]
fn utf_8_is_sent_as_text_and_other_bytes_as_blob() {
    let root = tempdir().unwrap();
    for (name, data, member, media_type) in [
        ("a.txt", &b"one\r\ntwo\n"[..], "text", "text/plain"),
        ("empty", b"", "text", ""),
        ("a.ts", b"let a", "text", "text/typescript"),
        ("a.svg", b"<svg/>", "text", "image/svg+xml"),
        ("a.png", b"\x89PNG\r\n", "blob", "image/png"),
        ("latin.txt", b"\xe4", "blob", "text/plain"),
        ("nothing", b"\0\xff", "blob", ""),
    ] {
        write(root.path(), name, data);
        let mut peer = FilesPeer::start(root.path(), &["--no-watch"]);
        let uri = format!("file:///{name}");
        let read = peer.read(&uri).unwrap();
        let [contents] = &read["contents"].as_array().unwrap()[..] else {
            panic!("{read}");
        };
        assert!(contents.get(member).is_some(), "{contents}");
        assert_eq!(bytes(contents), data);
        assert_eq!(contents["uri"], uri);
        // Without an extension, the type is not known, in lists neither.
        let found = contents["mimeType"].as_str().unwrap_or_default();
        assert_eq!(found, media_type);
    }
}

#[test]
fn equivalent_uris_read_the_same_file() {
    let root = tempdir().unwrap();
    write(root.path(), "a b/ü+%41.txt", "found");
    let mut peer = FilesPeer::start(root.path(), &["--no-watch"]);
    for uri in [
        "file:///a%20b/%C3%BC+%2541.txt",
        "file:///a%20b/%c3%bc+%2541%2etxt",
        "file:///a b/ü+%2541.txt",
        "FILE:///./a b/c/../%C3%BC+%2541.txt",
    ] {
        let read = peer.read(uri).unwrap();
        assert_eq!(read["contents"][0]["text"], "found", "{uri}");
        assert_eq!(read["contents"][0]["uri"], "file:///a%20b/%C3%BC+%2541.txt");
    }
}

#[test]
fn file_or_folder_has_one_uri() {
    let root = tempdir().unwrap();
    write(root.path(), "d/a+b.txt", "found");
    let mut peer = FilesPeer::start(root.path(), &["--no-watch"]);
    assert!(peer.read("file:///d/").is_ok());
    assert!(peer.read("file:///d/a+b.txt").is_ok());
    for uri in ["file:///d", "file:///d/a%2Bb.txt", "file:///d/a+b.txt/"] {
        let error = peer.read(uri).expect_err(uri);
        assert_eq!(error["code"], -32602, "{error}");
    }
}

#[test]
fn folder_returns_the_texts_of_its_small_files() {
    let root = tempdir().unwrap();
    write(root.path(), "d/a.txt", "A");
    write(root.path(), "d/b.bin", b"\xff");
    write(root.path(), "d/c.txt", "C".repeat(100_000));
    write(root.path(), "d/d.txt", "D");
    write(root.path(), "d/e/f.txt", "F");
    let mut peer = FilesPeer::start(root.path(), &["--no-watch"]);
    let read = peer.read("file:///d/").unwrap();
    let texts = read["contents"].as_array().unwrap().iter();
    let texts: Vec<_> = texts
        .map(|one| (one["uri"].as_str(), one["text"].as_str()))
        .collect();
    let expected = [("file:///d/a.txt", "A"), ("file:///d/d.txt", "D")];
    assert_eq!(texts, expected.map(|(uri, text)| (Some(uri), Some(text))));
    // Only a limited number of files is read.
    for number in 0..300 {
        write(root.path(), format!("many/{number:03}"), "m".repeat(1_000));
    }
    let read = peer.read("file:///many/").unwrap();
    let count = read["contents"].as_array().unwrap().len();
    assert_eq!(count, 64);
}

#[test]
fn too_large_file_is_an_error_with_size_and_limit() {
    let root = tempdir().unwrap();
    write(root.path(), "large", "x".repeat(1_001));
    write(root.path(), "just", "x".repeat(1_000));
    let mut peer = FilesPeer::start(root.path(), &["--no-watch", "--max-read", "1000"]);
    assert_eq!(peer.text("file:///just").len(), 1_000);
    let error = peer.read("file:///large").unwrap_err();
    assert_eq!(error["code"], -32603, "{error}");
    let expected = json!({ "uri": "file:///large", "size": 1_001, "limit": 1_000 });
    assert_eq!(error["data"], expected);
    if cfg!(windows) {
        // Files are not sparse there by default.
        return;
    }
    // A sparse file of a terabyte costs nothing.
    let file = fs::File::create(root.path().join("sparse")).unwrap();
    file.set_len(1 << 40).unwrap();
    let error = peer.read("file:///sparse").unwrap_err();
    assert_eq!(error["data"]["size"], 1_u64 << 40, "{error}");
}

#[test]
fn read_never_mixes_two_states_of_a_file() {
    const LENGTH: usize = 1_000_000;
    let root = tempdir().unwrap();
    write(root.path(), "file", " ".repeat(LENGTH));
    let path = root.path().join("file");
    let file = fs::File::options().write(true).open(path).unwrap();
    // The last number is written before the first, so they never differ by more than one.
    let count = |number: u64| {
        for place in [SeekFrom::End(-10), SeekFrom::Start(0)] {
            let mut file = &file;
            file.seek(place).unwrap();
            file.write_all(format!("{number:010}").as_bytes()).unwrap();
        }
    };
    count(0);
    let going = RunFlag::default();
    let mut peer = FilesPeer::start(root.path(), &["--no-watch"]);
    let numbers = |text: &str| {
        let (first, last) = (&text[..10], &text[text.len() - 10..]);
        (first.parse::<u64>().unwrap(), last.parse::<u64>().unwrap())
    };
    let answers: Vec<_> = thread::scope(|scope| {
        let _guard = going.guard();
        scope.spawn(|| {
            let mut numbers = 1..;
            while going.is_running() {
                numbers.next().map(count);
            }
        });
        (0..50).map(|_| peer.read("file:///file")).collect()
    });
    for answer in answers {
        match answer {
            Ok(read) => {
                let (first, last) = numbers(read["contents"][0]["text"].as_str().unwrap());
                assert!(first <= last && last <= first + 1, "{first} and {last}");
            }
            Err(error) => {
                assert_eq!(error["code"], -32603, "{error}");
                assert_eq!(error["data"]["uri"], "file:///file");
            }
        }
    }
    // The file is readable when it is not being written.
    let (first, last) = numbers(&peer.text("file:///file"));
    assert_eq!(first, last);
}
