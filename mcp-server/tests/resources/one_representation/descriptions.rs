//! Descriptions of a list run concurrently, and one that fails affects no other.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_server::types::Resource;
use mcp_server::{
    HandlerError, ListAt, ResourceDef, ResourcePage, Server, ServerBuilder, TemplateDef,
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::{opted_in, uri};
use crate::support::peer::Peer;

/// Adds resources `d:0`, `d:1`, ... whose descriptions wait for `handler` and set a title.
fn with_many<F>(
    mut builder: ServerBuilder,
    count: usize,
    handler: fn(Arc<State>, usize) -> F,
) -> Server
where
    F: Future<Output = Result<(), HandlerError>> + Send + 'static,
{
    let state = Arc::new(State::default());
    for number in 0..count {
        let state = Arc::clone(&state);
        let describe = move |resource: Resource| {
            let ready = handler(Arc::clone(&state), number);
            async move {
                ready.await?;
                Ok::<_, HandlerError>(resource.title("Described"))
            }
        };
        let resource = ResourceDef::new(format!("d:{number}"), "numbered").handler(uri);
        builder = builder.add_resource(resource.describe(describe));
    }
    builder.build().unwrap()
}

/// What the descriptions of a test share.
struct State {
    all: Barrier,
    running: AtomicUsize,
}

impl Default for State {
    fn default() -> Self {
        Self {
            all: Barrier::new(16),
            running: AtomicUsize::new(0),
        }
    }
}

fn titled(page: &Value) -> Vec<bool> {
    let resources = page["resources"].as_array().unwrap().iter();
    resources
        .map(|resource| resource["title"] == "Described")
        .collect()
}

#[tokio::test(start_paused = true)]
async fn descriptions_of_a_page_run_concurrently() {
    // Each of them waits for 15 others.
    let server = with_many(opted_in(), 48, |state, _| async move {
        state.all.wait().await;
        Ok(())
    });
    let page = Peer::modern(&server)
        .result("resources/list", json!({}))
        .await;
    assert_eq!(titled(&page), [true; 48]);
}

#[tokio::test]
async fn number_of_concurrent_descriptions_is_bounded() {
    let server = with_many(opted_in(), 100, |state, _| async move {
        let running = state.running.fetch_add(1, Ordering::SeqCst) + 1;
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        state.running.fetch_sub(1, Ordering::SeqCst);
        if running > 16 {
            return Err(HandlerError::internal("too many"));
        }
        Ok(())
    });
    let page = Peer::modern(&server)
        .result("resources/list", json!({}))
        .await;
    assert_eq!(titled(&page), [true; 100]);
}

#[tokio::test(start_paused = true)]
async fn failed_descriptions_cost_only_their_own_resource() {
    let server = with_many(opted_in(), 40, |_, number| async move {
        match number {
            3 => std::future::pending().await,
            5 => panic!("in a description"),
            7 => Err(HandlerError::internal("no such table")),
            9 => Err(HandlerError::resource_not_found("d:9")),
            _ => Ok(()),
        }
    });
    let mut peer = Peer::modern(&server);
    let page = peer.result("resources/list", json!({})).await;
    let expected: Vec<_> = (0..40)
        .map(|number| ![3, 5, 7, 9].contains(&number))
        .collect();
    assert_eq!(titled(&page), expected);
    for (number, is_described) in expected.into_iter().enumerate() {
        let resource = &page["resources"][number];
        assert_eq!(resource["name"], "numbered");
        // Without its description, it may be a collection.
        assert_eq!(resource["httpUrl"].is_string(), is_described, "{resource}");
    }
}

#[tokio::test(start_paused = true)]
async fn list_is_sent_when_half_of_the_request_time_has_passed() {
    let mut limits = mcp_server::Limits::default();
    limits.request_time = Duration::from_secs(20);
    let builder = opted_in().limits(limits);
    // All of them in turn would take longer than the request may.
    let server = with_many(builder, 200, |_, number| async move {
        if number >= 16 {
            std::future::pending::<()>().await;
        }
        Ok(())
    });
    let page = Peer::modern(&server)
        .result("resources/list", json!({}))
        .await;
    let expected: Vec<_> = (0..200).map(|number| number < 16).collect();
    assert_eq!(titled(&page), expected);
}

#[tokio::test]
async fn complete_resources_of_a_list_are_not_described() {
    let rows = |scheme: &'static str, is_complete: bool| {
        TemplateDef::new(format!("{scheme}:{{name}}"), "row")
            .kind("row")
            .handler(uri)
            .describe(|row: Resource| async { row.title("described") })
            .list(move |_: ListAt| async move {
                let row = Resource::new(format!("{scheme}:a"), "row");
                let page = ResourcePage::new([row.title("listed")]);
                if is_complete { page.complete() } else { page }
            })
    };
    let server = opted_in()
        .add_resource_template(rows("one", true))
        .add_resource_template(rows("two", false))
        .build()
        .unwrap();
    let page = Peer::modern(&server)
        .result("resources/list", json!({}))
        .await;
    let listed = |row: usize| {
        let row = &page["resources"][row];
        (
            row["title"].clone(),
            row["kind"].clone(),
            row["httpUrl"].is_string(),
        )
    };
    assert_eq!(listed(0), (json!("listed"), Value::Null, true));
    assert_eq!(listed(1), (json!("described"), json!("row"), true));
}
