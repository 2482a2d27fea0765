//! Formats, limits, completions, manual pages and help.

#[cfg(unix)]
use super::terminal::User;
use super::{json, printed, run};
use crate::support::program::{Printed, mcp};

fn bare(arguments: &[&str]) -> Printed {
    mcp().args(arguments).output().expect("it runs").into()
}

#[test]
fn lists_are_printed_as_tables() {
    let table = printed(&["tools", "--format", "table"]);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("NAME      ARGUMENTS    "), "{table}");
    assert_eq!(
        lines[1].split_whitespace().collect::<Vec<_>>(),
        ["add", "a,", "b", "Adds", "two", "numbers"]
    );
    assert!(table.contains("text, times?"), "{table}");
    assert!(!table.contains('\u{1b}'), "{table}");
    let resources = printed(&["resources", "--format", "table"]);
    assert!(
        resources.contains("test://text   text   text/plain"),
        "{resources}"
    );
    let prompts = printed(&["prompts", "--format", "table"]);
    assert!(
        prompts.ends_with("greet  text, times  Greets\n"),
        "{prompts}"
    );
}

#[test]
fn results_are_printed_as_yaml() {
    let tools = printed(&["tools", "add", "--format", "yaml"]);
    assert!(
        tools.starts_with("tools:\n- name: add\n  description: Adds two numbers\n"),
        "{tools}"
    );
    let call = printed(&["call", "add", "a=1", "b=2", "--format", "yaml"]);
    assert!(
        call.contains("text: '3'") || call.contains("text: \"3\""),
        "{call}"
    );
    let coloured = printed(&["call", "coloured", "--format", "yaml"]);
    assert!(!coloured.contains('\u{1b}'), "{coloured:?}");
    assert_eq!(
        json(&["tools", "add"]),
        serde_json::from_str::<serde_json::Value>(&printed(&["tools", "add", "--format", "json"]))
            .expect("JSON")
    );
    let file = run(&["call", "picture", "-o", "/nowhere", "--format", "yaml"]);
    assert_eq!(file.code, Some(2), "{file:?}");
}

#[test]
fn limit_bounds_lists() {
    assert_eq!(
        json(&["tools", "--limit", "2"])["tools"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    assert_eq!(
        json(&["tools", "e", "--limit", "1"])["tools"][0]["name"],
        "echo"
    );
    let resources = json(&["resources", "--limit", "1"]);
    assert_eq!(resources["resources"].as_array().map(Vec::len), Some(1));
}

#[cfg(unix)]
#[test]
fn names_are_bold_on_a_terminal_unless_no_color_is_set() {
    let bold = User::runs(&["prompts"]).sees_all();
    assert!(bold.starts_with("\u{1b}[1mgreet\u{1b}[0m"), "{bold:?}");
    let plain = User::without_colours(&["prompts"]).sees_all();
    assert!(plain.starts_with("greet"), "{plain:?}");
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = bare(&["completions", shell]);
        assert_eq!((script.code, &*script.err), (Some(0), ""), "{shell}");
        assert!(script.out.contains("uninstall"), "{shell}");
    }
    assert_eq!(bare(&["completions", "tcsh"]).code, Some(2));
}

#[test]
fn manual_pages_are_printed() {
    let page = bare(&["man"]);
    assert_eq!(page.code, Some(0), "{page:?}");
    assert!(page.out.contains(".TH mcp 1"), "{}", page.out);
    let page = bare(&["man", "call"]);
    assert!(page.out.contains(".TH mcp-call 1"), "{}", page.out);
    assert!(page.out.contains("Calls a tool"), "{}", page.out);
    assert_eq!(bare(&["man", "dance"]).code, Some(2));
}

#[test]
fn help_begins_with_five_examples() {
    for flag in ["-h", "--help"] {
        let help = bare(&[flag]).out;
        let lines: Vec<&str> = help.lines().take(7).collect();
        assert_eq!(lines[0], "Examples:", "{help}");
        assert!(
            lines[1..6].iter().all(|line| line.starts_with("  mcp ")),
            "{help}"
        );
        assert_eq!(lines[6], "", "{help}");
    }
}

/// Help is short where nothing connects to a server.
#[test]
fn only_commands_that_connect_have_options_for_connections() {
    for command in [
        "completions",
        "explain",
        "install",
        "man",
        "servers",
        "uninstall",
    ] {
        let help = bare(&[command, "--help"]).out;
        for option in ["--timeout", "--cacert", "--login-port", "--revision"] {
            assert!(!help.contains(option), "{command} {option}: {help}");
        }
        let options = help.matches("\n      --").count();
        assert!(options < 9, "{command}: {help}");
    }
    for command in ["call", "gateway", "login", "record", "replay"] {
        let help = bare(&[command, "--help"]).out;
        assert!(help.contains("Connection:\n"), "{command}: {help}");
        assert!(help.contains("Login:\n"), "{command}: {help}");
    }
    let unused = bare(&["replay", "none.jsonl", "--timeout", "1"]);
    assert_eq!(unused.code, Some(2), "{unused:?}");
    assert!(unused.err.contains("--client"), "{unused:?}");
}
