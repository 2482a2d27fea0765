//! Runs the commands like a user.

mod codegen;
mod names;
mod release;
mod shapes;
mod standalone;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Creates an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the schemas of the revisions with their names, oldest first.
fn revisions() -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(root().join("schema")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let schemas = names.map(|name| {
        let file = root().join("schema").join(&name).join("schema.json");
        (name, file)
    });
    let mut schemas: Vec<_> = schemas.filter(|(_, file)| file.is_file()).collect();
    schemas.sort();
    schemas
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments);
    command
}

fn xtask(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn closed_pipe_ends_a_command_quietly() {
    let all = revisions();
    let mut command = command(&["schema", "diff", &all[0].0, &all[all.len() - 1].0]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*errors(&output)), (Some(0), ""));
}

#[test]
fn steps_of_ci_are_listed_and_several_can_be_named() {
    let help = xtask(&["ci", "--help"]);
    assert_eq!(help.status.code(), Some(0), "{}", errors(&help));
    for (options, has_attack) in [(&["--list"][..], false), (&["--nightly", "--list"], true)] {
        let text = printed(&xtask(&[&["ci"], options].concat()));
        let has = |step| text.lines().any(|line| line.starts_with(step));
        assert!(has("format") && has("clippy") && has("tests"), "{text}");
        assert_eq!(has("attack "), has_attack, "{text}");
    }
    let text = printed(&xtask(&["ci", "--only", "lock", "--only", "layers"]));
    let are_ok = text.contains("lock ok") && text.contains("layers ok");
    assert!(are_ok, "{text}");
    let wrong = xtask(&["ci", "--only", "lock", "--only", "nothing"]);
    assert!(errors(&wrong).contains("unknown step `nothing`"));
}

#[test]
fn unknown_arguments_exit_with_2_and_show_what_is_expected() {
    for arguments in [
        &["codegen", "--chekc"][..],
        &["no-such-command"],
        &["ci", "--only"],
    ] {
        let output = xtask(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&output).contains("--help"), "{}", errors(&output));
    }
}
