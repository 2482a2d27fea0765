//! `mcp record`: what passes, and what is recorded.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{Served, subject};
use crate::support::conversation::Conversation;
use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

/// Returns `mcp record` with options, without a server.
fn record(file: &str, options: &[&str]) -> Command {
    let mut command = mcp();
    command.args(["record", "-o", file]).args(options);
    command
}

/// Returns the lines of a recording.
fn lines(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("a file");
    let lines = text.lines().map(serde_json::from_str);
    lines.map(|line| line.expect("JSON")).collect()
}

/// Runs `mcp` with a recorded subject as its server.
pub(super) fn run_recorded(file: &str, arguments: &[&str], subjects: &[&str]) -> Printed {
    let mut command = mcp();
    command
        .args(arguments)
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_mcp"));
    command.args(["record", "-o", file, "--"]);
    command.arg(subject()).args(subjects);
    command.output().expect("it runs").into()
}

const INITIALIZE: &str = r#"{ "jsonrpc": "2.0", "id" : 1, "method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t\u00e9st","version":"1.0"}}}"#;

/// Sends lines to a server. Returns all that it has sent.
fn converse(command: &mut Command) -> (Vec<String>, String, Option<i32>) {
    let mut server = Conversation::start(command);
    let mut received = Vec::new();
    for (line, answers) in [
        (INITIALIZE, 1),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            0,
        ),
        ("", 0),
        (
            r#"{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"echo","arguments":{"text":"é 😀","times":1.0}}}"#,
            1,
        ),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"log"}}"#,
            2,
        ),
        ("this is not JSON", 1),
        (r#"{"jsonrpc":"2.0","id":3,"method":"no/such"}"#, 1),
    ] {
        server.send(line);
        received.extend((0..answers).map(|_| server.line()));
    }
    let rest = server.end();
    assert_eq!(rest.stdout, b"");
    (
        received,
        String::from_utf8_lossy(&rest.stderr).into_owned(),
        rest.status.code(),
    )
}

