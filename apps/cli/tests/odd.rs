//! Servers with schemas, lists and results that typed servers do not send.

use serde_json::{Value, json};

#[cfg(unix)]
use super::terminal::User;
use crate::support::program::{Printed, mcp};

use super::subject;

/// Runs `mcp` with the odd server.
fn odd(arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command.args(arguments).arg("--").arg(subject()).arg("odd");
    command.output().expect("it runs").into()
}

/// Returns the arguments that the server receives for the words of a call.
fn sent(words: &[&str]) -> Value {
    let called = odd(&[&["call", "types"], words].concat());
    assert_eq!((called.code, &*called.err), (Some(0), ""), "{called:?}");
    serde_json::from_str(&called.out).expect("JSON")
}

#[test]
fn arguments_have_the_types_of_combined_and_referenced_schemas() {
    for (word, expected) in [
        ("text=12", json!({"text": "12"})),
        ("text=null", json!({"text": null})),
        ("words=true", json!({"words": "true"})),
        ("words=null", json!({"words": null})),
        ("count=3", json!({"count": 3})),
        ("count=null", json!({"count": null})),
        ("flag=yes", json!({"flag": true})),
        ("flag=false", json!({"flag": false})),
        ("either=7", json!({"either": 7})),
        ("either=seven", json!({"either": "seven"})),
        (r#"place={"city":"x"}"#, json!({"place": {"city": "x"}})),
        ("colour=1", json!({"colour": "1"})),
        ("colour=null", json!({"colour": null})),
        ("level=2", json!({"level": 2})),
        ("only=12", json!({"only": "12"})),
        ("list=x", json!({"list": ["x"]})),
        ("list=1, b", json!({"list": ["1", "b"]})),
        (r#"list=["a,b"]"#, json!({"list": ["a,b"]})),
        ("numbers=1,2", json!({"numbers": [1, 2]})),
        // The server says what is wrong.
        ("numbers=x", json!({"numbers": "x"})),
        ("other=1", json!({"other": 1})),
    ] {
        assert_eq!(sent(&[word]), expected, "{word}");
    }
}

#[test]
fn malformed_json_of_an_argument_is_an_error_of_usage() {
    for word in ["place={bad", "numbers=[1,", "place={city: x}"] {
        let called = odd(&["call", "types", word]);
        assert_eq!((called.code, &*called.out), (Some(2), ""), "{called:?}");
        let name = word.split('=').next().expect("a name");
        let expected = format!("invalid argument `{name}`: expected JSON");
        assert!(called.err.contains(&expected), "{called:?}");
    }
    // A text may begin with a brace.
    assert_eq!(sent(&["text={bad"]), json!({"text": "{bad"}));
}

#[test]
fn tools_are_shown_with_nested_types_bounds_and_annotations() {
    let tools = odd(&["tools", "typ"]);
    let expected = "types [read-only, closed world]\n    \
        text: string|null, required, default null\n    \
        words: string|null\n    \
        count: integer|null, default null\n    \
        flag: boolean - On\n    \
        either: integer|string\n    \
        place: {city: string, near?: array of object}, required\n    \
        colour: string|null [red, 1], default null\n    \
        level: integer [1, 2]\n    \
        only: string [12]\n    \
        list: array of string, at least 1 values\n    \
        numbers: array of integer\n    \
        month: integer, at least 1, at most 12\n    \
        returns {sum?: number}\n  \
        icon: data:image/png, 21 characters, 48x48\n";
    assert_eq!(tools.out, expected);
    let none = odd(&["tools", "typing"]);
    assert!(none.err.contains("the cursor \"2\" twice"), "{none:?}");
}

#[test]
fn elements_that_arrived_are_shown_before_the_fault_of_their_list() {
    for (arguments, shown) in [
        (&["tools"][..], "\nmedia\n"),
        (&["tools", "--json"], r#""name":"media""#),
    ] {
        let tools = odd(arguments);
        assert_eq!(tools.code, Some(6), "{tools:?}");
        assert!(tools.out.contains(shown), "{tools:?}");
        assert!(tools.err.contains("the cursor \"2\" twice"), "{tools:?}");
    }
}

#[test]
fn calls_read_as_many_pages_as_they_need_and_ignore_faults_of_the_list() {
    let first = odd(&["call", "-v", "types", "count=1"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(!first.err.contains("page 2"), "{first:?}");
    let unlisted = odd(&["call", "unlisted", "a=1"]);
    assert_eq!((unlisted.code, &*unlisted.out), (Some(0), "{\"a\":1}\n"));
    assert!(unlisted.err.contains("cursor"), "{unlisted:?}");
}

#[test]
fn capabilities_that_are_off_and_websites_that_run_scripts_are_not_shown() {
    let found = odd(&["discover"]);
    let revision = mcp_client::types::Revision::LATEST;
    let expected = format!(
        "odd 1\n  icon: https://example.com/i.png, image/png\nrevision {revision}\n\
         completions\nresources\ntools\n"
    );
    let lines = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&found.out), lines(&expected), "{found:?}");
    assert!(found.err.contains("The website is not shown"), "{found:?}");
    assert!(!found.err.contains("alert"), "{found:?}");
}

#[test]
fn absent_features_are_named() {
    for (arguments, code, said) in [
        (["prompts"], 4, "mcp: the server offers no prompts\n"),
        (["resources"], 0, "the list of resources is empty\n"),
    ] {
        let none = odd(&arguments);
        assert_eq!((none.code, &*none.err), (Some(code), said), "{none:?}");
    }
    let watch = odd(&["watch"]);
    assert_eq!(watch.code, Some(4), "{watch:?}");
    assert!(watch.err.contains("reports no changes"), "{watch:?}");
}

#[test]
fn invalid_result_of_a_tool_is_printed_as_json() {
    let invalid = odd(&["call", "invalid", "--json"]);
    assert_eq!(invalid.code, Some(1), "{invalid:?}");
    let result: Value = serde_json::from_str(&invalid.out).expect("JSON");
    assert_eq!(result["content"][0]["text"], 7);
    // A block that cannot be read is shown as it is.
    let invalid = odd(&["call", "invalid"]);
    assert_eq!(invalid.code, Some(1), "{invalid:?}");
    assert!(
        invalid.out.contains(r#"{"type":"text","text":7}"#),
        "{invalid:?}"
    );
}

#[test]
fn binary_contents_are_separated_and_saved() {
    let folder = std::env::temp_dir().join(format!("mcp-media-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("media.bin");
    let media = odd(&["call", "media", "-o", file.to_str().expect("text")]);
    assert_eq!(media.code, Some(0), "{media:?}");
    let expected = "one\n\n[image, image/png, 3 bytes]\n\n[audio, audio/wav, 4 bytes]\n";
    assert_eq!(media.out, expected);
    let read = |name| std::fs::read(folder.join(name)).expect("a file");
    assert_eq!(read("media.bin"), [1, 2, 3]);
    assert_eq!(read("media-2.bin"), [4, 5, 6, 7]);
    // Only the file that was named is replaced.
    std::fs::write(folder.join("media-2.bin"), "mine").expect("written");
    let again = odd(&["call", "media", "-o", file.to_str().expect("text")]);
    assert!(again.code.is_some_and(|code| code != 0), "{again:?}");
    assert_eq!(read("media-2.bin"), b"mine");
    std::fs::remove_dir_all(&folder).expect("removed");
    let none = odd(&["call", "types", "-o", "/nowhere"]);
    assert_eq!(none.code, Some(4), "{none:?}");
}

#[test]
fn contents_of_several_resources_are_labelled_and_reported() {
    let read = odd(&["read", "x:a"]);
    let expected = "[x:a, unknown type, 1 bytes]\nA\n\n[x:b, text/plain, 1 bytes]\nB\n";
    assert_eq!((read.code, &*read.out), (Some(0), expected), "{read:?}");
    assert!(read.err.contains("several resources"), "{read:?}");
}

#[test]
fn values_are_suggested_and_any_request_is_sent() {
    let named = ["complete", "greet", "name=A", "language=de"];
    let values = odd(&[&named[..], &["--revision", "2026-07-28"]].concat());
    let expected = "A\n{\"arguments\":{\"language\":\"de\"}}\n";
    assert_eq!(
        (values.code, &*values.out),
        (Some(0), expected),
        "{values:?}"
    );
    assert!(values.err.contains("more values"), "{values:?}");
    let args = r#"{"arguments": [1]}"#;
    let any = odd(&["request", "custom/method", "--args", args]);
    let result: Value = serde_json::from_str(&any.out).expect("JSON");
    assert_eq!(result["echo"], json!([1]));
    let ping = odd(&["ping"]);
    assert!(ping.out.starts_with("answered in "), "{ping:?}");
}

#[cfg(unix)]
#[test]
fn form_shows_and_checks_constraints_and_asks_again() {
    let mut user = User::runs_with(&["call", "form"], &["odd"]);
    user.sees("mail (string), format email, at most 20 characters, pattern \\.(com|example)$:");
    user.types("nobody");
    user.sees("The answer is not of the format `email`.");
    user.types("somebody.with.a.long.name@example.com");
    user.sees("The answer has more than 20 characters.");
    user.types("a@b.c");
    user.sees("The answer does not match the pattern `\\.(com|example)$`.");
    user.types("a@b.com");
    user.sees("size (string) [1: s (Small), 2: l (Large)]:");
    user.types("3");
    user.sees("Expected one of the choices.");
    user.types("Large");
    user.sees("age (integer, optional), at least 18:");
    user.types("17");
    user.sees("The answer is less than 18.");
    user.types("");
    user.sees("topics (array of \"a\"|\"b\"|\"c\") [1: a, 2: b, 3: c], at least 2 values:");
    user.types("1");
    user.sees("The answer has fewer than 2 values.");
    user.types("1, c");
    user.sees("[y/N]");
    user.types("y");
    user.sees(r#""content":{"mail":"a@b.com","size":"l","topics":["a","c"]}"#);
    user.ends(0);
}

#[cfg(unix)]
#[test]
fn program_gets_variables_and_a_folder() {
    let folder = std::env::temp_dir();
    let folder = folder.canonicalize().expect("a path");
    let mut command = mcp();
    command.args(["ping", "-v", "-e", "KEY=a=b", "--cwd"]);
    command.arg(&folder).args(["--", "sh", "-c"]);
    let script = format!(
        "echo \"$KEY in $(pwd)\" >&2; exec '{}' odd",
        subject().display()
    );
    let output = command
        .arg(script)
        .stdin(std::process::Stdio::null())
        .output();
    let printed = Printed::from(output.expect("it runs"));
    let expected = format!("server: a=b in {}\n", folder.display());
    assert!(printed.err.contains(&expected), "{printed:?}");
}
