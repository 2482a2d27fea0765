//! Commands that show what a server offers.

use mcp_client::types::Revision;

use crate::support::program::mcp;

use super::{Served, json, printed, run};

#[test]
fn tools_are_shown_with_their_arguments() {
    let tools = printed(&["tools"]);
    let add = "add\n  Adds two numbers\n    a: number, required - The first\n    b: number, required - The second\n";
    assert!(tools.contains(add), "{tools}");
    let echo = "    text: string, required\n    times: integer|null";
    assert!(tools.contains(echo), "{tools}");
    let names = json(&["tools"]);
    let names = names["tools"].as_array().expect("a list");
    assert!(names.iter().any(|tool| tool["name"] == "add"), "{names:?}");
}

#[test]
fn resources_and_prompts_are_listed() {
    let text = "test://text\n  text, text/plain, 13 bytes\n  Two lines\n";
    let resources = printed(&["resources"]);
    assert!(
        resources.contains("test://text\n  text, text/plain"),
        "{resources} {text}"
    );
    assert_eq!(json(&["resources"])["resources"][1]["uri"], "test://bytes");
    let prompts = printed(&["prompts"]);
    assert_eq!(prompts, "greet\n  Greets\n    text, required\n    times\n");
    assert_eq!(json(&["prompts"])["prompts"][0]["name"], "greet");
}

#[test]
fn discover_works_in_both_eras() {
    let found = printed(&["discover"]);
    let latest = Revision::LATEST;
    let first = format!("subject (The Subject) 1.2.3\nrevision {latest}\n");
    assert!(found.starts_with(&first), "{found}");
    assert!(found.contains("\ntools listChanged\n"), "{found}");
    assert!(found.ends_with("instructions:\n  Be kind.\n"), "{found}");
    assert_eq!(json(&["discover"])["instructions"], "Be kind.");

    let old = ["discover", "--revision", "2025-06-18"];
    assert!(printed(&old).contains("\nrevision 2025-06-18\n"));
    let found = json(&old);
    assert_eq!(found["protocolVersion"], "2025-06-18");
    assert_eq!(found["serverInfo"]["name"], "subject");
}

#[test]
fn text_is_printed_unchanged_and_bytes_are_written_to_a_file() {
    assert_eq!(printed(&["read", "test://text"]), "one\n\ntwo\x1b[31m\n");
    assert_eq!(
        printed(&["read", "test://bytes"]),
        "[test://bytes, application/octet-stream, 4 bytes]\n"
    );
    assert_eq!(
        json(&["read", "test://bytes"])["contents"][0]["blob"],
        "AJ+Slg=="
    );

    let file = std::env::temp_dir().join(format!("mcp-cli-{}", std::process::id()));
    let path = file.to_str().expect("text");
    assert_eq!(printed(&["read", "test://bytes", "-o", path]), "");
    assert_eq!(std::fs::read(&file).expect("a file"), [0, 159, 146, 150]);
    std::fs::remove_file(&file).expect("the value exists");

    let missing = run(&["read", "test://bytes", "-o", "/nowhere/file"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(missing.err.contains("/nowhere/file"), "{missing:?}");
}

#[test]
fn prompt_is_printed() {
    assert_eq!(
        printed(&["prompt", "greet", "text=007"]),
        "user:\nGreet 007!\n"
    );
    let args = ["prompt", "greet", "--args", r#"{"text": "Ada"}"#];
    assert_eq!(json(&args)["messages"][0]["content"]["text"], "Greet Ada!");
}

#[test]
fn url_can_be_given_as_server() {
    let served = Served::start();
    let run = |arguments: &[&str]| {
        let output = mcp().args(arguments).output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let url = served.url.as_str();
    assert_eq!(run(&["call", url, "add", "a=1", "b=2"]), "3\n");
    let header = ["--header", "x-tenant: blue"];
    assert!(run(&[&["tools", url], &header[..]].concat()).contains("add\n"));
    let call = r#"{"name": "add", "arguments": {"a": 1, "b": 2}}"#;
    for revision in ["2026-07-28", "2025-11-25"] {
        let sent = [
            "request",
            url,
            "tools/call",
            "--args",
            call,
            "--revision",
            revision,
        ];
        assert!(run(&sent).contains(r#""text":"3""#), "{revision}");
        assert!(run(&["ping", url, "--revision", revision]).contains("answered in"));
    }
    let old = ["discover", url, "--revision", "2025-11-25"];
    assert!(run(&old).contains("revision 2025-11-25"));
}
