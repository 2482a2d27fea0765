//! The command line.

use std::process::{Command, Output};

use tempfile::tempdir;

use crate::support::process::example;

use super::peer::{FilesPeer, write};

fn run(arguments: &[&str]) -> Output {
    Command::new(example("files"))
        .args(arguments)
        .output()
        .expect("it runs")
}

#[test]
fn end_of_input_exits_with_0() {
    let root = tempdir().unwrap();
    write(root.path(), "a", "a");
    let mut peer = FilesPeer::start(root.path(), &[]);
    assert_eq!(peer.text("file:///a"), "a");
    assert_eq!(peer.end(), Some(0));
}

#[cfg(unix)]
#[test]
fn interrupt_exits_with_0() {
    let root = tempdir().unwrap();
    write(root.path(), "a", "a");
    let mut peer = FilesPeer::start(root.path(), &[]);
    assert_eq!(peer.text("file:///a"), "a");
    assert_eq!(peer.interrupt(), Some(0));
}

#[test]
fn help_exits_with_0_and_errors_are_printed() {
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("--http"));
    for wrong in [&[][..], &[".", "--nothing"], &[".", "--page-size", "0"]] {
        let output = run(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{wrong:?}"
        );
    }
    let file = example("files");
    for root in ["/nowhere/at/all", file.to_str().unwrap()] {
        let output = run(&[root]);
        assert_eq!(output.status.code(), Some(1), "{root}");
        assert!(output.stdout.is_empty(), "{root}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(root), "{said}");
    }
}
