//! `mcp check --proposals`, and the server of `mcp mock` that it checks.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use mcp_testkit::certificate::certificate_and_key;
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{Printed, mcp};

/// The certificate and the key for the URLs of the server.
struct Identity {
    _folder: Folder,
    certificate: String,
    key: String,
}

impl Identity {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name).created();
        let (certificate, key) = certificate_and_key(&["localhost", "127.0.0.1"]);
        let write = |name: &str, text: &str| {
            let path = folder.file(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        Self {
            certificate: write("certificate.pem", &certificate),
            key: write("key.pem", &key),
            _folder: folder,
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
                    let lifetime = if name == "https-url/expired" {
                        "2"
                    } else {
                        "900"
                    };
                    let options = if lifetime == "2" { &ALL[..] } else { &ALL[..3] };
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
