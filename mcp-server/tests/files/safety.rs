//! Files that must never be served.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use tempfile::{TempDir, tempdir};

use super::peer::{FilesPeer, RunFlag, write};

const SECRET: &str = "nobody is to read this";

/// A root in a folder that also contains a secret.
fn nested() -> (TempDir, std::path::PathBuf) {
    let outer = tempdir().unwrap();
    write(outer.path(), "secret.txt", SECRET);
    write(outer.path(), "root/in.txt", "in");
    write(outer.path(), "root/d/in.txt", "in");
    let root = outer.path().join("root");
    (outer, root)
}

/// Checks that the file is reported as not found, without its text.
fn assert_not_found(peer: &mut FilesPeer, uri: &str) {
    for method in ["resources/read", "resources/metadata"] {
        let answer = peer.ask(method, serde_json::json!({ "uri": uri }));
        let error = answer.expect_err(uri);
        assert_eq!(error["code"], -32602, "{uri}: {error}");
    }
}

#[test]
fn no_uri_leads_out_of_the_root() {
    let (outer, root) = nested();
    let mut peer = FilesPeer::start(&root, &["--hidden"]);
    let absolute = outer.path().join("secret.txt");
    let absolute = absolute.to_str().unwrap();
    for uri in [
        "file:///../secret.txt",
        "file:///d/../../secret.txt",
        "file:///%2e%2e/secret.txt",
        "file:///%2E%2E%2Fsecret.txt",
        "file:///..%2fsecret.txt",
        "file:///d%2Fin.txt",
        "file:///d%2f..%2f..%2fsecret.txt",
        "file:///..%5csecret.txt",
        "file:///..\\secret.txt",
        "file:///%252e%252e/secret.txt",
        "file:////in.txt",
        "file:///d//in.txt",
        "file:///in.txt/",
        "file:///in.txt/.",
        "file:///in.txt%00",
        "file:///in.txt%00.png",
        "file:///%00",
        "file:///d/%zz",
        "file:///d/%2",
        "file:///%ff",
        // Two dots and a slash, encoded with the characters for bytes.
        "file:///\u{10FF2E}\u{10FF2E}/secret.txt",
        "file:///d\u{10FF2F}in.txt",
        "file:///..\u{10FF2F}secret.txt",
        "file://localhost/in.txt",
        "file:/in.txt",
        "file:in.txt",
        "in.txt",
        "http:///in.txt",
        &format!("file:///{absolute}"),
        &format!("file://{absolute}"),
        &format!("file:///{}", absolute.replace('/', "%2F")),
        &format!("file:///{}in.txt", "d/".repeat(5_000)),
        &format!("file:///{}", "x".repeat(100_000)),
        &format!("file:///{}secret.txt", "../".repeat(5_000)),
    ] {
        assert_not_found(&mut peer, uri);
    }
    assert_eq!(peer.text("file:///in.txt"), "in");
    assert_eq!(peer.text("file:///d/in.txt"), "in");
}

#[test]
fn symbolic_links_are_not_followed() {
    let (outer, root) = nested();
    for (name, target) in [
        ("out", "../secret.txt"),
        ("up", ".."),
        ("within", "in.txt"),
        ("d/loop", "."),
        ("d/self", "self"),
        ("folder", "d"),
        ("gone", "none"),
    ] {
        symlink(target, root.join(name)).unwrap();
    }
    symlink(outer.path(), root.join("absolute")).unwrap();
    symlink("/", root.join("everything")).unwrap();
    let mut peer = FilesPeer::start(&root, &[]);
    let expected = [
        "file:///",
        "file:///d/",
        "file:///d/in.txt",
        "file:///in.txt",
    ];
    assert_eq!(peer.list(None), expected);
    for path in [
        "out",
        "up",
        "up/secret.txt",
        "within",
        "d/loop",
        "d/loop/in.txt",
        "d/self",
        "folder/",
        "folder/in.txt",
        "gone",
        "absolute/secret.txt",
        "everything/etc/passwd",
    ] {
        assert_not_found(&mut peer, &format!("file:///{path}"));
    }
    // The root itself may be a link.
    symlink(&root, outer.path().join("alias")).unwrap();
    let mut peer = FilesPeer::start(&outer.path().join("alias"), &[]);
    assert_eq!(peer.list(None), expected);
}

#[test]
fn folder_replaced_by_a_link_is_not_followed() {
    let (outer, root) = nested();
    write(outer.path(), "other/in.txt", SECRET);
    let mut peer = FilesPeer::start(&root, &[]);
    peer.send(
        "resources/read",
        serde_json::json!({ "uri": "file:///d/in.txt" }),
    );
    for turn in 0..200 {
        // Replaced while it is read.
        fs::rename(root.join("d"), root.join("aside")).unwrap();
        symlink("../other", root.join("d")).unwrap();
        peer.send(
            "resources/read",
            serde_json::json!({ "uri": "file:///d/in.txt" }),
        );
        fs::remove_file(root.join("d")).unwrap();
        fs::rename(root.join("aside"), root.join("d")).unwrap();
        if turn % 2 == 0 {
            peer.send("resources/read", serde_json::json!({ "uri": "file:///d/" }));
        }
    }
    for _ in 0..301 {
        let answer = peer.wait(|message| message.get("id").is_some()).to_string();
        assert!(!answer.contains(SECRET), "{answer}");
    }
}

