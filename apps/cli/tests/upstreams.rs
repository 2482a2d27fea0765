//! `mcp gateway`: which servers of a file are presented, how, and what is said about the others.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

use super::subject;

/// A file with servers.
struct Servers {
    _folder: Folder,
    path: String,
}

impl Servers {
    fn new(name: &str, servers: &Value) -> Self {
        let folder = Folder::new(name).created();
        let path = folder.file("servers.json");
        fs::write(&path, json!({ "mcpServers": servers }).to_string()).expect("written");
        Self {
            _folder: folder,
            path,
        }
    }

    /// Runs a command with the gateway as its server.
    fn through(&self, arguments: &[&str], options: &[&str]) -> Printed {
        let mut command = mcp();
        command.args(arguments).arg("--");
        command.arg(env!("CARGO_BIN_EXE_mcp"));
        command.args(["gateway", &self.path]).args(options);
        command.output().expect("it runs").into()
    }

    /// Runs the gateway without input.
    fn started(&self) -> Printed {
        let mut command = mcp();
        command.args(["gateway", &self.path]);
        command.output().expect("it runs").into()
    }

    /// Runs the gateway until it has answered a request of the newest revision.
    fn answer(&self, method: &str, params: &Value) -> (Value, String) {
        let mut command = mcp();
        command.args(["gateway", &self.path]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut stdin = child.stdin.take().expect("a pipe");
        writeln!(stdin, "{request}").expect("written");
        let mut answer = Vec::new();
        let mut stdout = child.stdout.take().expect("a pipe");
        while !answer.ends_with(b"\n") {
            let mut byte = [0];
            stdout.read_exact(&mut byte).expect("an answer");
            answer.extend(byte);
        }
        drop(stdin);
        let printed = child.wait_with_output().expect("it ends");
        let answer = serde_json::from_slice(&answer).expect("JSON");
        (answer, String::from_utf8(printed.stderr).expect("text"))
    }
}

fn entry() -> Value {
    json!({ "command": subject() })
}

fn with(members: &Value) -> Value {
    let mut entry = entry();
    for (name, value) in members.as_object().expect("an object") {
        entry[name] = value.clone();
    }
    entry
}

fn names(printed: &Printed) -> Vec<String> {
    let listed: Value =
        serde_json::from_str(&printed.out).unwrap_or_else(|_| panic!("{printed:?}"));
    let tools = listed.as_array().or(listed["tools"].as_array());
    let tools = tools.unwrap_or_else(|| panic!("{printed:?}")).iter();
    tools
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn entries_that_cannot_be_used_are_left_out_and_named() {
    let long = "the-same-first-twenty-four-letters";
    let cases = [
        (
            "unset",
            with(&json!({ "env": { "A": "${GATEWAY_TEST_MISSING}" } })),
            "GATEWAY_TEST_MISSING",
        ),
        ("file", with(&json!({ "envFile": ".env" })), "envFile"),
        (
            "socket",
            json!({ "url": "ws://127.0.0.1:1/mcp" }),
            "https://",
        ),
        ("number", json!(1), "found a number"),
        ("日本", entry(), "prefix"),
        ("the-same-first-twenty-four-others", entry(), "same prefix"),
        ("prefix", with(&json!({ "prefix": "A B" })), "prefix"),
        (
            "tools",
            with(&json!({ "tools": { "only": [] } })),
            "tools.only",
        ),
    ];
    for (name, bad, expected) in cases {
        let servers = json!({ long: entry(), "two": entry(), name: bad });
        let servers = Servers::new("upstreams-left-out", &servers);
        let started = servers.started();
        assert_eq!(started.code, Some(0), "{name}: {started:?}");
        let lines = started.err.lines();
        let of_it: Vec<_> = lines
            .filter(|line| line.contains(&format!("`{name}`")))
            .collect();
        assert!(
            matches!(&*of_it, [line] if line.contains(expected)),
            "{name}: {started:?}"
        );
        let listed = servers.through(&["tools", "--json"], &[]);
        let names = names(&listed);
        assert!(names.contains(&"two_add".to_owned()), "{name}: {names:?}");
        assert!(
            names.contains(&"the-same-first-twenty-fo_add".to_owned()),
            "{name}: {names:?}"
        );
        assert!(
            !names.iter().any(|listed| listed.starts_with(name)),
            "{name}: {names:?}"
        );
    }
}

#[test]
fn single_server_has_no_prefix_unless_asked() {
    let bad = json!({ "url": "ws://127.0.0.1:1/mcp" });
    let servers = Servers::new("upstreams-single", &json!({ "one": entry(), "bad": bad }));
    let called = servers.through(&["call", "add", "a=1", "b=2"], &[]);
    assert_eq!((called.code, &*called.out), (Some(0), "3\n"), "{called:?}");
    let one = with(&json!({ "prefix": "own" }));
    let servers = Servers::new("upstreams-single-prefix", &json!({ "one": one }));
    let called = servers.through(&["call", "own_add", "a=1", "b=2"], &[]);
    assert_eq!((called.code, &*called.out), (Some(0), "3\n"), "{called:?}");
}

#[test]
fn members_of_an_entry_say_how_it_is_presented() {
    let one = with(&json!({
        "prefix": "",
        "rename": { "add": "plus" },
        "tools": { "allow": ["add", "echo", "fail"], "deny": ["fail"] },
    }));
    let two = with(&json!({ "tools": ["echo"] }));
    let servers = Servers::new("upstreams-members", &json!({ "one": one, "two": two }));
    let mut listed = names(&servers.through(&["tools", "--json"], &[]));
    listed.sort();
    assert_eq!(listed, ["echo", "plus", "two_echo"]);
    let called = servers.through(&["call", "plus", "a=1", "b=2"], &[]);
    assert_eq!((called.code, &*called.out), (Some(0), "3\n"), "{called:?}");
    let hidden = servers.answer("tools/call", &json!({ "name": "fail", "arguments": {} }));
    assert_eq!(hidden.0["error"]["code"], -32602, "{hidden:?}");
}

#[test]
fn name_and_version_of_a_single_server_are_passed_on() {
    let servers = Servers::new("upstreams-info", &json!({ "one": entry() }));
    let (of_gateway, _) = servers.answer("server/discover", &json!({}));
    let direct: Printed = mcp()
        .args(["request", "server/discover", "--"])
        .arg(subject())
        .output()
        .expect("it runs")
        .into();
    let direct: Value = serde_json::from_str(&direct.out).expect("JSON");
    let info = "io.modelcontextprotocol/serverInfo";
    let named = &direct["_meta"][info]["name"];
    assert!(named.is_string(), "{direct}");
    assert_eq!(&of_gateway["result"]["_meta"][info]["name"], named);
}

#[test]
fn cause_of_a_failure_is_on_stderr_and_in_the_error() {
    let missing = json!({ "command": "/nowhere/mcp-gateway-test" });
    let servers = json!({ "gone": missing, "two": entry() });
    let servers = Servers::new("upstreams-cause", &servers);
    let params = json!({ "name": "gone_any", "arguments": {} });
    let (answer, err) = servers.answer("tools/call", &params);
    let message = answer["error"]["message"].as_str().expect("an error");
    let expected = "cannot be started: its program was not found";
    assert!(message.contains(expected), "{answer}");
    assert!(
        err.contains(expected) && err.contains("/nowhere/mcp"),
        "{err}"
    );
    assert_eq!(err.matches("`gone`").count(), 1, "{err}");
}

#[test]
fn timeout_of_the_gateway_ends_a_call() {
    let servers = Servers::new("upstreams-timeout", &json!({ "one": entry() }));
    let called = servers.through(&["call", "never"], &["--timeout", "0.5"]);
    assert_eq!(called.code, Some(4), "{called:?}");
    assert!(called.err.contains("did not answer in time"), "{called:?}");
}

#[test]
fn many_tools_are_presented_by_a_search() {
    let servers = Servers::new("upstreams-search", &json!({ "one": entry() }));
    let listed = servers.through(&["tools", "--json"], &["--search-above", "2"]);
    assert_eq!(names(&listed), ["search_tools", "call_tool"]);
    let about = "The tools are those of the servers one.";
    assert!(listed.out.contains(about), "{listed:?}");
    let listed = servers.through(&["tools", "--json"], &["--search-above", "1000"]);
    assert!(names(&listed).contains(&"add".to_owned()));
}

#[test]
fn token_of_the_command_line_is_sent_to_no_server_of_a_file() {
    let heads = Arc::<Mutex<String>>::default();
    let url = || {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("bound");
        let noted = Arc::clone(&heads);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut head = [0; 4096];
                let size = stream.read(&mut head).unwrap_or_default();
                *noted.lock().expect("no panic") += &String::from_utf8_lossy(&head[..size]);
            }
        });
        json!({ "url": format!("http://{address}/mcp") })
    };
    let servers = Servers::new("upstreams-token", &json!({ "one": url(), "two": url() }));
    let mut command = mcp();
    command.args([
        "gateway",
        &servers.path,
        "--token-env",
        "GATEWAY_TEST_TOKEN",
    ]);
    let started: Printed = command
        .env("GATEWAY_TEST_TOKEN", "hunter2")
        .output()
        .expect("it runs")
        .into();
    let heads = heads.lock().expect("no panic");
    assert!(!heads.contains("hunter2"), "{heads}");
    assert_eq!(started.code, Some(2), "{started:?}");
    let expected = "\"Authorization\": \"Bearer ${GATEWAY_TEST_TOKEN}\"";
    assert!(started.err.contains(expected), "{started:?}");
}

#[cfg(unix)]
#[test]
fn secrets_in_the_output_of_programs_are_not_printed() {
    let key = "-----BEGIN PRIVATE KEY-----\nhunter3\n-----END PRIVATE KEY-----";
    let script = format!("printf '%s\n' 'token=hunter2' '{key}' 'ready' >&2; ");
    let program = |then: &str| {
        let args = json!(["-c", format!("{script}{then}"), "sh", subject()]);
        json!({ "command": "sh", "args": args })
    };
    let servers = json!({ "one": program("exec \"$1\""), "gone": program("exit 3") });
    let servers = Servers::new("upstreams-secrets", &servers);
    let (_, err) = servers.answer("tools/list", &json!({}));
    assert!(err.contains("`gone`") && err.contains("[removed]"), "{err}");
    let listed = servers.through(&["tools", "-v"], &["-v"]);
    assert!(listed.err.contains("one: ready"), "{listed:?}");
    for secret in ["hunter2", "hunter3"] {
        assert!(!err.contains(secret), "{err}");
        assert!(!listed.err.contains(secret), "{listed:?}");
    }
}
