//! Servers that send too many input requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::types::{ElicitAction, ElicitResult, Revision};
use mcp_client::{CallError, Limits};
use serde_json::json;

use super::pipe::{Script, builder, soon};

/// Returns a result with this number of input requests.
fn asking(questions: usize) -> String {
    let questions: Vec<_> = (0..questions)
        .map(|number| format!(r#""q{number}":{{"method":"roots/list"}}"#))
        .collect();
    let questions = questions.join(",");
    format!(r#"{{"resultType":"input_required","inputRequests":{{{questions}}}}}"#)
}

const DONE: &str = r#"{"resultType":"complete","content":[]}"#;

#[tokio::test]
async fn too_many_input_requests_fail_the_call_before_any_handler_starts() {
    for limit in [0, 8] {
        let mut limits = Limits::default();
        limits.server_requests = limit;
        let handled = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&handled);
        let builder = builder(limits).on_roots(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            async { Ok(Vec::new()) }
        });
        let (client, mut server) = Script::piped(builder, Revision::V2026_07_28).await;
        let call = tokio::spawn(client.call_tool("any").into_future());
        let asked = server.receive_request("tools/call").await;
        server.answer(&asked, &asking(10_000)).await;
        let error = soon(call).await.expect("no panic").expect_err("too many");
        assert!(
            matches!(error, CallError::Questions { count: 10_000, limit: most, .. } if most == limit),
            "{error}"
        );
        assert_eq!(handled.load(Ordering::Relaxed), 0);
        // As many as allowed are answered.
        let call = tokio::spawn(client.call_tool("any").into_future());
        let asked = server.receive_request("tools/call").await;
        server.answer(&asked, &asking(limit)).await;
        let again = server.receive_request("tools/call").await;
        let answers = again["params"]["inputResponses"].as_object();
        assert_eq!(answers.map_or(0, serde_json::Map::len), limit, "{again}");
        server.answer(&again, DONE).await;
        soon(call).await.expect("no panic").expect("a result");
        assert_eq!(handled.load(Ordering::Relaxed), limit);
        server.assert_works(&client).await;
    }
}

#[tokio::test]
async fn input_requests_of_several_calls_share_the_limit() {
    let mut limits = Limits::default();
    limits.server_requests = 2;
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (working, highest) = (Arc::clone(&now), Arc::clone(&most));
    let builder = builder(limits).on_roots(move || {
        let working = Arc::clone(&working);
        let count = working.fetch_add(1, Ordering::Relaxed) + 1;
        highest.fetch_max(count, Ordering::Relaxed);
        async move {
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            working.fetch_sub(1, Ordering::Relaxed);
            Ok(Vec::new())
        }
    });
    let (client, mut server) = Script::piped(builder, Revision::V2026_07_28).await;
    let call = || tokio::spawn(client.call_tool("any").into_future());
    let calls = [call(), call(), call(), call()];
    let mut asked = Vec::new();
    for _ in &calls {
        asked.push(server.receive_request("tools/call").await);
    }
    for asked in &asked {
        server.answer(asked, &asking(2)).await;
    }
    for _ in &calls {
        let again = server.receive_request("tools/call").await;
        server.answer(&again, DONE).await;
    }
    for call in calls {
        soon(call).await.expect("no panic").expect("a result");
    }
    assert_eq!(most.load(Ordering::Relaxed), 2);
}

/// A handler that makes calls itself, which request input, must not wait for itself forever.
#[tokio::test]
async fn queued_input_request_times_out_with_its_call() {
    let mut limits = Limits::default();
    limits.server_requests = 1;
    let builder = builder(limits).on_roots(std::future::pending);
    let (client, mut server) = Script::piped(builder, Revision::V2026_07_28).await;
    let first = tokio::spawn(client.call_tool("first").into_future());
    let asked = server.receive_request("tools/call").await;
    server.answer(&asked, &asking(1)).await;
    // The handler of the first call is running when the second call requests input.
    server.assert_works(&client).await;
    let call = client
        .call_tool("second")
        .timeout(Duration::from_millis(200));
    let second = tokio::spawn(call.into_future());
    let asked = server.receive_request("tools/call").await;
    server.answer(&asked, &asking(1)).await;
    let error = soon(second)
        .await
        .expect("no panic")
        .expect_err("timed out");
    assert!(matches!(error, CallError::Input { .. }), "{error}");
    first.abort();
}

#[tokio::test]
async fn too_many_url_elicitations_are_not_shown() {
    let mut limits = Limits::default();
    limits.server_requests = 8;
    let shown = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&shown);
    let builder = builder(limits).on_elicit_url(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(ElicitResult::new(ElicitAction::Accept)) }
    });
    let (client, mut server) = Script::piped(builder, Revision::V2025_11_25).await;
    let call = tokio::spawn(client.call_tool("any").into_future());
    let asked = server.receive_request("tools/call").await;
    let page =
        json!({"mode": "url", "message": "m", "url": "https://example.com/", "elicitationId": "e"});
    let data = json!({"elicitations": vec![page; 1_000]});
    let error = json!({"code": -32042, "message": "first this", "data": data});
    let refusal = json!({"jsonrpc": "2.0", "id": asked["id"], "error": error});
    server.write(format!("{refusal}\n").as_bytes()).await;
    let error = soon(call).await.expect("no panic").expect_err("too many");
    assert!(
        matches!(
            error,
            CallError::Questions {
                count: 1_000,
                limit: 8,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(shown.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn requests_of_a_legacy_server_are_bounded_in_bytes() {
    let mut limits = Limits::default();
    limits.server_request_bytes = 10_000;
    let builder = builder(limits).on_roots(std::future::pending);
    let (client, mut server) = Script::piped(builder, Revision::V2025_11_25).await;
    // A single request may have any size.
    for (id, size) in [(1, 20_000), (2, 10)] {
        let params = json!({"_meta": {"filling": "x".repeat(size)}});
        let asking = json!({"jsonrpc": "2.0", "id": id, "method": "roots/list", "params": params});
        server.write(format!("{asking}\n").as_bytes()).await;
    }
    let refused = server.read().await;
    assert_eq!(refused["id"], 2, "{refused}");
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    // After the cancellation there is space again.
    let cancelled = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1},
    });
    server.write(format!("{cancelled}\n").as_bytes()).await;
    for (id, size) in [(3, 4_000), (4, 4_000), (5, 4_000)] {
        let params = json!({"_meta": {"filling": "x".repeat(size)}});
        let asking = json!({"jsonrpc": "2.0", "id": id, "method": "roots/list", "params": params});
        server.write(format!("{asking}\n").as_bytes()).await;
    }
    assert_eq!(server.read().await["id"], 5);
    server.assert_works(&client).await;
}

/// Answering such a form would take minutes if each field was found by a linear search.
#[tokio::test]
async fn form_with_very_many_fields_is_completed() {
    const FIELDS: usize = 40_000;
    let builder = builder(Limits::default())
        .on_elicit_form(|_| async { Ok(ElicitResult::new(ElicitAction::Accept)) });
    let (client, mut server) = Script::piped(builder, Revision::LATEST).await;
    let call = tokio::spawn(client.call_tool("any").into_future());
    let asked = server.receive_request("tools/call").await;
    let names: Vec<_> = (0..FIELDS).map(|number| format!("f{number}")).collect();
    let field = json!({"type": "boolean", "default": true});
    let fields: serde_json::Map<_, _> = names
        .iter()
        .map(|name| (name.clone(), field.clone()))
        .collect();
    let schema = json!({"type": "object", "properties": fields, "required": names});
    let params = json!({"mode": "form", "message": "?", "requestedSchema": schema});
    let question = json!({"method": "elicitation/create", "params": params});
    let asking = json!({"resultType": "input_required", "inputRequests": {"q": question}});
    server.answer(&asked, &asking.to_string()).await;
    let again = server.receive_request("tools/call").await;
    let content = &again["params"]["inputResponses"]["q"]["content"];
    assert_eq!(content.as_object().map_or(0, serde_json::Map::len), FIELDS);
    server.answer(&again, DONE).await;
    soon(call).await.expect("no panic").expect("a result");
}
