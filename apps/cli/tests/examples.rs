//! `mcp check --proposals` against the examples of `mcp-server`, which are built with the workspace:
//! `cargo test --workspace --all-features --examples --test examples`.

#![cfg(unix)]

#[path = "../../../mcp-client/tests/support/example.rs"]
mod example;
#[path = "support/folder.rs"]
mod folder;
#[path = "examples/store.rs"]
mod store;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use mcp_testkit::certificate::certificate_and_key;
use serde_json::Value;

use crate::example::example;
use crate::folder::Folder;
use crate::store::Store;

fn mcp(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Checks a server, and asserts that it violates nothing that a document demands.
fn check(options: &[&str], server: &[&str], environment: &[(&str, &str)]) -> Value {
    let mut command = mcp(&["check", "--proposals", "--json"]);
    command.args(options).args(server);
    let output = command
        .envs(environment.iter().copied())
        .output()
        .expect("it runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    let found: Value = serde_json::from_str(&printed)
        .unwrap_or_else(|_| panic!("{server:?}: {}", String::from_utf8_lossy(&output.stderr)));
    let all = found["findings"].as_array().expect("findings");
    let errors: Vec<_> = all
        .iter()
        .filter(|finding| finding["level"] == "error")
        .collect();
    assert!(errors.is_empty(), "{server:?}: {errors:#?}");
    found
}

/// A server over HTTP, which is killed when this value is dropped.
struct Running(Child);

impl Running {
    /// Starts a program, and waits for its first line.
    fn start(command: &mut Command) -> (Self, String) {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        (Self(child), line)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    listener.local_addr().expect("an address").port()
}

fn path(example: &str) -> String {
    self::example(example).to_str().expect("text").to_owned()
}

#[test]
fn everything() {
    let program = path("everything");
    let found = check(&[], &["--", &program, "--stdio"], &[]);
    assert_eq!(found["revision"], "2026-07-28");
    let output = mcp(&["icons", "--json", "--", &program, "--stdio"])
        .output()
        .expect("it runs");
    let icons: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let icons = icons["icons"].as_array().expect("icons");
    assert!(
        icons.len() >= 2 && icons.iter().all(|icon| icon["width"] == 96),
        "{icons:?}"
    );
}

#[test]
fn shop() {
    let port = free_port().to_string();
    let (_running, _) = Running::start(Command::new(path("shop")).env("PORT", &port));
    let url = format!("http://127.0.0.1:{port}/mcp");
    check(
        &["--token-env", "TOKEN"],
        &[&url],
        &[("TOKEN", "token-of-ada")],
    );
}

#[test]
fn files_with_urls() {
    let folder = Folder::new("check-files").created();
    for (name, text) in [
        ("a b.txt", "text\n"),
        ("page.html", "<p>Hello"),
        ("empty", ""),
    ] {
        fs::write(folder.file(name), text).expect("written");
    }
    fs::create_dir(folder.file("inner")).expect("created");
    fs::write(folder.file("inner/data.json"), "{}").expect("written");
    let identity = Folder::new("check-files-identity").created();
    let (certificate, key) = certificate_and_key(&["localhost"]);
    let (of_tls, of_key) = (identity.file("certificate.pem"), identity.file("key.pem"));
    fs::write(&of_tls, certificate).expect("written");
    fs::write(&of_key, key).expect("written");
    let port = free_port();
    let origin = format!("https://localhost:{port}");
    let mut command = Command::new(path("files"));
    command
        .arg(folder.0.as_path())
        .args(["--http", &format!("127.0.0.1:{port}")]);
    command.args(["--public-url", &origin, "--url-lifetime", "4"]);
    command.args(["--tls-cert", &of_tls, "--tls-key", &of_key]);
    let (_running, _) = Running::start(&mut command);
    let url = format!("{origin}/mcp");
    check(&["--cacert", &of_tls, "--wait", "10"], &[&url], &[]);
}

#[test]
fn sqlite_with_changes() {
    let folder = Folder::new("check-sqlite").created();
    let (program, database) = (path("sqlite"), folder.file("notes.db"));
    for (name, kind) in [("bread", "recipe"), ("milk", "shopping")] {
        let words = [
            format!("name={name}"),
            format!("kind={kind}"),
            "text=some".to_owned(),
        ];
        let mut command = mcp(&["call", "write"]);
        let output = command
            .args(words)
            .args(["--", &program, &database])
            .output();
        assert!(output.expect("it runs").status.success());
    }
    let change = r#"{"name": "bread", "kind": "recipe", "text": "other"}"#;
    let found = check(
        &["--write", "write", change],
        &["--", &program, &database],
        &[],
    );
    let all = found["findings"].as_array().expect("findings");
    // The call changed a resource, so something was compared.
    let is_unchanged =
        |finding: &Value| finding["place"] == "tool `write`" && finding["level"] == "error";
    assert!(!all.iter().any(is_unchanged), "{all:#?}");
}

#[test]
fn object_store() {
    let store = Store::start(&[("a b.csv", "1,2\n3,4\n"), ("film/one.txt", "0123456789")]);
    let program = path("object-store");
    let (url, public) = (store.url(), store.public_url());
    let folder = Folder::new("check-store").created();
    let certificate = folder.file("certificate.pem");
    fs::write(&certificate, store.certificate()).expect("written");
    let server = ["--", &*program, &url, "--public-url", &public];
    let credentials = [
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];
    check(&["--cacert", &certificate], &server, &credentials);
    assert!(store.was_read(), "nothing was requested at the URLs");
}
