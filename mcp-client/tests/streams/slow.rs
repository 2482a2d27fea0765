//! Servers that start slowly: they receive `server/discover` and the handshake, and answer later.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{ClientBuilder, ConnectError, Limits};

use crate::support::script::Script;
use crate::support::soon;

use super::builder;

const AGREED: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"script","version":"1"}}"#;

fn discovered() -> String {
    let latest = Revision::LATEST;
    format!(
        r#"{{"resultType":"complete","supportedVersions":["{latest}"],"capabilities":{{}},"ttlMs":0,"cacheScope":"private"}}"#
    )
}

fn not_supported() -> String {
    let latest = Revision::LATEST;
    format!(
        r#"{{"code":-32022,"message":"no","data":{{"supported":["{latest}"],"requested":"2025-11-25"}}}}"#
    )
}

fn impatient() -> ClientBuilder {
    let mut limits = Limits::default();
    limits.probe_time = Duration::from_millis(50);
    builder().limits(limits)
}

async fn refuse(script: &mut Script, request: &serde_json::Value, error: &str) {
    let id = &request["id"];
    let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
    script.send(&message).await;
}

/// Receives the next request.
async fn next(script: &mut Script, method: &str) -> serde_json::Value {
    let request = script.read().await;
    assert_eq!(request["method"], method);
    request
}

#[tokio::test]
async fn late_result_of_discover_is_accepted() {
    for refusal in [
        None,
        Some(not_supported()),
        Some(r#"{"code":-32600,"message":"duplicate"}"#.to_owned()),
    ] {
        let (transport, mut script) = Script::new();
        let connecting = tokio::spawn(impatient().connect(transport));
        let discover = next(&mut script, "server/discover").await;
        let initialize = next(&mut script, "initialize").await;
        script.answer(&discover, &discovered()).await;
        if let Some(refusal) = refusal {
            refuse(&mut script, &initialize, &refusal).await;
        }
        let client = soon(connecting).await.expect("no panic");
        let client = client.expect("connected");
        assert_eq!(client.revision(), Revision::LATEST);
        let listing = tokio::spawn(client.tools().one_page().into_future());
        let list = next(&mut script, "tools/list").await;
        let page = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[]}"#;
        script.answer(&list, page).await;
        soon(listing).await.expect("no panic").expect("a list");
    }
}

#[tokio::test]
async fn handshake_that_a_server_of_both_eras_accepts_begins_a_session() {
    for is_discovered_first in [true, false] {
        let (transport, mut script) = Script::new();
        let connecting = tokio::spawn(impatient().connect(transport));
        let discover = next(&mut script, "server/discover").await;
        let initialize = next(&mut script, "initialize").await;
        let mut answers = [(&discover, discovered()), (&initialize, AGREED.to_owned())];
        if !is_discovered_first {
            answers.reverse();
        }
        for (request, result) in answers {
            script.answer(request, &result).await;
        }
        next(&mut script, "notifications/initialized").await;
        let client = soon(connecting).await.expect("no panic");
        assert_eq!(client.expect("connected").revision(), Revision::V2025_06_18);
    }
}

#[tokio::test]
async fn modern_server_that_rejects_the_handshake_is_probed_again() {
    let (transport, mut script) = Script::new();
    let connecting = tokio::spawn(impatient().connect(transport));
    next(&mut script, "server/discover").await;
    let initialize = next(&mut script, "initialize").await;
    refuse(&mut script, &initialize, &not_supported()).await;
    next(&mut script, "notifications/cancelled").await;
    let discover = next(&mut script, "server/discover").await;
    // Longer than the time of the first probe: no other handshake begins.
    tokio::time::sleep(Duration::from_millis(200)).await;
    script.answer(&discover, &discovered()).await;
    let client = soon(connecting).await.expect("no panic");
    assert_eq!(client.expect("connected").revision(), Revision::LATEST);
}

#[tokio::test]
async fn late_error_of_an_older_server_continues_the_handshake() {
    let (transport, mut script) = Script::new();
    let connecting = tokio::spawn(impatient().connect(transport));
    let discover = next(&mut script, "server/discover").await;
    let initialize = next(&mut script, "initialize").await;
    refuse(&mut script, &discover, r#"{"code":-32601,"message":"no"}"#).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    script.answer(&initialize, AGREED).await;
    next(&mut script, "notifications/initialized").await;
    let client = soon(connecting).await.expect("no panic");
    assert_eq!(client.expect("connected").revision(), Revision::V2025_06_18);
}

#[tokio::test]
async fn pinned_revision_has_the_whole_timeout() {
    let (transport, mut script) = Script::new();
    let connecting = tokio::spawn(impatient().revision(Revision::LATEST).connect(transport));
    let discover = next(&mut script, "server/discover").await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    script.answer(&discover, &discovered()).await;
    soon(connecting)
        .await
        .expect("no panic")
        .expect("connected");
}

#[tokio::test]
async fn rejected_revision_without_data_means_an_older_server() {
    let (transport, mut script) = Script::new();
    let connecting = tokio::spawn(builder().connect(transport));
    let discover = next(&mut script, "server/discover").await;
    refuse(&mut script, &discover, r#"{"code":-32022,"message":"no"}"#).await;
    let initialize = next(&mut script, "initialize").await;
    refuse(
        &mut script,
        &initialize,
        r#"{"code":-32022,"message":"no"}"#,
    )
    .await;
    // Once more, and then the error is final.
    let discover = next(&mut script, "server/discover").await;
    refuse(&mut script, &discover, r#"{"code":-32601,"message":"no"}"#).await;
    let error = soon(connecting).await.expect("no panic");
    let error = error.expect_err("no revision");
    assert!(matches!(error, ConnectError::Call(_)), "{error}");
}

#[tokio::test]
async fn messages_with_a_byte_order_mark_or_without_a_version_are_read() {
    let (transport, mut script) = Script::new();
    let connecting = tokio::spawn(builder().connect(transport));
    let discover = next(&mut script, "server/discover").await;
    let (id, result) = (&discover["id"], discovered());
    script
        .send(&format!("\u{feff}{{\"id\":{id},\"result\":{result}}}"))
        .await;
    let client = soon(connecting).await.expect("no panic");
    assert_eq!(client.expect("connected").revision(), Revision::LATEST);
}

#[tokio::test]
async fn modern_revision_in_a_handshake_is_explained() {
    let (transport, mut script) = Script::new();
    let connecting = tokio::spawn(builder().connect(transport));
    let discover = next(&mut script, "server/discover").await;
    refuse(&mut script, &discover, r#"{"code":-32601,"message":"no"}"#).await;
    let initialize = next(&mut script, "initialize").await;
    let agreed = AGREED.replace("2025-06-18", "2026-07-28");
    script.answer(&initialize, &agreed).await;
    let error = soon(connecting).await.expect("no panic");
    let error = error.expect_err("no revision").to_string();
    let (ours, theirs) = error.split_once("the server supports").expect("a list");
    assert!(theirs.contains("2026-07-28"), "{error}");
    assert!(!ours.contains("2026-07-28"), "{error}");
}
