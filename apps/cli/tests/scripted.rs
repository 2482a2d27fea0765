//! Servers that give exact answers, which typed ones rarely give.

use super::subject;
use crate::support::program::{Printed, mcp};

/// Runs `mcp` with the scripted server.
fn scripted(arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command
        .args(arguments)
        .arg("--")
        .arg(subject())
        .arg("scripted");
    command.output().expect("it runs").into()
}

#[test]
fn task_whose_state_is_once_unknown_is_followed_to_its_end() {
    for command in [
        &["call", "-v", "durable"][..],
        &["tasks", "wait", "-v", "t-1"],
    ] {
        let called = scripted(command);
        assert_eq!(
            (called.code, &*called.out),
            (Some(0), "done\n"),
            "{called:?}"
        );
        assert!(!called.err.contains("cancelled"), "{called:?}");
    }
}

#[cfg(unix)]
#[test]
fn logs_of_servers_are_shown_without_secrets() {
    let script = "printf '%s\\n' 'API_TOKEN=SESAME' '-----BEGIN PRIVATE KEY-----' SESAME \
                  '-----END PRIVATE KEY-----' after >&2; exec \"$0\" scripted";
    let mut command = mcp();
    command.args(["call", "-v", "link", "--", "sh", "-c", script]);
    let called: Printed = command.arg(subject()).output().expect("it runs").into();
    assert_eq!(called.code, Some(0), "{called:?}");
    for line in ["server: API_TOKEN=[removed]\n", "server: after\n"] {
        assert!(called.err.contains(line), "{line} {called:?}");
    }
    assert!(!called.err.contains("SESAME"), "{called:?}");
}

#[test]
fn links_are_shown_with_their_urls_and_icons_with_their_themes() {
    let called = scripted(&["call", "link"]);
    let expected = "[resource x:a, a, https://files.example.com/a?sig=1]\n";
    assert_eq!(
        (called.code, &*called.out),
        (Some(0), expected),
        "{called:?}"
    );
    let tools = scripted(&["tools"]);
    let icon = "icon: https://example.com/i.png, 48x48, dark theme\n";
    assert!(tools.out.contains(icon), "{tools:?}");
}

#[test]
fn refusal_of_metadata_is_shown_before_the_resource_is_read() {
    let fetched = scripted(&["fetch", "x:a"]);
    assert_eq!((fetched.code, &*fetched.out), (Some(0), "A"), "{fetched:?}");
    let refusal = "the metadata are refused: ";
    assert!(fetched.err.starts_with(refusal), "{fetched:?}");
    assert!(fetched.err.contains("no metadata today"), "{fetched:?}");
}

#[test]
fn content_that_can_only_be_fetched_is_no_fault() {
    let checked = scripted(&["check", "--read"]);
    let place = "hint: resource `x:large`: it cannot be read, only fetched by its `httpUrl`";
    assert!(checked.out.contains(place), "{checked:?}");
    assert!(!checked.out.contains("error: resource"), "{checked:?}");
    let read = scripted(&["read", "x:large"]);
    assert_eq!(read.code, Some(4), "{read:?}");
    assert!(read.err.contains("hint: `mcp fetch`"), "{read:?}");
}
