//! `mcp replay`.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::record::run_recorded;
use super::subject;
use crate::support::conversation::Conversation;
use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

/// A session of a server from npm.
pub(super) const EVERYTHING: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/recordings/everything.jsonl"
);

/// Runs `mcp` with a replay as its server.
fn replayed(file: &str, arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command
        .args(arguments)
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_mcp"));
    command
        .args(["replay", file])
        .output()
        .expect("it runs")
        .into()
}

fn replay(file: &str) -> Conversation {
    let mut command = mcp();
    Conversation::start(command.args(["replay", file]))
}

#[test]
fn recorded_answers_are_repeated() {
    let folder = Folder::new("replay-answers").created();
    let file = folder.file("session.jsonl");
    for arguments in [
        &["tools"][..],
        &["call", "echo", "text=a", "--json"],
        &["call", "fail"],
        &["call", "log", "-v"],
        &["resources", "--revision", "2025-11-25"],
        &["discover", "--json"],
    ] {
        let recorded = run_recorded(&file, arguments, &[]);
        let replayed = replayed(&file, arguments);
        assert_eq!(replayed.out, recorded.out, "{arguments:?}: {replayed:?}");
        assert_eq!(replayed.code, recorded.code, "{replayed:?}");
    }
}

#[test]
fn ids_and_progress_tokens_are_those_of_the_client() {
    let mut server = replay(EVERYTHING);
    server.send(r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"other","version":"9"}}}"#);
    let answer: Value = serde_json::from_str(&server.line()).expect("JSON");
    assert_eq!(answer["id"], "i");
    assert_eq!(answer["result"]["serverInfo"]["version"], "2.0.0");
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    // The recording has a notification in front of this answer.
    server.send(r#"{"jsonrpc":"2.0","id":"t","method":"tools/list"}"#);
    assert!(server.line().contains("notifications/tools/list_changed"));
    assert!(
        server
            .line()
            .starts_with(r#"{"jsonrpc":"2.0","id":"t","result":{"tools":["#)
    );
    server.send(r#"{"jsonrpc":"2.0","id":"l","method":"tools/call","params":{"arguments":{"steps":4.0,"duration":1},"name":"trigger-long-running-operation","_meta":{"progressToken":"mine"}}}"#);
    for step in 1..=4 {
        let progress: Value = serde_json::from_str(&server.line()).expect("JSON");
        let params = json!({"progress": step, "total": 4, "progressToken": "mine"});
        assert_eq!(progress["params"], params);
    }
    let answer: Value = serde_json::from_str(&server.line()).expect("JSON");
    assert_eq!(answer["id"], "l");
    // Without a token there is no progress. The last answer is given again.
    server.send(r#"{"jsonrpc":"2.0","id":"m","method":"tools/call","params":{"arguments":{"steps":4,"duration":1},"name":"trigger-long-running-operation"}}"#);
    let again: Value = serde_json::from_str(&server.line()).expect("JSON");
    assert_eq!(
        (&again["id"], &again["result"]),
        (&json!("m"), &answer["result"])
    );
    // It has repeated an answer, and most requests were not made.
    assert_eq!(server.end().status.code(), Some(1));
}

const ONE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":1}}"#;

/// Returns the messages of two calls with their results.
fn two_calls() -> [(&'static str, String); 4] {
    [
        ("client", ONE.to_owned()),
        (
            "server",
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(),
        ),
        (
            "client",
            r#"{"jsonrpc":"2.0","id":2,"method":"b"}"#.to_owned(),
        ),
        (
            "server",
            r#"{"jsonrpc":"2.0","id":2,"result":{}}"#.to_owned(),
        ),
    ]
}

#[test]
fn misses_repeats_and_unused_parts_are_reported_at_the_end() {
    let folder = Folder::new("replay-report").created();
    let file = folder.file("session.jsonl");
    written(&file, &two_calls());
    let two = r#"{"jsonrpc":"2.0","id":2,"method":"b"}"#;
    let other = r#"{"jsonrpc":"2.0","id":3,"method":"a","params":{"n":2}}"#;
    for (sent, code, expected) in [
        (
            &[ONE, two][..],
            0,
            "2 of 2 requests replayed, 0 not recorded, 0 answered again\n",
        ),
        (
            &[ONE],
            1,
            "1 of 2 requests replayed, 0 not recorded, 0 answered again; not made: 1 `b`\n",
        ),
        (
            &[ONE, two, two],
            1,
            "its last answer is sent again: `b`\n2 of 2 requests replayed, 0 not recorded, 1 \
             answered again\n",
        ),
        (
            &[ONE, two, other],
            1,
            "`a` only with other params: $.n: expected 1, found 2\n2 of 2 requests replayed, 1 \
             not recorded, 0 answered again\n",
        ),
    ] {
        let mut server = replay(&file);
        for message in sent {
            server.send(message);
            server.line();
        }
        let printed: Printed = server.end().into();
        assert_eq!(printed.code, Some(code), "{printed:?}");
        assert!(printed.err.ends_with(expected), "{printed:?}");
    }
}

#[cfg(unix)]
#[test]
fn host_may_end_a_replay_with_a_signal() {
    let folder = Folder::new("replay-signal").created();
    let file = folder.file("session.jsonl");
    written(&file, &two_calls()[..2]);
    let mut server = replay(&file);
    server.send(ONE);
    server.line();
    let id = i32::try_from(server.child.id()).expect("an id");
    kill_process(Pid::from_raw(id).expect("an id"), Signal::TERM).expect("sent");
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0));
}

/// The recording starts `bash`.
#[cfg(unix)]
#[test]
fn client_of_a_recording_uses_the_ids_cursors_and_states_of_this_run() {
    let folder = Folder::new("replay-handles").created();
    let file = folder.file("session.jsonl");
    let call = |id: u8, method: &str, params: &str| {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        ("client", text)
    };
    let result = |id: u8, result: &str| {
        (
            "server",
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        )
    };
    let task = r#"{"taskId":"[task 1]","status":"working","createdAt":"1","note":"a"}"#;
    written(
        &file,
        &[
            call(1, "tools/call", r#"{"name":"x"}"#),
            result(1, task),
            call(2, "tasks/get", r#"{"taskId":"[task 1]"}"#),
            result(
                2,
                r#"{"taskId":"[task 1]","status":"completed","nextCursor":"old"}"#,
            ),
            call(3, "tools/list", r#"{"cursor":"old"}"#),
            result(3, r#"{"tools":[],"requestState":"s1"}"#),
            call(
                4,
                "tools/call",
                r#"{"requestState":"s1","arguments":{"requestState":"s1"}}"#,
            ),
            result(4, r#"{"ok":true}"#),
        ],
    );
    let script = r#"while read -r line; do case "$line" in
        *'"id":1,'*) r='{"taskId":"new","status":"working","createdAt":"2","note":"b"}'; id=1;;
        *'"taskId":"new"'*) r='{"taskId":"new","status":"completed","nextCursor":"fresh"}'; id=2;;
        *'"cursor":"fresh"'*) r='{"tools":[],"requestState":"s2"}'; id=3;;
        *'"requestState":"s2","arguments":{"requestState":"s1"}'*) r='{"ok":true}'; id=4;;
        *) r='{"wrong":true}';; esac
        echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$r}"; done"#;
    let client = |ignored: &[&str]| -> Printed {
        let mut command = mcp();
        command
            .args(["replay", "--client", "--timeout", "5", &file])
            .args(ignored);
        command
            .args(["--", "bash", "-c", script])
            .output()
            .expect("it runs")
            .into()
    };
    let other = client(&[]);
    let expected = "#1 tools/call\n  $.note: expected \"a\", found \"b\"\n";
    assert_eq!((other.code, &*other.out), (Some(1), expected), "{other:?}");
    for ignored in ["note", "$.note"] {
        let same = client(&["--ignore", ignored]);
        assert_eq!((same.code, &*same.out), (Some(0), ""), "{same:?}");
    }
}

#[test]
fn unrecorded_requests_are_answered_with_what_was_expected() {
    let mut server = replay(EVERYTHING);
    for (request, code, message) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get-sum","arguments":{"a":2,"b":4}}}"#,
            -32602,
            "the recording has `tools/call` only with other params: $.arguments.b: expected 3, found 4",
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{}}"#,
            -32601,
            "the recording has no request `completion/complete`: expected one of initialize, prompts/get, \
             prompts/list, resources/list, resources/read, tools/call, tools/list",
        ),
        ("{", -32700, "message is not JSON"),
    ] {
        server.send(request);
        let answer: Value = serde_json::from_str(&server.line()).expect("JSON");
        assert_eq!(answer["error"]["code"], code, "{answer}");
        let found = answer["error"]["message"].as_str().expect("text");
        assert!(code == -32700 || found == message, "{found}");
    }
    server.send(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#);
    assert_eq!(server.line(), r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
}

#[test]
fn questions_of_the_server_are_asked_at_the_same_place() {
    let folder = Folder::new("replay-questions").created();
    let file = folder.file("session.jsonl");
    let subject = subject();
    let recorder = ["record", "-o", &file, "--", subject.to_str().expect("text")];
    let player = ["replay", &file];
    let mut answers = Vec::new();
    for (server, answer) in [
        (&recorder[..], "soup\n2\nyes\nyes\n"),
        (&player, "tea\n1\nno\nyes\n"),
    ] {
        let mut command = mcp();
        command.args(["call", "--revision", "2025-11-25", "order", "--"]);
        command.arg(env!("CARGO_BIN_EXE_mcp")).args(server);
        let mut client = Conversation::start(&mut command);
        client.send(answer);
        let output: Printed = client.end().into();
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(output.err.contains("What will it be?"), "{output:?}");
        answers.push(output.out);
    }
    // The recorded result follows, whatever the answer is.
    assert!(answers[0].contains("soup"), "{answers:?}");
    assert_eq!(answers[0], answers[1]);
    // The client of the recording answers as it did.
    let mut command = mcp();
    command
        .args(["replay", &file, "--client", "--"])
        .arg(subject);
    let printed: Printed = command.output().expect("it runs").into();
    assert_eq!(printed.code, Some(0), "{printed:?}");
}

#[test]
fn client_of_a_recording_reports_how_results_differ() {
    let folder = Folder::new("replay-client").created();
    let file = folder.file("session.jsonl");
    run_recorded(&file, &["tools"], &[]);
    let client = |arguments: &[&str], subjects: &[&str]| -> Printed {
        let mut command = mcp();
        command.args(["replay", &file, "--client"]).args(arguments);
        command.arg("--").arg(subject()).args(subjects);
        command.output().expect("it runs").into()
    };
    let same = client(&[], &[]);
    assert_eq!((same.code, &*same.out), (Some(0), ""), "{same:?}");
    assert!(
        same.err.contains("2 answers compared, 0 differ"),
        "{same:?}"
    );
    let other = client(&[], &["tasks"]);
    assert_eq!(other.code, Some(1), "{other:?}");
    assert!(other.out.contains("#3 tools/list\n  $.tools["), "{other:?}");
    let other = client(&["--json"], &["tasks"]);
    let report: Value = serde_json::from_str(&other.out).expect("JSON");
    assert_eq!(report["compared"], 2);
    let none = client(&["--timeout", "1"], &["no", "http"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.out.contains("there is no answer"), "{none:?}");
}

#[test]
fn http_replay_answers_clients_and_replays_over_http() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp"));
    command.args(["replay", EVERYTHING, "--listen", "127.0.0.1:0"]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    stderr.read_line(&mut line).expect("a line");
    let url = line
        .trim()
        .strip_prefix("replaying at ")
        .expect("an address");
    let direct = replayed(EVERYTHING, &["tools"]);
    let over_http: Printed = mcp().args(["tools", url]).output().expect("it runs").into();
    assert_eq!(direct.code, Some(0), "{direct:?}");
    assert_eq!(over_http.out, direct.out, "{over_http:?}");
    let client = mcp().args(["replay", EVERYTHING, "--client", url]).output();
    let client: Printed = client.expect("it runs").into();
    assert_eq!((client.code, &*client.out), (Some(0), ""), "{client:?}");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

/// Writes a recording of messages, each with its side.
fn written(file: &str, messages: &[(&str, String)]) {
    let mut text =
        r#"{"mcpRecording":1,"program":"","time":"","server":{"program":["x"]},"secrets":"kept"}"#
            .to_owned();
    for (from, message) in messages {
        let entry =
            format!("\n{{\"time\":\"\",\"ms\":0,\"from\":\"{from}\",\"message\":{message}}}");
        text.push_str(&entry);
    }
    std::fs::write(file, text + "\n").expect("written");
}

/// With a cost that is not linear this takes longer than the limit of the tests.
#[test]
fn recording_with_many_open_requests_is_replayed() {
    let folder = Folder::new("replay-open").created();
    let file = folder.file("session.jsonl");
    let mut messages = Vec::new();
    for id in 0..60_000 {
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a","params":{{"n":{id}}}}}"#);
        messages.push(("client", request));
    }
    for id in 0..60_000 {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"n":{id}}}}}"#);
        messages.push(("server", answer));
    }
    written(&file, &messages);
    let mut server = replay(&file);
    server.send(r#"{"jsonrpc":"2.0","id":"x","method":"a","params":{"n":7}}"#);
    assert_eq!(
        server.line(),
        r#"{"jsonrpc":"2.0","id":"x","result":{"n":7}}"#
    );
    server.send(b"{\xff}");
    assert!(server.line().contains("-32700"));
}

