//! Users log in to `mcp gateway`, with `curl` as their browser.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::json;

use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

use super::subject;

/// A program that runs until this value is dropped, and the lines that it prints.
struct Running {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStderr>>,
}

impl Running {
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
        let output = child.stderr.take().expect("a pipe");
        Self {
            child,
            lines: BufReader::new(output).lines(),
        }
    }

    /// Reads until a line contains a text, and returns the line.
    fn line_with(&mut self, text: &str) -> String {
        let mut read = String::new();
        for line in &mut self.lines {
            let line = line.expect("text");
            if line.contains(text) {
                return line.trim().to_owned();
            }
            read = format!("{read}{line}\n");
        }
        panic!("no line contains `{text}`:\n{read}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a file with a server for everybody and one for the group `acme`.
fn configure(path: &str) {
    let server = json!({ "command": subject() });
    let mut restricted = server.clone();
    restricted["visibleTo"] = json!(["acme"]);
    let servers = json!({ "mcpServers": { "open": server, "ops": restricted } });
    fs::write(path, servers.to_string()).expect("written");
}

/// Returns a free address.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    listener.local_addr().expect("an address").to_string()
}

fn gateway(path: &str, address: &str, options: &[&str]) -> Running {
    let mut command = mcp();
    command.args(["gateway", path, "--listen", address]);
    let mut running = Running::start({
        command.args(options);
        command
    });
    running.line_with("serving at ");
    running
}

/// A user at a browser.
struct User<'a> {
    folder: &'a Folder,
    name: &'static str,
}

impl User<'_> {
    fn mcp(&self, arguments: &[&str]) -> Command {
        let mut command = mcp();
        command.args(arguments);
        command.env(
            "MCP_AUTH_DIR",
            self.folder.file(&format!("tokens-{}", self.name)),
        );
        command
    }

    /// Requests a page with the cookies of the browser. Returns the URL of the redirect, and the page.
    fn browse(&self, arguments: &[&str]) -> (String, String) {
        let cookies = self.folder.file(&format!("cookies-{}", self.name));
        let mut command = Command::new("curl");
        command.args([
            "--silent",
            "--show-error",
            "--cookie",
            &cookies,
            "--cookie-jar",
            &cookies,
        ]);
        let printed = command
            .args(["--write-out", "\n%{redirect_url}"])
            .args(arguments)
            .output()
            .expect("curl is installed");
        assert!(printed.status.success(), "{printed:?}");
        let text = String::from_utf8(printed.stdout).expect("text");
        let (page, redirect) = text.rsplit_once('\n').expect("two parts");
        (redirect.to_owned(), page.to_owned())
    }

    /// Submits the form of a page with a decision. Returns the page to which the browser is sent.
    fn submit(&self, page: &str, decision: &str) -> String {
        let action = between(page, "action=\"", "\"");
        let hidden = between(page, "type=\"hidden\" name=\"", ">");
        let (name, value) = hidden.split_once("\" value=\"").expect("a value");
        let value = format!("{name}={}", value.trim_end_matches('"'));
        let arguments = [
            "--data-urlencode",
            &value,
            "--data-urlencode",
            decision,
            action,
        ];
        let (redirect, page) = self.browse(&arguments);
        let next = if redirect.is_empty() {
            // Redirects of forms to other origins are not followed by all browsers.
            between(&page, "http-equiv=\"refresh\" content=\"0;url=", "\"").replace("&amp;", "&")
        } else {
            redirect
        };
        self.browse(&[&next]).1
    }

    /// Logs in with `mcp login`. Returns what it prints at the end.
    fn log_in(&self, server: &str) -> Printed {
        let mut login = Running::start(self.mcp(&["login", server, "--no-browser"]));
        let address = login.line_with("/authorize?");
        let (_, consent) = self.browse(&[&address]);
        assert!(consent.contains("wants to use"), "{consent}");
        let users = self.submit(&consent, "decision=allow");
        self.submit(&users, &format!("user={}", self.name));
        let lines: Vec<String> = (&mut login.lines).map(|line| line.expect("text")).collect();
        let status = login.child.wait().expect("it ends");
        Printed {
            code: status.code(),
            out: String::new(),
            err: lines.join("\n"),
        }
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let start = text
        .find(before)
        .unwrap_or_else(|| panic!("no `{before}` in {text}"))
        + before.len();
    let length = text[start..].find(after).expect("an end");
    &text[start..start + length]
}

#[test]
fn users_log_in_and_see_what_is_for_their_groups() {
    let folder = Folder::new("gateway-login").created();
    let path = folder.file("servers.json");
    configure(&path);
    let address = free_address();
    let mut gateway = gateway(&path, &address, &["--login", "local"]);
    let callback = gateway.line_with("callback URL");
    assert!(
        callback.contains(&format!("http://{address}/")),
        "{callback}"
    );
    let server = format!("http://{address}/mcp");
    let [ada, bob] = ["ada", "bob"].map(|name| User {
        folder: &folder,
        name,
    });
    let refused: Printed = ada
        .mcp(&["tools", &server])
        .output()
        .expect("it runs")
        .into();
    assert_eq!(refused.code, Some(7), "{refused:?}");
    for (user, sees) in [(&ada, true), (&bob, false)] {
        let printed = user.log_in(&server);
        assert_eq!(printed.code, Some(0), "{printed:?}");
        let listed: Printed = user
            .mcp(&["tools", &server])
            .output()
            .expect("it runs")
            .into();
        assert!(listed.out.contains("open_add"), "{listed:?}");
        assert_eq!(listed.out.contains("ops_add"), sees, "{listed:?}");
        let called = user
            .mcp(&["call", &server, "ops_add", "a=1", "b=2"])
            .output();
        let called: Printed = called.expect("it runs").into();
        assert_eq!(called.code == Some(0), sees, "{called:?}");
    }
}

