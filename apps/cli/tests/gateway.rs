//! `mcp gateway`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

use super::{Served, subject};

/// Longer than any change takes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Writes a file with the subject as a server under some names.
fn configure(path: &str, names: &[&str]) {
    let subject = subject();
    let servers = names.iter().map(|name| {
        let server = json!({ "command": subject, "env": { "WHO": "${GATEWAY_TEST_WHO:-nobody}" } });
        ((*name).to_owned(), server)
    });
    let servers: serde_json::Map<String, Value> = servers.collect();
    let text = json!({ "mcpServers": servers }).to_string();
    // Renamed, so that the gateway never reads a part of it.
    fs::write(format!("{path}.new"), text).expect("written");
    fs::rename(format!("{path}.new"), path).expect("renamed");
}

/// Runs a command with the gateway as its server.
fn through(path: &str, arguments: &[&str]) -> Printed {
    let mut command = mcp();
    command
        .args(arguments)
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_mcp"));
    command
        .args(["gateway", path])
        .output()
        .expect("it runs")
        .into()
}

#[test]
fn servers_of_a_file_are_served_as_one() {
    let folder = Folder::new("gateway").created();
    let path = folder.file("servers.json");
    configure(&path, &["one", "two"]);
    let listed = through(&path, &["tools"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(
        listed.out.contains("one_add") && listed.out.contains("two_add"),
        "{listed:?}"
    );
    let called = through(&path, &["call", "two_add", "a=1", "b=2"]);
    assert_eq!((called.code, &*called.out), (Some(0), "3\n"), "{called:?}");
}

#[test]
fn faults_of_the_file_are_named() {
    let folder = Folder::new("gateway-faults").created();
    let path = folder.file("servers.json");
    let run = |text: &str| -> Printed {
        fs::write(&path, text).expect("written");
        mcp()
            .args(["gateway", &path])
            .output()
            .expect("it runs")
            .into()
    };
    for (text, expected) in [
        ("{", "line 1"),
        (
            r#"{"mcpServers":{"a":{"command":1}}}"#,
            "mcpServers.a.command",
        ),
        (
            r#"{"mcpServers":{"a":{"command":"x","env":{"A":"${GATEWAY_TEST_MISSING}"}}}}"#,
            "mcpServers.a.env.A",
        ),
    ] {
        let printed = run(text);
        assert_eq!(printed.code, Some(2), "{text}: {printed:?}");
        assert!(printed.err.contains(expected), "{text}: {printed:?}");
    }
    let missing: Printed = mcp()
        .args(["gateway", "missing.json"])
        .output()
        .expect("it runs")
        .into();
    let count = missing.err.matches("missing.json").count();
    assert_eq!((missing.code, count), (Some(2), 1), "{missing:?}");
    configure(&path, &["one"]);
    let other: Printed = mcp()
        .args(["gateway", &path, "--listen", "0.0.0.0:0"])
        .output()
        .expect("it runs")
        .into();
    assert!(other.err.contains("--listen-token-env"), "{other:?}");
}

#[test]
fn used_port_is_named_with_the_cause() {
    let folder = Folder::new("gateway-port").created();
    let path = folder.file("servers.json");
    configure(&path, &["one"]);
    let used = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = used.local_addr().expect("an address");
    let printed: Printed = mcp()
        .args(["gateway", &path, "--listen", &address.to_string()])
        .output()
        .expect("it runs")
        .into();
    assert_eq!(printed.code, Some(3), "{printed:?}");
    // The cause has the words of the system.
    let cause = std::net::TcpListener::bind(address).expect_err("used");
    let expected = format!("cannot listen at {address}: {cause}");
    assert!(printed.err.contains(&expected), "{printed:?}");
}

/// A gateway over HTTP. It is killed when this value is dropped.
struct Listening {
    child: Child,
    url: String,
}

impl Listening {
    fn start(path: &str, options: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", path, options)
    }

    /// Starts one that requires a token.
    fn with_token(path: &str) -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = free.local_addr().expect("an address").to_string();
        drop(free);
        Self::start_at(
            &address,
            path,
            &["--listen-token-env", "GATEWAY_TEST_TOKEN"],
        )
    }

    fn start_at(address: &str, path: &str, options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp"));
        command
            .args(["gateway", path, "--listen", address])
            .args(options);
        command.env("GATEWAY_TEST_TOKEN", "secret-of-the-test");
        let mut child = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let first = lines.next().expect("a line").expect("text");
        let url = first.rsplit(' ').next().expect("a URL").to_owned();
        // Read to the end, so that the gateway never waits.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listed(url: &str) -> Printed {
    mcp().args(["tools", url]).output().expect("it runs").into()
}

#[test]
fn changes_of_the_file_take_effect_and_a_broken_one_changes_nothing() {
    let folder = Folder::new("gateway-reload").created();
    let path = folder.file("servers.json");
    configure(&path, &["zero", "one"]);
    let gateway = Listening::start(&path, &[]);
    let until = |expected: &dyn Fn(&str) -> bool| {
        let begun = Instant::now();
        loop {
            let printed = listed(&gateway.url);
            if printed.code == Some(0) && expected(&printed.out) {
                return;
            }
            assert!(begun.elapsed() < TIMEOUT, "{printed:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    until(&|out| out.contains("one_add") && !out.contains("two_add"));
    configure(&path, &["zero", "one", "two"]);
    until(&|out| out.contains("one_add") && out.contains("two_add"));
    fs::File::create(&path)
        .and_then(|mut file| file.write_all(b"{"))
        .expect("written");
    std::thread::sleep(Duration::from_millis(2_500));
    until(&|out| out.contains("one_add") && out.contains("two_add"));
    configure(&path, &["two"]);
    until(&|out| !out.contains("one_add") && out.contains("two_add"));
}

#[test]
fn clients_need_the_token() {
    let folder = Folder::new("gateway-token").created();
    let path = folder.file("servers.json");
    configure(&path, &["one"]);
    let gateway = Listening::with_token(&path);
    let run = |token: Option<&str>| -> Printed {
        let mut command = mcp();
        command.args(["tools", "--no-login", &gateway.url]);
        if let Some(token) = token {
            command.args(["--header", &format!("authorization: Bearer {token}")]);
        }
        command.output().expect("it runs").into()
    };
    assert_eq!(run(None).code, Some(7));
    assert_eq!(run(Some("another")).code, Some(7));
    let permitted = run(Some("secret-of-the-test"));
    assert_eq!(permitted.code, Some(0), "{permitted:?}");
}

#[test]
fn servers_at_urls_get_their_headers() {
    let served = Served::start();
    let folder = Folder::new("gateway-url").created();
    let path = folder.file("servers.json");
    let servers =
        json!({ "mcpServers": { "web": { "url": served.url, "headers": { "x-a": "b" } } } });
    fs::write(&path, servers.to_string()).expect("written");
    let called = through(&path, &["call", "add", "a=1", "b=2"]);
    assert_eq!((called.code, &*called.out), (Some(0), "3\n"), "{called:?}");
}

#[cfg(unix)]
#[test]
fn end_of_the_input_ends_the_servers() {
    let folder = Folder::new("gateway-end").created();
    let (file, pid) = (folder.0.join("servers.json"), folder.0.join("pid"));
    let script = "echo $$ > \"$1\"; exec \"$2\"";
    let args = json!(["-c", script, "sh", pid, subject()]);
    let servers = json!({"mcpServers": {"sub": {"command": "sh", "args": args}}});
    fs::write(&file, servers.to_string()).expect("written");
    let mut command = mcp();
    command.arg("gateway").arg(&file);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let arguments = json!({"a": 1, "b": 2});
    let params = json!({"name": "add", "arguments": arguments, "_meta": meta});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    writeln!(stdin, "{call}").expect("written");
    let mut answer = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut answer).expect("a line");
    assert!(answer.contains("\"result\""), "{answer}");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    let pid = fs::read_to_string(&pid).expect("started");
    // A process that has ended may stay in the table until its new parent looks.
    let is_running = || {
        let mut ps = Command::new("ps");
        let listed = ps.args(["-o", "stat=", "-p", pid.trim()]).output();
        let state = listed.expect("it runs").stdout;
        state.first().is_some_and(|state| *state != b'Z')
    };
    while is_running() {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn programs_get_no_secrets_of_others() {
    let folder = Folder::new("gateway-environment").created();
    let path = folder.file("servers.json");
    let script = "env > \"$1\"; exec \"$2\"";
    let seen = folder.0.join("seen");
    let args = json!(["-c", script, "sh", seen, subject()]);
    let env = json!({ "OWN": "${GATEWAY_TEST_OTHER}" });
    let server = json!({ "command": "sh", "args": args, "env": env });
    fs::write(
        &path,
        json!({ "mcpServers": { "sub": server } }).to_string(),
    )
    .expect("written");
    let listed = |options: &[&str]| -> Vec<String> {
        let mut command = mcp();
        command.args(["tools", "--", env!("CARGO_BIN_EXE_mcp"), "gateway", &path]);
        command.args(options);
        command.env("GATEWAY_TEST_OTHER", "token-of-another-server");
        command.env("GATEWAY_TEST_KEYS", "11".repeat(32));
        command.env("GATEWAY_TEST_CLIENT", "secret-of-the-client");
        let printed: Printed = command.output().expect("it runs").into();
        assert_eq!(printed.code, Some(0), "{printed:?}");
        let seen = fs::read_to_string(&seen).expect("the program has run");
        seen.lines().map(str::to_owned).collect()
    };
    let has = |seen: &[String], name: &str| {
        let begin = format!("{name}=");
        seen.iter().any(|line| line.starts_with(&begin))
    };
    let seen = listed(&["--keys-env", "GATEWAY_TEST_KEYS"]);
    assert!(has(&seen, "PATH") && has(&seen, "OWN"), "{seen:?}");
    for name in ["GATEWAY_TEST_OTHER", "GATEWAY_TEST_KEYS"] {
        assert!(!has(&seen, name), "{name}: {seen:?}");
    }
    let client = ["--client-id", "id", "--issuer", "https://issuer.example"];
    let client = [&client[..], &["--client-secret-env", "GATEWAY_TEST_CLIENT"]].concat();
    let keys = ["--keys-env", "GATEWAY_TEST_KEYS", "--inherit-env"];
    let seen = listed(&[&keys[..], &client].concat());
    assert!(has(&seen, "GATEWAY_TEST_OTHER"), "{seen:?}");
    for name in ["GATEWAY_TEST_KEYS", "GATEWAY_TEST_CLIENT"] {
        assert!(!has(&seen, name), "{name}: {seen:?}");
    }
}

#[test]
fn keys_of_a_gateway_are_read_from_a_variable() {
    let folder = Folder::new("gateway-keys").created();
    let path = folder.file("servers.json");
    configure(&path, &["one"]);
    let started = |key: &str| -> Printed {
        let mut command = mcp();
        command.args(["gateway", &path, "--keys-env", "GATEWAY_TEST_KEYS"]);
        command.env("GATEWAY_TEST_KEYS", key).stdin(Stdio::null());
        command.output().expect("it runs").into()
    };
    assert_eq!(started(&"11".repeat(32)).code, Some(0));
    let refused = started("11");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("GATEWAY_TEST_KEYS"), "{refused:?}");
    assert!(started("").err.contains("has no value"));
}

#[cfg(unix)]
#[test]
fn programs_do_not_get_the_token_of_the_gateway() {
    let folder = Folder::new("gateway-program-token").created();
    let path = folder.file("servers.json");
    let script = "[ -z \"$GATEWAY_TEST_TOKEN\" ] && exec \"$1\"";
    let args = json!(["-c", script, "sh", subject()]);
    let servers = json!({ "mcpServers": { "sub": { "command": "sh", "args": args } } });
    fs::write(&path, servers.to_string()).expect("written");
    let gateway = Listening::with_token(&path);
    let mut command = mcp();
    command.args(["call", "--no-login", &gateway.url, "add", "a=1", "b=2"]);
    command.args(["--header", "authorization: Bearer secret-of-the-test"]);
    let called: Printed = command.output().expect("it runs").into();
    assert_eq!((called.code, &*called.out), (Some(0), "3\n"), "{called:?}");
}

/// Answers requests with their head as text.
fn echoing_api() -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("bound");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("accepted");
            let lines = BufReader::new(&stream).lines();
            let lines = lines
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty());
            let head = lines.collect::<Vec<_>>().join("|");
            let length = head.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n\r\n{head}"
            );
        }
    });
    address
}