fn make_fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[test]
fn special_files_are_neither_listed_nor_opened() {
    let root = tempdir().unwrap();
    write(root.path(), "in.txt", "in");
    let fifo = root.path().join("fifo");
    make_fifo(&fifo);
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
    let _socket = UnixListener::bind(root.path().join("socket")).unwrap();
    let mut peer = FilesPeer::start(root.path(), &[]);
    assert_eq!(peer.list(None), ["file:///", "file:///in.txt"]);
    for name in ["fifo", "socket", "fifo/", "fifo/x"] {
        assert_not_found(&mut peer, &format!("file:///{name}"));
    }
    let mut peer = FilesPeer::start(Path::new("/dev"), &["--no-watch"]);
    for name in ["null", "zero", "tty", "stdin"] {
        assert_not_found(&mut peer, &format!("file:///{name}"));
    }
}

#[test]
fn file_replaced_by_a_pipe_does_not_block() {
    let root = tempdir().unwrap();
    let fifo = root.path().join("fifo");
    make_fifo(&fifo);
    write(root.path(), "file", "file");
    let mut peer = FilesPeer::start(root.path(), &["--no-watch"]);
    let going = RunFlag::default();
    thread::scope(|scope| {
        let _guard = going.guard();
        scope.spawn(|| {
            let (file, aside) = (root.path().join("file"), root.path().join("aside"));
            while going.is_running() {
                fs::rename(&file, &aside).unwrap();
                fs::rename(&fifo, &file).unwrap();
                fs::rename(&file, &fifo).unwrap();
                fs::rename(&aside, &file).unwrap();
            }
        });
        for _ in 0..2_000 {
            // It gets a response, whatever it is.
            let _ = peer.read("file:///file");
        }
    });
    assert_eq!(peer.text("file:///file"), "file");
}

/// macOS has no such names.
#[cfg(not(target_os = "macos"))]
#[test]
fn names_that_are_not_utf_8_are_listed_and_read() {
    let root = tempdir().unwrap();
    let names: [&[u8]; 8] = [
        b"\xff",
        b"a\xffb.txt",
        // Half of a character, and the complete one.
        b"\xc3",
        b"\xc3\xa4",
        // The characters that stand for bytes, as names.
        "\u{10FFFF}".as_bytes(),
        "\u{10FF2F}".as_bytes(),
        // Text that looks like an escaped byte.
        b"%FF",
        b"\xffd/\xfe",
    ];
    for name in names {
        write(root.path(), OsStr::from_bytes(name), name);
    }
    let mut peer = FilesPeer::start(root.path(), &[]);
    let listed = peer.list(None);
    assert_eq!(listed.len(), names.len() + 2, "{listed:?}");
    let mut read = Vec::new();
    for uri in listed.iter().filter(|uri| !uri.ends_with('/')) {
        assert!(uri.is_ascii(), "{uri}");
        read.push(super::reading::bytes(
            &peer.read(uri).unwrap()["contents"][0],
        ));
    }
    read.sort();
    let mut expected = names.map(<[u8]>::to_vec);
    expected.sort();
    assert_eq!(read, expected);
}

#[test]
fn hidden_files_are_served_only_with_the_option() {
    let root = tempdir().unwrap();
    write(root.path(), ".env", "TOKEN=1");
    write(root.path(), ".git/config", "x");
    write(root.path(), "d/.hidden", "x");
    let mut peer = FilesPeer::start(root.path(), &[]);
    assert_eq!(peer.list(None), ["file:///", "file:///d/"]);
    for path in [".env", ".git/", ".git/config", "d/.hidden", "%2Eenv"] {
        assert_not_found(&mut peer, &format!("file:///{path}"));
    }
    let mut peer = FilesPeer::start(root.path(), &["--hidden"]);
    assert_eq!(peer.list(None).len(), 6);
    assert_eq!(peer.text("file:///.env"), "TOKEN=1");
}

#[test]
fn deleted_file_is_not_found() {
    let root = tempdir().unwrap();
    write(root.path(), "d/file", "x");
    let mut peer = FilesPeer::start(root.path(), &[]);
    assert_eq!(peer.text("file:///d/file"), "x");
    fs::remove_dir_all(root.path().join("d")).unwrap();
    for uri in ["file:///d/file", "file:///d/", "file:///d"] {
        assert_not_found(&mut peer, uri);
    }
    assert_eq!(peer.list(None), ["file:///"]);
}