#[test]
fn only_users_that_the_options_name_are_let_in() {
    let folder = Folder::new("gateway-allow").created();
    let path = folder.file("servers.json");
    configure(&path);
    for options in [
        ["--allow-org", "acme"],
        ["--allow-domain", "example.com"],
        ["--allow-user", "ada@example.com"],
    ] {
        let address = free_address();
        let options = [&["--login", "local"], options.as_slice()].concat();
        let _gateway = gateway(&path, &address, &options);
        let server = format!("http://{address}/mcp");
        let names = ["ada", "bob"];
        for name in names {
            let home = Folder::new(&format!("gateway-allow-{name}")).created();
            let user = User {
                folder: &home,
                name,
            };
            let printed = user.log_in(&server);
            assert_eq!(
                printed.code == Some(0),
                name == "ada",
                "{options:?}: {printed:?}"
            );
        }
    }
}

#[test]
fn endpoint_with_a_certificate_names_its_public_url() {
    let folder = Folder::new("gateway-tls").created();
    let path = folder.file("servers.json");
    configure(&path);
    let generated = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
    let generated = generated.expect("a certificate");
    let (certificate, key) = (folder.file("cert.pem"), folder.file("key.pem"));
    fs::write(&certificate, generated.cert.pem()).expect("written");
    fs::write(&key, generated.signing_key.serialize_pem()).expect("written");
    let address = free_address();
    let port = address.rsplit_once(':').expect("a port").1;
    let public = format!("https://localhost:{port}");
    let secure = ["--tls-cert", &certificate, "--tls-key", &key];
    let login = [
        "--login",
        "local",
        "--allow-anyone",
        "--public-url",
        &public,
    ];
    let proxy = ["--trusted-proxy", "127.0.0.0/8"];
    let options = [secure.as_slice(), &login, &proxy].concat();
    let _gateway = gateway(&path, &address, &options);
    let metadata = format!("{public}/.well-known/oauth-authorization-server");
    let user = User {
        folder: &folder,
        name: "ada",
    };
    let (_, text) = user.browse(&["--cacert", &certificate, &metadata]);
    let metadata: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(metadata["issuer"], public);
}

#[test]
fn provider_needs_a_client_and_somebody_who_may_log_in() {
    let folder = Folder::new("gateway-provider").created();
    let path = folder.file("servers.json");
    configure(&path);
    let run = |options: &[&str]| -> Printed {
        let mut command = mcp();
        command
            .args(["gateway", &path, "--listen", "127.0.0.1:0"])
            .args(options);
        command.env("GATEWAY_TEST_SECRET", "s3cr3t-of-the-client");
        command.output().expect("it runs").into()
    };
    let public = ["--public-url", "https://mcp.example.com"];
    let all = |options: &[&'static str]| [options, &public].concat();
    let client = [
        "--login-client-id",
        "id",
        "--login-secret-env",
        "GATEWAY_TEST_SECRET",
    ];
    for (options, expected) in [
        (all(&["--login", "github"]), "--allow-user"),
        (
            all(&["--login", "github", "--allow-anyone"]),
            "--login-client-id",
        ),
        (
            all(&[
                "--login",
                "github",
                "--allow-anyone",
                "--login-client-id",
                "id",
            ]),
            "--login-secret-env",
        ),
        (
            [
                all(&["--login", "gitbub", "--allow-anyone"]),
                client.to_vec(),
            ]
            .concat(),
            "no provider `gitbub`",
        ),
        (
            [vec!["--login", "github", "--allow-anyone"], client.to_vec()].concat(),
            "--public-url",
        ),
        (all(&["--login", "local"]), "loopback"),
        (
            vec!["--login", "local", "--trusted-proxy", "everybody"],
            "--public-url",
        ),
        (vec!["--trusted-proxy", "everybody"], "--trusted-proxy"),
        (vec!["--login", "local", "--allow-org", ""], "--allow-org"),
    ] {
        let printed = run(&options);
        assert_eq!(printed.code, Some(2), "{options:?}: {printed:?}");
        assert!(printed.err.contains(expected), "{options:?}: {printed:?}");
        assert!(!printed.err.contains("s3cr3t"), "{printed:?}");
    }
    // Users without passwords are not for other machines, whatever the public URL says.
    let mut command = mcp();
    command.args([
        "gateway",
        &path,
        "--listen",
        "0.0.0.0:8080",
        "--login",
        "local",
    ]);
    command.args(["--public-url", "http://localhost:8080"]);
    let printed: Printed = command.output().expect("it runs").into();
    assert_eq!(printed.code, Some(2), "{printed:?}");
    // The provider is first needed when a user logs in.
    let issuer = "http://127.0.0.1:1/issuer";
    let mut command = mcp();
    let login = [
        "--login",
        issuer,
        "--login-scope",
        "groups",
        "--allow-anyone",
    ];
    command.args(["gateway", &path, "--listen", &free_address()]);
    command.args(login).args(client).args(public);
    command.env("GATEWAY_TEST_SECRET", "s3cr3t-of-the-client");
    let mut gateway = Running::start(command);
    let line = gateway.line_with("callback URL");
    assert!(line.contains("https://mcp.example.com/"), "{line}");
}
