//! Calls of tools.

use serde_json::json;

use crate::{json, printed, run, run_with};

#[test]
fn arguments_have_the_types_that_the_tool_asks_for() {
    assert_eq!(printed(&["call", "add", "a=1", "b=2.5"]), "3.5\n");
    // Text stays text, whatever it looks like.
    assert_eq!(printed(&["call", "echo", "text=12", "times=2"]), "1212\n");
    assert_eq!(printed(&["call", "echo", "text=a=b"]), "a=b\n");
    assert_eq!(printed(&["call", "echo", "text={}", "times=null"]), "{}\n");
}

#[test]
fn arguments_come_as_an_object_from_a_word_a_file_or_the_input() {
    let args = r#"{"a": 1, "b": 2}"#;
    assert_eq!(printed(&["call", "add", "--args", args]), "3\n");
    assert_eq!(printed(&["call", "add", "--args", args, "b=9"]), "10\n");
    assert_eq!(run_with(args, &["call", "add", "--args", "-"]).out, "3\n");

    let file = std::env::temp_dir().join(format!("mcp-args-{}", std::process::id()));
    std::fs::write(&file, args).expect("written");
    let named = format!("@{}", file.display());
    assert_eq!(printed(&["call", "add", "--args", &named]), "3\n");
    std::fs::remove_file(&file).expect("it is there");
}

#[test]
fn the_result_is_one_json_value() {
    let result = json(&["call", "add", "a=1", "b=2"]);
    assert_eq!(result["content"][0], json!({"type": "text", "text": "3"}));
    assert_eq!(result["resultType"], "complete");
}

#[test]
fn pictures_are_told_with_type_and_size() {
    assert_eq!(
        printed(&["call", "picture"]),
        "[image, image/png, 4 bytes]\n"
    );
}

#[test]
fn a_tool_that_fails_is_printed_and_told_by_the_exit_code() {
    let failed = run(&["call", "fail"]);
    assert_eq!(failed.code, Some(1));
    assert_eq!(failed.out, "it does not work\n");
    let failed = run(&["--json", "call", "fail"]);
    assert_eq!(failed.code, Some(1));
    assert!(failed.out.contains(r#""isError":true"#), "{failed:?}");
}

#[test]
fn questions_are_declined_where_nobody_can_be_asked() {
    for revision in ["2026-07-28", "2025-11-25"] {
        let order = ["call", "order", "--revision", revision];
        assert_eq!(printed(&order), "declined\n");
        let page = ["call", "page", "--revision", revision];
        assert_eq!(printed(&page), "Declined\n");
    }
}

#[test]
fn logs_and_stderr_of_the_server_are_shown_on_request() {
    assert_eq!(printed(&["call", "log"]), "logged\n");
    let verbose = run(&["-v", "call", "log"]);
    assert_eq!(verbose.out, "logged\n");
    assert!(verbose.err.contains("on stderr\n"), "{verbose:?}");
    assert!(
        verbose.err.contains("log warning subject: a warning\n"),
        "{verbose:?}"
    );
}
