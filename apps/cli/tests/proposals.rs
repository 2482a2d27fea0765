//! `mcp check --proposals`, and the server of `mcp mock` that it checks.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use mcp_testkit::certificate::certificate_and_key;
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

/// The certificate and the key for the URLs of the server.
struct Identity {
    folder: Folder,
    certificate: String,
    key: String,
}

impl Identity {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name).created();
        let (certificate, key) = certificate_and_key(&["localhost", "127.0.0.1"]);
        let write = |name: &str, text: &str| {
            let path = folder.file(name);
            fs::write(&path, text).expect("written");
            path
        };
        Self {
            certificate: write("certificate.pem", &certificate),
            key: write("key.pem", &key),
            folder,
        }
    }

    /// Checks the server with options of `mcp check` and of `mcp mock`.
    fn check(&self, options: &[&str], of_mock: &[&str]) -> Printed {
        let mut command = mcp();
        command.args([
            "check",
            "--proposals",
            "--json",
            "--cacert",
            &self.certificate,
        ]);
        command
            .args(options)
            .arg("--")
            .arg(env!("CARGO_BIN_EXE_mcp"));
        command.args(["mock", "--proposals", "--tls-cert", &self.certificate]);
        command.args(["--tls-key", &self.key]).args(of_mock);
        command.output().expect("it runs").into()
    }
}