#[cfg(unix)]
#[test]
fn bytes_pass_unchanged_and_are_recorded_unchanged() {
    let folder = Folder::new("record-unchanged").created();
    let file = folder.file("session.jsonl");
    let direct = converse(&mut Command::new(subject()));
    let recorded = converse(record(&file, &[]).arg("--").arg(subject()));
    assert_eq!(recorded, direct);

    let all = lines(&file);
    assert_eq!(all[0]["mcpRecording"], 1);
    assert_eq!(all[0]["secrets"], "removed");
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains(&format!(r#""from":"client","message":{INITIALIZE}}}"#)));
    for line in &recorded.0 {
        let entry = format!(r#""from":"server","message":{line}}}"#);
        assert!(text.contains(&entry), "{line} is not in {text}");
    }
    let has = |from: &str, text: &str| {
        let is = |line: &&Value| line["from"] == from && line["text"] == text;
        all.iter().any(|line| is(&line))
    };
    assert!(has("client", "this is not JSON"), "{text}");
    assert!(has("server", "on stderr"), "{text}");
    assert!(
        has("recorder", "the server exited: exit status: 0"),
        "{text}"
    );
    // The date of each entry is in UTC with milliseconds.
    let time = all[1]["time"].as_str().expect("a text");
    assert_eq!(
        (time.len(), &time[19..20], &time[23..]),
        (24, ".", "Z"),
        "{time}"
    );

    let mode = std::fs::metadata(&file).expect("a file").permissions();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777,
        0o600
    );
}

#[cfg(unix)]
#[test]
fn exit_codes_and_signals_pass() {
    let folder = Folder::new("record-signals").created();
    let file = folder.file("session.jsonl");
    let mut shell = record(&file, &["--", "sh", "-c", "echo x; echo y >&2; exit 7"]);
    let printed: Printed = shell.output().expect("it runs").into();
    assert_eq!(
        (printed.code, &*printed.out, &*printed.err),
        (Some(7), "x\n", "y\n")
    );

    let script = "trap 'exit 9' TERM; echo ready; while :; do sleep 0.02; done";
    let mut server = Conversation::start(&mut record(&file, &["--", "sh", "-c", script]));
    assert_eq!(server.line(), "ready");
    let id = i32::try_from(server.child.id()).expect("an id");
    kill_process(Pid::from_raw(id).expect("an id"), Signal::TERM).expect("sent");
    assert_eq!(server.child.wait().expect("it ends").code(), Some(9));

    let mut killed = record(&file, &["--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(killed.output().expect("it runs").status.code(), Some(137));
    let missing = record(&file, &["--", "/no/such/program"])
        .output()
        .expect("it runs");
    assert_eq!(missing.status.code(), Some(3), "{missing:?}");
}

/// The server exits before a slow host has read it.
#[cfg(unix)]
#[test]
fn slow_host_gets_all_of_the_output() {
    let folder = Folder::new("record-slow").created();
    let program = ["--", "sh", "-c", "head -c 190000 /dev/zero"];
    let mut command = record(&folder.file("session.jsonl"), &program);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut server = command.spawn().expect("it runs");
    // Longer than `mcp record` waits for further output.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let mut output = Vec::new();
    let mut stdout = server.stdout.take().expect("a pipe");
    std::io::Read::read_to_end(&mut stdout, &mut output).expect("read");
    assert_eq!(output.len(), 190_000);
    assert_eq!(server.wait().expect("it ends").code(), Some(0));
}

/// Texts that contain `SESAME` where the secret is.
const WITH_SECRETS: [&str; 12] = [
    r#"{"secretKey":"SESAME"}"#,
    r#"{"user":{"passwordHash":"SESAME","pwd":"SESAME"}}"#,
    r#"{"text":"use ghp_SESAME0123456789abcdefABCDEF012345 here"}"#,
    r#"{"note":"sk-proj-SESAME0123456789abcdefABCDEF"}"#,
    r#"{"a":["xoxb-SESAME0123456789"]}"#,
    r#"{"any":"eyJSESAME.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"}"#,
    r#"{"cert":"-----BEGIN RSA PRIVATE KEY-----\nSESAME\n-----END RSA PRIVATE KEY-----\n"}"#,
    r#"{"text":"PATH=/bin\nDB_PASSWORD=SESAME\nHOME=/root"}"#,
    r#"{"text":"run with --token=SESAME now"}"#,
    r#"{"text":"db:\n  password: SESAME\n  port: 5432"}"#,
    r#"{"resource":{"uri":"x://y","httpUrl":"https://files.example.com/r/SESAME?x=1"}}"#,
    r#"{"task":{"taskId":"SESAME","status":"working"}}"#,
];

#[cfg(unix)]
#[test]
fn secrets_of_known_forms_and_names_are_removed_from_any_member() {
    let folder = Folder::new("record-forms").created();
    let file = folder.file("session.jsonl");
    // A server that sends back what it gets, and prints a key line by line.
    let key = "printf '%s\\n' '-----BEGIN PRIVATE KEY-----' SESAME '-----END PRIVATE KEY-----' after >&2; exec cat";
    let mut server = Conversation::start(&mut record(&file, &["--", "sh", "-c", key]));
    for (id, result) in WITH_SECRETS.iter().enumerate() {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        server.send(&message);
        assert_eq!(server.line(), message);
    }
    server.end();
    let text = std::fs::read_to_string(&file).expect("a file");
    for (id, result) in WITH_SECRETS.iter().enumerate() {
        let line = text
            .lines()
            .find(|line| line.contains(&format!(r#""id":{id},"#)));
        let line = line.unwrap_or_else(|| panic!("{result} is missing in {text}"));
        assert!(!line.contains("SESAME"), "{line}");
    }
    let stderr = text
        .lines()
        .filter(|line| line.contains(r#""stream":"stderr""#));
    let stderr: Vec<_> = stderr.collect();
    assert!(!text.contains("SESAME"), "{text}");
    assert!(stderr.concat().contains("after"), "{stderr:?}");
    assert!(
        text.contains("https://files.example.com/[removed]"),
        "{text}"
    );
    assert!(text.contains(r#""taskId":"[task 1]""#), "{text}");
}

/// Messages without secrets, although some names and texts look like some.
const WITHOUT_SECRETS: [&str; 8] = [
    r#"{"maxTokens":100,"tokenCount":12,"usage":{"input_tokens":7},"tokenizer":"bpe"}"#,
    r#"{"tools":[],"nextCursor":"eyJwYWdlIjoyLCJzaXplIjoxMDB9","ttlMs":5}"#,
    r#"{"_meta":{"progressToken":"p-1"},"requestState":"s.abc","primaryKey":"id","keys":["a"]}"#,
    r#"{"text":"The token: how to get one. Pass --token TOKEN or set the password, then sk-learn."}"#,
    r#"{"text":"a == b; max_tokens=100; sort_key=name; token_type=bearer; const token = next();"}"#,
    r#"{"arguments":{"taskId":"ISSUE-12","publicKey":"ssh-ed25519 AAAAC3Nza","secretName":"db"}}"#,
    r#"{"blob":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}"#,
    r#"{"text":"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----","token_endpoint":"https://a/token"}"#,
];

#[cfg(unix)]
#[test]
fn what_is_no_secret_is_recorded_as_it_is() {
    let folder = Folder::new("record-plain").created();
    let file = folder.file("session.jsonl");
    let mut server = Conversation::start(&mut record(&file, &["--", "cat"]));
    let message =
        |id: usize, result: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    for (id, result) in WITHOUT_SECRETS.iter().enumerate() {
        server.send(message(id, result));
        server.line();
    }
    server.end();
    let text = std::fs::read_to_string(&file).expect("a file");
    for (id, result) in WITHOUT_SECRETS.iter().enumerate() {
        assert!(
            text.contains(&message(id, result)),
            "{result} is not in {text}"
        );
    }
}

#[cfg(unix)]
#[test]
fn secrets_are_removed_unless_they_are_kept() {
    let folder = Folder::new("record-secrets").created();
    let file = folder.file("session.jsonl");
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"api_key":"sesame","n":1.50,"url":"https://u:sesame@example.com/?sig=sesame&a=1"},"_meta":{"progressToken":"p"}}}"#;
    let lines = folder.file("lines");
    let text = "token=sesame\n{\"password\": [\"a\", \"open sesame\"]}\n\"{\\\"token\\\": \\\"open sesame\\\"}\"\n";
    std::fs::write(&lines, text).expect("written");
    for (options, kept) in [(&[][..], false), (&["--keep-secrets"], true)] {
        let mut command = record(&file, options);
        // A server that sends back what it gets.
        command.args([
            "--",
            "sh",
            "-c",
            &format!("cat {lines} >&2; cat"),
            "--token",
            "sesame",
        ]);
        let mut server = Conversation::start(&mut command);
        server.send(call);
        assert_eq!(server.line(), call);
        assert_eq!(server.end().stderr, text.as_bytes());
        let text = std::fs::read_to_string(&file).expect("a file");
        assert_eq!(text.contains("sesame"), kept, "{text}");
        assert_eq!(text.contains(call), kept);
    }
    let mut command = record(&file, &["--", "cat"]);
    let mut server = Conversation::start(&mut command);
    server.send(call);
    server.line();
    server.end();
    let clean = call
        .replace(r#""api_key":"sesame""#, r#""api_key":"[removed]""#)
        .replace("u:sesame@", "[removed]@")
        .replace("sig=sesame", "sig=[removed]");
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains(&clean), "{text}");
}

#[cfg(unix)]
#[test]
fn full_recording_stops_but_messages_are_forwarded() {
    let folder = Folder::new("record-full").created();
    let file = folder.file("session.jsonl");
    let mut server = Conversation::start(&mut record(&file, &["--max-size", "2000", "--", "cat"]));
    for number in 0..100 {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{{}}}}"#);
        server.send(&line);
        assert_eq!(server.line(), line);
    }
    let stderr = String::from_utf8(server.end().stderr).expect("text");
    assert!(stderr.contains("--max-size"), "{stderr}");
    let last = lines(&file).pop().expect("a line");
    assert_eq!(
        last["text"],
        "the recording stopped: it has the maximum size"
    );

    // A message that is too large is recorded in part.
    let limits = ["--max-message", "5000", "--", "cat"];
    let mut server = Conversation::start(&mut record(&file, &limits));
    let large = "x".repeat(100_000);
    server.send(&large);
    assert_eq!(server.line(), large);
    server.end();
    let entry = &lines(&file)[1];
    assert_eq!(entry["bytes"], 100_000);
    assert_eq!(entry["text"].as_str().map(str::len), Some(4096));
}

/// `mcp record` with a URL. It is killed when this value is dropped.
struct Endpoint {
    child: Child,
    url: String,
}

impl Endpoint {
    fn start(file: &str, options: &[&str], url: &str) -> Self {
        let mut command = record(file, options);
        let mut child = command
            .arg(url)
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut line = String::new();
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        stderr.read_line(&mut line).expect("a line");
        let url = line.trim().strip_prefix("recording at ");
        let url = url
            .unwrap_or_else(|| panic!("no address: {line}"))
            .to_owned();
        Self { child, url }
    }

    #[cfg(unix)]
    fn end(mut self) -> Option<i32> {
        let id = i32::try_from(self.child.id()).expect("an id");
        kill_process(Pid::from_raw(id).expect("an id"), Signal::INT).expect("sent");
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn call(url: &str, arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command.args(["call", "--header", "Authorization: Bearer sesame", url]);
    command.args(arguments).output().expect("it runs").into()
}

#[cfg(unix)]
#[test]
fn http_is_forwarded_and_recorded() {
    let folder = Folder::new("record-http").created();
    let file = folder.file("session.jsonl");
    let served = Served::start();
    let target = format!("{}?token=sesame", served.url);
    let endpoint = Endpoint::start(&file, &[], &target);
    for revision in ["2026-07-28", "2025-11-25"] {
        for arguments in [
            &["echo", "text=a"][..],
            &["log", "-v"],
            &["fail"],
            &["none"],
        ] {
            let arguments = [arguments, &["--revision", revision]].concat();
            let direct = call(&served.url, &arguments);
            let recorded = call(&endpoint.url, &arguments);
            assert_eq!(recorded.out, direct.out, "{recorded:?}");
            assert_eq!(recorded.code, direct.code, "{recorded:?}");
        }
    }
    let foreign = request(&endpoint.url, "Host: example.com");
    assert!(foreign.starts_with("HTTP/1.1 403"), "{foreign}");
    let page = request(
        &endpoint.url,
        "Host: localhost\r\nOrigin: https://example.com",
    );
    assert!(page.starts_with("HTTP/1.1 403"), "{page}");
    assert_eq!(endpoint.end(), Some(0));

    let all = lines(&file);
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(!text.contains("sesame"), "{text}");
    let parts = || all.iter().map(|line| &line["http"]);
    for method in ["POST", "GET", "DELETE"] {
        assert!(
            parts().any(|http| http["method"] == method),
            "no {method} in {text}"
        );
    }
    assert!(parts().any(|http| http["headers"]["authorization"] == "[removed]"));
    assert!(parts().any(|http| http["status"] == 200 && http["session"] == 1));
    assert!(
        all.iter()
            .any(|line| line["stream"] == "sse" && line["message"]["result"].is_object())
    );
    // A request comes before its response.
    let sent = |line: &Value| line["message"]["params"]["name"] == "echo";
    let sent = all.iter().position(sent).expect("the call");
    let exchange = &all[sent]["http"]["exchange"];
    let received = all
        .iter()
        .rposition(|line| line["http"]["exchange"] == *exchange);
    assert!(received > Some(sent), "{text}");
}

/// Sends a request with these headers, and returns the response.
fn request(url: &str, headers: &str) -> String {
    let address = url.strip_prefix("http://").expect("a URL");
    let (address, path) = address.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(address).expect("connected");
    let head = format!("GET /{path} HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    response
}

#[test]
fn unreachable_server_is_reported_to_the_host() {
    let folder = Folder::new("record-unreachable").created();
    let file = folder.file("session.jsonl");
    let endpoint = Endpoint::start(&file, &[], "http://127.0.0.1:1/mcp");
    let response = request(&endpoint.url, "Host: localhost");
    assert!(response.starts_with("HTTP/1.1 502"), "{response}");
    let listen = ["--listen", "0.0.0.0:0"];
    let open = record(&file, &listen)
        .arg("http://127.0.0.1:1")
        .output()
        .expect("it runs");
    assert_eq!(open.status.code(), Some(2), "{open:?}");
}
