//! A server that tries to control its user's terminal.

use std::fs::File;
use std::process::Stdio;

#[cfg(unix)]
use super::terminal::User;
use crate::support::program::{Printed, mcp};

use super::subject;

/// The commands that are run with the server.
const COMMANDS: &[&[&str]] = &[
    &["discover"],
    &["tools"],
    &["tools", "x"],
    &["complete", "any", "a=b"],
    &["call", "any"],
    &["resources"],
    &["read", "x:1"],
    &["fetch", "x:1"],
    &["metadata", "x:1"],
    &["tree"],
    &["tree", "x:1"],
    &["prompts"],
    &["prompt", "any"],
];

/// Returns `true` for characters that control a terminal or reorder text.
fn is_control(c: char) -> bool {
    let reorders = matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    reorders || (c.is_control() && c != '\n')
}

fn run(arguments: &[&str], read: bool) -> Printed {
    let mut command = mcp();
    command
        .args(arguments)
        .arg("--")
        .arg(subject())
        .arg("hostile");
    if read {
        // Redirected output gets the content of a resource unchanged.
        let null = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let null = File::options().write(true).open(null);
        command.stdout(Stdio::from(null.expect("there is one")));
        command.stderr(Stdio::piped());
        return command
            .spawn()
            .expect("it runs")
            .wait_with_output()
            .expect("it ends")
            .into();
    }
    command.output().expect("it runs").into()
}

#[test]
fn control_characters_are_not_printed_to_a_pipe() {
    for arguments in COMMANDS {
        for more in [&[][..], &["-v"]] {
            let arguments = [*arguments, more].concat();
            let read = matches!(arguments.first(), Some(&"read" | &"fetch"));
            let printed = run(&arguments, read);
            let silent = printed.out.is_empty() && printed.err.is_empty();
            assert!(read || !silent, "{arguments:?}: {printed:?}");
            for text in [&printed.out, &printed.err] {
                assert!(!text.contains(is_control), "{arguments:?}: {text:?}");
                let lines: Vec<_> = text.lines().map(str::trim_end).collect();
                // The text of a tool or prompt may have several lines.
                if !matches!(arguments.first(), Some(&"call" | &"prompt")) || text == &printed.err {
                    assert!(!lines.contains(&"mcp: forged"), "{arguments:?}: {text}");
                }
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn control_characters_are_not_printed_to_a_terminal() {
    for arguments in COMMANDS {
        for more in [&[][..], &["-v"], &["--json"]] {
            let arguments = [*arguments, more].concat();
            let user = User::runs_with(&arguments, &["hostile"]);
            let seen = user.sees_all();
            // The sequences of the progress bar are our own, and so are line ends.
            let seen = seen.replace("\r\x1b[K", "").replace("\r\n", "\n");
            assert!(!seen.contains(is_control), "{arguments:?}: {seen:?}");
        }
    }
}

/// JSON output is the same on a terminal and in a pipe.
#[test]
fn json_output_contains_the_exact_text_of_the_server() {
    let printed = run(&["call", "any", "--json"], false);
    let result: serde_json::Value = serde_json::from_str(&printed.out).expect("JSON");
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("\x1b]0;owned\x07"), "{text:?}");
}

/// Redirected output has the exact content of the resource.
#[test]
fn content_of_a_resource_is_written_unchanged_to_a_pipe() {
    let printed = run(&["read", "x:1"], false);
    assert!(printed.out.starts_with("\x1b]0;owned\x07"), "{printed:?}");
}
