//! Calls of tools.

use mcp_client::types::Revision;
use serde_json::json;

use crate::support::program::{Printed, mcp};

use super::{Served, json, printed, run, run_with};

#[test]
fn arguments_get_the_types_of_the_tools_schema() {
    assert_eq!(printed(&["call", "add", "a=1", "b=2.5"]), "3.5\n");
    // Text is passed unchanged, even if it looks like a number.
    assert_eq!(printed(&["call", "echo", "text=12", "times=2"]), "1212\n");
    assert_eq!(printed(&["call", "echo", "text=a=b"]), "a=b\n");
    assert_eq!(printed(&["call", "echo", "text={}", "times=null"]), "{}\n");
}

#[test]
fn arguments_are_read_from_the_command_line_a_file_or_stdin() {
    let args = r#"{"a": 1, "b": 2}"#;
    assert_eq!(printed(&["call", "add", "--args", args]), "3\n");
    assert_eq!(printed(&["call", "add", "--args", args, "b=9"]), "10\n");
    assert_eq!(run_with(args, &["call", "add", "--args", "-"]).out, "3\n");

    let file = std::env::temp_dir().join(format!("mcp-args-{}", std::process::id()));
    std::fs::write(&file, args).expect("written");
    let named = format!("@{}", file.display());
    assert_eq!(printed(&["call", "add", "--args", &named]), "3\n");
    std::fs::remove_file(&file).expect("the value exists");
}

#[test]
fn result_is_printed_as_one_json_value() {
    let result = json(&["call", "add", "a=1", "b=2"]);
    assert_eq!(result["content"][0], json!({"type": "text", "text": "3"}));
    assert_eq!(result["resultType"], "complete");
}

#[test]
fn images_are_printed_with_type_and_size() {
    assert_eq!(
        printed(&["call", "picture"]),
        "[image, image/png, 4 bytes]\n"
    );
}

#[test]
fn failed_tool_exits_with_1() {
    let failed = run(&["call", "fail"]);
    assert_eq!(failed.code, Some(1));
    assert_eq!(failed.out, "it does not work\n");
    let failed = run(&["call", "fail", "--json"]);
    assert_eq!(failed.code, Some(1));
    assert!(failed.out.contains(r#""isError":true"#), "{failed:?}");
}

#[test]
fn unanswerable_questions_are_declined_with_a_reason() {
    for revision in [Revision::LATEST.as_str(), "2025-11-25"] {
        let order = run(&["call", "order", "--revision", revision]);
        assert_eq!(order.out, "declined\n");
        assert_eq!(
            order.err,
            "The server asks: What will it be?\n  dish (string) - Of the day:\n\
             The question is declined: standard input has no more lines.\n"
        );
        let page = run(&["call", "page", "--revision", revision]);
        assert_eq!(page.out, "Declined\n");
        assert!(page.err.contains("standard input has no more lines"));
    }
}

#[test]
fn piped_answers_are_used_if_they_confirm() {
    for revision in [Revision::LATEST.as_str(), "2025-11-25"] {
        let order = ["call", "order", "--revision", revision];
        let sent = run_with("soup\n2\nno\ny\n", &order);
        assert_eq!(
            sent.out,
            "{\"dish\":\"soup\",\"portions\":2,\"salad\":false}\n"
        );
        let unconfirmed = run_with("soup\n2\nno\n", &order);
        assert_eq!(unconfirmed.out, "declined\n");
        assert!(unconfirmed.err.contains("standard input has no more lines"));
        let page = run_with("y\n", &["call", "page", "--revision", revision]);
        assert_eq!(page.out, "Accepted(())\n");
    }
}

#[test]
fn verbose_shows_progress_and_no_events_of_libraries() {
    let half = run(&["call", "-v", "half", "--timeout", "1"]);
    assert_eq!(half.code, Some(5), "{half:?}");
    assert!(
        half.err.contains("progress 1 of 2: half of it\n"),
        "{half:?}"
    );
    let server = Served::start();
    let tools = mcp().args(["tools", "-v", &server.url]).output();
    let tools = Printed::from(tools.expect("it runs"));
    assert_eq!(tools.code, Some(0), "{tools:?}");
    assert!(!tools.err.contains("hyper"), "{tools:?}");
}

#[test]
fn logs_and_stderr_of_the_server_are_shown_on_request() {
    // A later revision may not have log messages.
    let call = ["call", "log", "--revision", "2026-07-28"];
    assert_eq!(printed(&call), "logged\n");
    let verbose = run(&[&call[..], &["-v"]].concat());
    assert_eq!(verbose.out, "logged\n");
    assert!(verbose.err.contains("on stderr\n"), "{verbose:?}");
    assert!(
        verbose.err.contains("log warning subject: a warning\n"),
        "{verbose:?}"
    );
}
