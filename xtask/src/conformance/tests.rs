//! The verdict on results, which is stricter than that of the suite.

use serde_json::{Value, json};

use super::report::Outcome;
use super::suite::{Listed, Scenario, Side, listed, scenario_of, scenarios};

const WIRE: &str = "wire-schema-valid";

/// Returns why a scenario with these checks fails.
fn fault(checks: &[(&str, &str)], deny_warnings: bool) -> Option<String> {
    let checks: Vec<Value> = checks
        .iter()
        .map(|(id, status)| json!({"id": id, "status": status}))
        .collect();
    Outcome::new("tools-list", Some(checks)).fault(deny_warnings)
}

#[test]
fn scenario_with_only_skipped_checks_fails() {
    assert_eq!(fault(&[("a", "SUCCESS"), (WIRE, "SUCCESS")], true), None);
    assert!(fault(&[], false).is_some());
    assert!(fault(&[("a", "SKIPPED"), ("b", "INFO")], false).is_some());
    assert!(Outcome::new("tools-list", None).fault(false).is_some());
}

#[test]
fn scenario_without_the_check_of_messages_fails() {
    assert!(fault(&[("a", "SUCCESS")], false).is_some());
    assert!(fault(&[("a", "SUCCESS"), (WIRE, "FAILURE")], false).is_some());
    let raw = vec![json!({"id": "a", "status": "SUCCESS"})];
    assert_eq!(
        Outcome::new("server-stateless", Some(raw)).fault(false),
        None
    );
}

#[test]
fn warning_fails_if_warnings_are_denied() {
    let checks = [("a", "WARNING"), (WIRE, "SUCCESS")];
    assert_eq!(fault(&checks, false), None);
    assert!(fault(&checks, true).is_some());
}

#[test]
fn scenarios_of_one_side_are_read() {
    let text = "\
# server:
server:
  - ping

client:
  - initialize

not_scored:
  - scenario: auth/dpop
    leg: client
    reason: extension
  - scenario: tasks-lifecycle
    leg: server
    reason: extension
    note: >-
      server: not required
  - scenario: server-sse-polling
    leg: server
    reason: pending
";
    let found = scenarios(text, Side::Server);
    let found: Vec<_> = found
        .iter()
        .map(|scenario| (scenario.name.as_str(), scenario.extension))
        .collect();
    assert_eq!(
        found,
        [
            ("ping", false),
            ("tasks-lifecycle", true),
            ("server-sse-polling", false)
        ]
    );
    let found = scenarios(text, Side::Client);
    let found: Vec<_> = found.iter().map(|scenario| &*scenario.name).collect();
    assert_eq!(found, ["initialize", "auth/dpop"]);
}

#[test]
fn scenario_is_parsed_from_folder_name() {
    let name = |folder: &str| scenario_of(folder.as_ref(), Side::Server).map(str::to_owned);
    let folder = "results/server-tools-list-2026-11-21T12-41-31-597Z";
    assert_eq!(name(folder).as_deref(), Some("tools-list"));
    assert_eq!(name("results/suite.log"), None);
    assert_eq!(name("results/server-x"), None);
    let folder = "results/sse-retry-2026-11-21T12-41-31-597Z";
    assert_eq!(
        scenario_of(folder.as_ref(), Side::Client),
        Some("sse-retry")
    );
}

#[test]
fn results_of_a_group_are_found_in_its_folder() {
    let folder = std::env::temp_dir().join(format!("conformance-{}", std::process::id()));
    for path in [
        "initialize-2026-11-21T12-41-31-597Z",
        "auth/dpop-2026-11-21T12-41-31-597Z",
    ] {
        let path = folder.join(path);
        std::fs::create_dir_all(&path).expect("created");
        let checks = r#"[{"id": "one", "status": "SUCCESS"}]"#;
        std::fs::write(path.join("checks.json"), checks).expect("written");
    }
    let scenarios = ["initialize", "auth/dpop", "auth/other"].map(|name| Scenario {
        name: name.to_owned(),
        extension: false,
    });
    let found = super::report::read(&folder, &scenarios, Side::Client).expect("read");
    let faults: Vec<bool> = found
        .iter()
        .map(|outcome| outcome.fault(true).is_some())
        .collect();
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(faults, [false, false, true]);
}

#[test]
fn scenarios_of_one_side_are_listed_with_their_revisions() {
    let text = "Server scenarios (test against a server):
  - ping [2025-06-18,2025-11-25]

Client scenarios (test against a client):
  - auth/dpop [extension]

Authorization server scenarios (test against an authorization server):
  - code [2025-11-25]
";
    let scenario = |name: &str, revisions: &[&str]| Listed {
        name: name.to_owned(),
        revisions: revisions
            .iter()
            .map(|&revision| revision.to_owned())
            .collect(),
    };
    let ping = scenario("ping", &["2025-06-18", "2025-11-25"]);
    assert_eq!(listed(text, Side::Server), [ping]);
    assert_eq!(listed(text, Side::Client), [scenario("auth/dpop", &[])]);
}