#[cfg(unix)]
#[test]
fn server_that_writes_before_it_reads_is_replayed_against() {
    let folder = Folder::new("replay-busy").created();
    let file = folder.file("session.jsonl");
    let text = "x".repeat(4000);
    let notification = format!(r#"{{"jsonrpc":"2.0","method":"n","params":{{"text":"{text}"}}}}"#);
    let mut messages = vec![("client", notification.clone()); 300];
    messages.push((
        "client",
        r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#.to_owned(),
    ));
    messages.push((
        "server",
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(),
    ));
    written(&file, &messages);
    let busy = folder.file("busy");
    std::fs::write(&busy, format!("{notification}\n").repeat(300)).expect("written");
    let script = r#"cat "$0"; while read -r line; do case "$line" in *'"id":1'*) echo '{"jsonrpc":"2.0","id":1,"result":{}}';; esac; done"#;
    let arguments = ["replay", "--client", &file, "--", "sh", "-c", script, &busy];
    let printed: Printed = mcp().args(arguments).output().expect("it runs").into();
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert!(
        printed.err.contains("1 answers compared, 0 differ"),
        "{printed:?}"
    );
}

#[test]
fn answers_are_sent_after_the_delays_of_the_recording_if_asked() {
    let folder = Folder::new("replay-timing").created();
    let file = folder.file("session.jsonl");
    assert_eq!(run_recorded(&file, &["tools"], &[]).code, Some(0));
    let text = std::fs::read_to_string(&file).expect("a file");
    let lines = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        if line["from"] == "server" {
            // Eleven days.
            line["ms"] = json!(1e9);
        }
        line.to_string() + "\n"
    });
    std::fs::write(&file, lines.collect::<String>()).expect("written");
    for timing in ["none", "recorded"] {
        let mut command = mcp();
        command.args(["tools", "--timeout", "2", "--"]);
        command.arg(env!("CARGO_BIN_EXE_mcp"));
        command.args(["replay", &file, "--timing", timing]);
        let printed: Printed = command.output().expect("it runs").into();
        let is_answered = printed.code == Some(0);
        assert_eq!(is_answered, timing == "none", "{timing}: {printed:?}");
    }
}