/// Changes a note, and waits for the end of a URL.
const ALL: [&str; 5] = ["--write", "write", r#"{"text": "changed"}"#, "--wait", "5"];

/// Returns the statements that were violated, with what was found.
fn violated(found: &Printed) -> BTreeSet<String> {
    let report: Value = serde_json::from_str(&found.out).unwrap_or_else(|_| panic!("{found:?}"));
    let findings = report["findings"].as_array().expect("findings");
    let rules = findings
        .iter()
        .filter_map(|finding| finding["rule"].as_str());
    rules.map(str::to_owned).collect()
}

#[test]
fn every_fault_is_found_by_its_rule_only() {
    let identity = Identity::new("proposals-faults");
    let listed: Printed = mcp()
        .args(["mock", "--faults"])
        .output()
        .expect("it runs")
        .into();
    let names: Vec<&str> = listed
        .out
        .lines()
        .filter_map(|line| line.split(": ").next())
        .collect();
    assert!(names.len() >= 60, "{}", listed.out);
    let (left, wrong) = (Mutex::new(names), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap_or_else(PoisonError::into_inner).pop();
                    let Some(name) = next else { return };
                    // Long enough for all other requests on a slow machine.
                    let (lifetime, options) = match name {
                        "https-url/expired" => ("8", &[&ALL[..3], &["--wait", "30"]].concat()[..]),
                        _ => ("900", &ALL[..3]),
                    };
                    let of_mock = ["--fault", name, "--url-lifetime", lifetime];
                    let found = identity.check(options, &of_mock);
                    let rule = name.split(':').next().unwrap_or_default();
                    if violated(&found) != BTreeSet::from([rule.to_owned()]) {
                        let mut wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner);
                        wrong.push(format!("{name}: {:?}", violated(&found)));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn server_without_faults_violates_nothing() {
    let found = Identity::new("proposals").check(&ALL, &["--url-lifetime", "2"]);
    assert_eq!(violated(&found), BTreeSet::new(), "{found:?}");
    assert_eq!(found.code, Some(0), "{found:?}");
}

/// The server of `mcp mock` over HTTP. It is killed when this value is dropped.
struct Mock {
    child: Child,
    address: String,
    report: String,
    _errors: BufReader<ChildStderr>,
    _folder: Folder,
}

impl Mock {
    fn start(name: &str) -> Self {
        let folder = Folder::new(name).created();
        let report = folder.file("report.jsonl");
        let mut command = mcp();
        command.args([
            "mock",
            "--proposals",
            "--hostile",
            "--listen",
            "127.0.0.1:0",
        ]);
        command.args(["--report", &report]).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut url = String::new();
        errors.read_line(&mut url).expect("a line");
        let address = url
            .trim()
            .trim_start_matches("http://")
            .trim_end_matches("/mcp");
        Self {
            child,
            address: address.to_owned(),
            report,
            _errors: errors,
            _folder: folder,
        }
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Runs a command with the URL and further arguments.
    fn run(&self, command: &str, arguments: &[&str]) -> Printed {
        let mut running = mcp();
        running.arg(command).arg(self.url()).args(arguments);
        running.output().expect("it runs").into()
    }

    /// Sends a request that is not of the protocol, and reads the response.
    fn get(&self, path: &str, headers: &str) {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        let head = format!("GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("sent");
        std::io::copy(&mut stream, &mut std::io::sink()).expect("read");
    }

    /// Returns the statements that clients have violated since the last call.
    fn violations(&self) -> BTreeSet<String> {
        let report = fs::read_to_string(&self.report).expect("a report");
        fs::write(&self.report, "").expect("written");
        let lines = report
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let ids = lines.filter_map(|line: Value| Some(line["violation"].as_str()?.to_owned()));
        ids.collect()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn mock_reports_what_a_client_violates() {
    let mock = Mock::start("mock-violations");
    let request = |method: &str, params: &str| {
        let printed = mock.run("request", &[method, "--args", params]);
        assert!(matches!(printed.code, Some(0 | 4..=6)), "{printed:?}");
    };
    let plain = |path: &str| mock.get(path, "Host: 127.0.0.1\r\n");
    let violations: [(&str, &dyn Fn()); 9] = [
        ("sep-2093/client-members", &|| {
            request("resources/list", r#"{"uri": "mock://plain"}"#);
        }),
        ("sep-2093/client-cursor", &|| {
            request("resources/list", r#"{"cursor": "2"}"#);
        }),
        ("versioned-resources/client-version", &|| {
            let params = r#"{"uri": "mock://plain", "version": "old"}"#;
            request("resources/get", params);
        }),
        ("https-url/client-scheme", &|| {
            let listed = mock.run("resources", &["--json"]).out;
            let (_, port) = listed.split_once("http://127.0.0.1:").expect("a URL");
            let port: String = port.chars().take_while(char::is_ascii_digit).collect();
            let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("connected");
            // The server notes the connection before it closes it.
            let _ = stream.read(&mut [0]);
        }),
        ("https-url/client-credentials", &|| {
            mock.get("/r/x", "Host: 127.0.0.1\r\nMcp-Session-Id: 1\r\n");
        }),
        ("https-url/client-expired", &|| plain("/trap/expired")),
        ("https-url/client-size", &|| plain("/trap/endless")),
        ("sep-973/client-origin", &|| plain("/trap/icon.png")),
        ("sep-973/client-size", &|| plain("/trap/endless-icon.png")),
    ];
    for (statement, violate) in violations {
        violate();
        assert_eq!(mock.violations(), BTreeSet::from([statement.to_owned()]));
    }
}

#[test]
fn program_violates_nothing_at_a_hostile_server() {
    let identity = Identity::new("proposals-hostile");
    let report = identity.folder.file("report.jsonl");
    let run = |command: &str, arguments: &[&str]| -> Printed {
        let mut running = mcp();
        running
            .args([command, "--cacert", &identity.certificate])
            .args(arguments);
        running.arg("--").arg(env!("CARGO_BIN_EXE_mcp"));
        running.args(["mock", "--proposals", "--hostile", "--report", &report]);
        running.args([
            "--tls-cert",
            &identity.certificate,
            "--tls-key",
            &identity.key,
        ]);
        running.output().expect("it runs").into()
    };
    let listed = run("resources", &["--json"]);
    let listed: Value = serde_json::from_str(&listed.out).expect("JSON");
    let listed = listed["resources"].as_array().expect("a list").clone();
    assert!(listed.len() > 15, "{listed:?}");
    for resource in &listed {
        let uri = resource["uri"].as_str().expect("text");
        let fetched = run("fetch", &["--allow-private", "--max-size", "200000", uri]);
        let expected = match uri {
            "mock://trap/gone" | "mock://trap/large" => Some(4),
            // Neither its size nor its contents end.
            "mock://trap/endless" => None,
            _ if resource["resourceType"] == "collection" => None,
            _ => Some(0),
        };
        assert!(
            expected.is_none_or(|code| fetched.code == Some(code)),
            "{uri}: {fetched:?}"
        );
        run("metadata", &[uri]);
    }
    for command in ["icons", "resources", "skills"] {
        let printed = run(command, &["--allow-private"]);
        // No control character of the server reaches the terminal.
        assert!(
            !printed.out.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{printed:?}"
        );
    }
    let many = run("tree", &["mock://many", "--json"]);
    let many: Value = serde_json::from_str(&many.out).expect("JSON");
    assert_eq!(many["resources"].as_array().map(Vec::len), Some(100_000));
    let report = fs::read_to_string(&report).expect("a report");
    let violations: Vec<&str> = report
        .lines()
        .filter(|line| line.contains("violation"))
        .collect();
    assert_eq!(violations, Vec::<&str>::new());
    assert!(
        report.contains(r#""fetch":"GET","path":"/trap/broken""#),
        "{report}"
    );
}

#[test]
fn icons_have_a_verdict_and_a_page() {
    let folder = Folder::new("icons").created();
    let page = folder.file("icons.html");
    let mut running = mcp();
    running.args([
        "icons", "--size", "16", "--theme", "dark", "--output", &page, "--json",
    ]);
    running.arg("--").arg(env!("CARGO_BIN_EXE_mcp"));
    running.args(["mock", "--proposals", "--hostile"]);
    let printed: Printed = running.output().expect("it runs").into();
    let icons: Value = serde_json::from_str(&printed.out).expect("JSON");
    let icons = icons["icons"].as_array().expect("a list");
    let chosen = icons.iter().filter(|icon| icon["of"] == "resource `plain`");
    let chosen: Vec<_> = chosen
        .map(|icon| (&icon["icon"]["theme"], &icon["chosen"]))
        .collect();
    assert_eq!(
        chosen,
        [
            (&"light".into(), &false.into()),
            (&"dark".into(), &true.into())
        ]
    );
    let refused: Vec<_> = icons
        .iter()
        .filter_map(|icon| icon["refused"].as_str())
        .collect();
    for part in [
        "`http`",
        "`file`",
        "`javascript`",
        "SVG",
        "declared as `image/jpeg`",
    ] {
        assert!(
            refused.iter().any(|text| text.contains(part)),
            "{part}: {refused:?}"
        );
    }
    let page = fs::read_to_string(page).expect("a page");
    assert_eq!(page.matches("<use").count(), 3 * 2 * 3, "{page}");
    // What is refused is named, and not loaded.
    assert!(
        !page.contains("src=\"http") && !page.contains("svg+xml;base64"),
        "{page}"
    );
    assert!(page.contains("default-src 'none'; img-src data:"), "{page}");
}

#[test]
fn tree_shows_members_and_versions() {
    let mut running = mcp();
    running
        .arg("tree")
        .arg("--")
        .arg(env!("CARGO_BIN_EXE_mcp"))
        .args(["mock", "--proposals"]);
    let printed: Printed = running.output().expect("it runs").into();
    let expected = "\nfolder/\n  a\n  inner/\n    b\n";
    assert!(printed.out.contains(expected), "{printed:?}");
    let expected = "plain  [text/plain, 30 bytes, version 7]\n";
    assert!(printed.out.ends_with(expected), "{printed:?}");
}

#[test]
fn watch_shows_which_version_changed() {
    let mock = Mock::start("watch-version");
    let mut command: Command = mcp();
    command
        .args(["watch", &mock.url(), "mock://note"])
        .stdout(Stdio::piped());
    let mut watch = command.spawn().expect("it runs");
    let lines = BufReader::new(watch.stdout.take().expect("a pipe")).lines();
    let mut lines = lines.map(|line| line.expect("text"));
    assert!(
        lines
            .next()
            .is_some_and(|line| line.starts_with("listening"))
    );
    let written = mock.run("call", &["write", "text=changed"]);
    assert_eq!(written.code, Some(0), "{written:?}");
    let changed = lines.find(|line| line.starts_with("version changed"));
    assert_eq!(
        changed.as_deref(),
        Some("version changed: mock://note: v2, was v1")
    );
    watch.kill().expect("it runs");
    watch.wait().expect("it ends");
}

#[cfg(unix)]
#[test]
fn curl_alone_downloads_what_a_tool_links_to() {
    let mut demo = Command::new("sh");
    demo.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/demo/download.sh"))
        .env("MCP", env!("CARGO_BIN_EXE_mcp"));
    let printed: Printed = demo.output().expect("it runs").into();
    assert_eq!(printed.code, Some(0), "{printed:?}");
    // The page shows what is printed, with `...` for what differs between runs.
    let page = include_str!("../docs/download.md");
    let shown = page.split("```console\n").nth(1).expect("the output");
    let shown = shown.split("```").next().unwrap_or_default();
    let mut printed = printed.out.lines();
    for line in shown.lines().skip(1) {
        let found = printed.next().unwrap_or_default();
        let is_equal = match (serde_json::from_str(line), serde_json::from_str(found)) {
            (Ok(shown), Ok(found)) => same_request(&shown, &found),
            _ => is_like(found, line),
        };
        assert!(is_equal, "{found}, expected {line}");
    }
    assert_eq!(printed.next(), None);
}

/// Compares requests in a report, whose members have no order.
#[cfg(unix)]
fn same_request(shown: &Value, found: &Value) -> bool {
    let path = |request: &Value| request["path"].as_str().unwrap_or_default().to_owned();
    let mut found = found.clone();
    if is_like(&path(&found), &path(shown)) && found.get("path").is_some() {
        found["path"] = shown["path"].clone();
    }
    found == *shown
}

/// Compares a text with one that has `...` in the place of a part.
#[cfg(unix)]
fn is_like(text: &str, pattern: &str) -> bool {
    match pattern.split_once("...") {
        Some((start, end)) => text.starts_with(start) && text.ends_with(end),
        None => text == pattern,
    }
}

#[test]
fn documentation_has_every_rule_and_fault() {
    let page = include_str!("../docs/proposals.md");
    let listed: Printed = mcp()
        .args(["mock", "--faults"])
        .output()
        .expect("it runs")
        .into();
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    for line in listed.out.lines() {
        let (name, statement) = line
            .split_once(": violates ")
            .expect("a name and a statement");
        let (rule, detail) = name.split_once(':').unwrap_or((name, ""));
        let row = rows
            .iter()
            .find(|row| row.starts_with(&format!("| `{rule}` |")));
        let row = row.unwrap_or_else(|| panic!("no row for `{rule}`"));
        assert!(
            row.contains(statement.trim_matches('"')),
            "{row} for {line}"
        );
        assert!(
            detail.is_empty() || row.contains(&format!("`{detail}`")),
            "{row} for {line}"
        );
    }
    let faults = listed.out.lines().count();
    let documented = rows.iter().filter(|row| row.matches('|').count() == 5);
    let documented = documented.map(|row| {
        let details = row.rsplit('|').nth(1).unwrap_or_default();
        (details.matches('`').count() / 2).max(1)
    });
    assert_eq!(documented.sum::<usize>(), faults);
}

#[test]
fn invalid_arguments_are_refused_before_the_server_starts() {
    let folder = Folder::new("proposals-arguments").created();
    let started = folder.file("started");
    let mut command = mcp();
    command.args(["check", "--proposals", "--write", "write", "{"]);
    let printed: Printed = command
        .args(["--", "touch", &started])
        .output()
        .expect("it runs")
        .into();
    assert_eq!(printed.code, Some(2), "{printed:?}");
    assert!(printed.err.contains("invalid `--write`"), "{printed:?}");
    assert!(fs::metadata(started).is_err());
}
