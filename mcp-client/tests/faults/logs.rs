//! Text of servers cannot forge log lines or fill the log.

use mcp_client::Limits;
use mcp_client::types::Revision;
use serde_json::json;

use mcp_testkit::text_log::TextLog;

use super::pipe::{Script, builder};

/// Runs on one thread, so that the log of this thread is complete.
#[tokio::test(flavor = "current_thread")]
async fn text_of_a_server_is_truncated_and_escaped_in_logs() {
    let log = TextLog::begin();
    let hostile = format!(
        "\u{1b}[2J\u{9b}31m\u{202e}\u{2028}\n2030-01-01 ERROR forged\r{}",
        "long ".repeat(2_000)
    );
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        let builder = builder(Limits::default());
        let (client, mut server) = Script::piped(builder, revision).await;
        let error = json!({"code": -32700, "message": hostile});
        for message in [
            // An error without an id.
            json!({"jsonrpc": "2.0", "id": null, "error": error}),
            // A response without a request.
            json!({"jsonrpc": "2.0", "id": hostile, "result": {}}),
            // Unknown and malformed notifications.
            json!({"jsonrpc": "2.0", "method": hostile, "params": {}}),
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {hostile.as_str(): 1}}),
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": hostile}}),
            // Malformed messages.
            json!({"jsonrpc": hostile, "id": 7}),
            json!({hostile.as_str(): hostile}),
            json!(hostile),
        ] {
            server.write(format!("{message}\n").as_bytes()).await;
        }
        // Unchanged, except for the line end.
        let raw = hostile.replace('\n', " ");
        server.write(format!("{raw}\n").as_bytes()).await;
        server.assert_works(&client).await;
    }
    let log = log.text();
    assert!(log.lines().count() >= 12, "{log}");
    for line in log.lines() {
        let unfit = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{202e}');
        assert!(!line.contains(unfit), "{line:?}");
        assert!(!line.starts_with("2030"), "{line:?}");
        assert!(line.len() < 2_500, "{} bytes: {line:?}", line.len());
    }
}