#[test]
fn openapi_documents_of_a_file_are_served_as_tools() {
    let folder = Folder::new("gateway-openapi").created();
    let document = folder.file("rooms.yaml");
    let text = "openapi: 3.1.0\npaths:\n  /rooms:\n    get: { operationId: list, tags: [rooms] }\n    \
                delete: { operationId: clear, tags: [rooms] }\n  /users: { get: { operationId: users } }\n";
    fs::write(&document, text).expect("written");
    let path = folder.file("servers.json");
    let entry = json!({
        "openapi": document, "url": format!("http://{}/v1", echoing_api()),
        "headers": { "Authorization": "Bearer ${GATEWAY_TEST_TOKEN:-token}" },
        "include": ["rooms"], "exclude": ["cle*"],
    });
    let servers = json!({ "hotel": entry, "other": { "command": subject() } });
    fs::write(&path, json!({ "mcpServers": servers }).to_string()).expect("written");
    let listed = through(&path, &["tools"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.out.contains("hotel_list"), "{listed:?}");
    assert!(
        !listed.out.contains("hotel_clear") && !listed.out.contains("hotel_users"),
        "{listed:?}"
    );
    let called = through(&path, &["call", "hotel_list"]);
    assert_eq!(called.code, Some(0), "{called:?}");
    let (start, header) = ("GET /v1/rooms HTTP/1.1|", "|authorization: Bearer token|");
    assert!(
        called.out.starts_with(start) && called.out.contains(header),
        "{called:?}"
    );
}

#[test]
fn document_of_an_api_does_not_decide_who_gets_its_headers() {
    let folder = Folder::new("gateway-openapi-headers").created();
    let document = folder.file("api.json");
    let servers = json!([{ "url": format!("http://{}", echoing_api()) }]);
    let paths = json!({ "/x": { "get": { "operationId": "get" } } });
    let text = json!({ "openapi": "3.1.0", "servers": servers, "paths": paths });
    fs::write(&document, text.to_string()).expect("written");
    let path = folder.file("servers.json");
    let secret = json!({ "openapi": document, "headers": { "Authorization": "Bearer hunter2" } });
    let open = json!({ "openapi": document });
    let servers = json!({ "mcpServers": { "secret": secret, "open": open } });
    fs::write(&path, servers.to_string()).expect("written");
    let called = through(&path, &["call", "open_get"]);
    assert!(called.out.starts_with("GET /x"), "{called:?}");
    let called = through(&path, &["call", "secret_get"]);
    assert_ne!(called.code, Some(0), "{called:?}");
    let started: Printed = mcp()
        .args(["gateway", &path])
        .output()
        .expect("it runs")
        .into();
    let expected = "`headers` without `url`";
    assert!(
        started.err.contains("`secret`") && started.err.contains(expected),
        "{started:?}"
    );
}
