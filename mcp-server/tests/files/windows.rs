//! Names that have a special meaning on Windows.

use tempfile::tempdir;

use super::peer::{FilesPeer, write};

#[test]
fn special_names_of_windows_are_absent() {
    let outer = tempdir().unwrap();
    let root = outer.path().join("root");
    write(outer.path(), "secret.txt", "secret");
    write(&root, "a.txt", "one");
    write(&root, "a long name.text", "two");
    let drive = outer.path().display().to_string();
    let drive = drive.replace('\\', "%5C");
    let mut peer = FilesPeer::start(&root, &["--hidden", "--no-watch"]);
    assert_eq!(peer.text("file:///a.txt"), "one");
    assert_eq!(peer.text("file:///a%20long%20name.text"), "two");
    let absent = peer.read("file:///absent").unwrap_err();
    for path in [
        "a.txt.",
        "a.txt%20",
        "a.txt:stream",
        "a.txt::$DATA",
        "ALONGN~1.TEX",
        "CON",
        "aux.txt",
        "NUL%20.txt",
        "COM%C2%B9",
        "CONIN$",
        "..%5Csecret.txt",
        "..%2Fsecret.txt",
        "C:a.txt",
        "%5C%5Clocalhost%5Cc$",
        "%5C%5C.%5Cpipe%5Cx",
        "//localhost/c$",
        &format!("{drive}%5Csecret.txt"),
        &format!("%5C%5C%3F%5C{drive}%5Csecret.txt"),
    ] {
        let error = peer.read(&format!("file:///{path}")).unwrap_err();
        assert_eq!(error["code"], absent["code"], "{path}: {error}");
    }
}
