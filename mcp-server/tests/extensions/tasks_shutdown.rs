//! Tasks when a process is shut down: they end within the grace time, or others take them over.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mcp_server::{ByteStream, HttpConfig, Memory, Server, TaskOptions, ToolDef};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::tasks::{accept, builder, connect, get, reach, start, update};
use super::tasks_takeover::{Link, process, without_bus};
use crate::support::peer::soon;

/// The grace time of the processes, in seconds.
const GRACE: u64 = 60;

/// Starts a task at the first process, shuts that down, and answers the task when it runs again.
/// Returns the seconds in between.
async fn hand_over([one, two]: [Server; 2], starts: &AtomicU32) -> u64 {
    let (mut client, mut other) = (connect(&one), connect(&two));
    let id = start(&mut client, "ask").await;
    reach(&mut other, &id, "input_required").await;
    let began = Instant::now();
    one.shutdown();
    while starts.load(Ordering::Relaxed) < 2 {
        assert!(began.elapsed().as_secs() < 2 * GRACE, "it never runs again");
        sleep(Duration::from_millis(100)).await;
    }
    let passed = began.elapsed().as_secs();
    let answer = json!({ "which": accept(json!({ "which": "tea" })) });
    update(&mut other, &id, answer).await;
    reach(&mut other, &id, "completed").await;
    passed
}

#[tokio::test(start_paused = true)]
async fn task_that_outlasts_the_grace_time_continues_at_another_process_at_once() {
    let (store, starts) = (Memory::new(), Arc::default());
    let again = TaskOptions::new().run_again(1);
    let both = [(); 2].map(|()| process(&Link::to(&store), &starts, again));
    assert_eq!(hand_over(both, &starts).await, GRACE);
}

#[tokio::test(start_paused = true)]
async fn without_a_bus_it_continues_when_others_look_next() {
    let (store, starts) = (Memory::new(), Arc::default());
    let again = TaskOptions::new().run_again(1);
    let both = [(); 2].map(|()| {
        let builder = without_bus(&Link::to(&store), &starts, again);
        builder.build().unwrap()
    });
    let passed = hand_over(both, &starts).await;
    assert!((GRACE..=GRACE + 5).contains(&passed), "{passed}");
}

#[tokio::test(start_paused = true)]
async fn task_that_may_not_run_again_fails_at_the_end_of_the_grace_time() {
    let (store, starts) = (Memory::new(), Arc::default());
    // Without a bus, so that it is this process that fails the task.
    let [one, two] = [(); 2].map(|()| {
        let builder = without_bus(&Link::to(&store), &starts, TaskOptions::new());
        builder.build().unwrap()
    });
    let (mut client, mut other) = (connect(&one), connect(&two));
    let id = start(&mut client, "ask").await;
    reach(&mut other, &id, "input_required").await;
    let began = Instant::now();
    one.shutdown();
    sleep(Duration::from_secs(GRACE - 1)).await;
    assert_eq!(get(&mut other, &id).await["status"], "input_required");
    let ended = reach(&mut other, &id, "failed").await;
    assert_eq!(began.elapsed().as_secs(), GRACE);
    let error = "the process that ran the task has ended";
    assert_eq!(ended["error"]["message"], error, "{ended}");
    assert_eq!(starts.load(Ordering::Relaxed), 1);
}

/// A process that cannot reach the store does not wait for it for ever, and is missed later.
#[tokio::test(start_paused = true)]
async fn failing_store_delays_the_shutdown_only_for_a_moment() {
    let (store, starts) = (Memory::new(), Arc::default());
    let links = [Link::to(&store), Link::to(&store)];
    let [one, two] = links
        .each_ref()
        .map(|link| process(link, &starts, TaskOptions::new()));
    let (near, far) = tokio::io::duplex(1024);
    let (mut client, mut other) = (connect(&one), connect(&two));
    let id = start(&mut client, "ask").await;
    reach(&mut other, &id, "input_required").await;
    links[0].cut(true);
    let began = Instant::now();
    one.until(ready(()), one.serve(ByteStream::of(far)))
        .await
        .unwrap();
    assert_eq!(began.elapsed().as_secs(), GRACE + 5);
    drop(near);
    reach(&mut other, &id, "failed").await;
}

#[tokio::test]
async fn server_that_shuts_down_waits_for_its_tasks() {
    for how in ["stream", "http", "axum", "drain"] {
        let store = Memory::new();
        let [one, two] = [(); 2].map(|()| {
            let work = || sleep(Duration::from_millis(300));
            let tool = ToolDef::new("work").handler(work);
            builder(tool.as_task(TaskOptions::new()))
                .store(store.clone())
                .keys(mcp_server::Keys::from_bytes([7; 32]))
                .build()
                .unwrap()
        });
        let id = start(&mut connect(&one), "work").await;
        let signal = ready(());
        match how {
            "stream" => {
                let (_near, far) = tokio::io::duplex(1024);
                let serving = one.serve(ByteStream::of(far));
                soon(one.until(signal, serving)).await.unwrap();
            }
            "http" => {
                let serving = one.serve_http("127.0.0.1:0").unwrap();
                soon(serving.until(signal)).await.unwrap();
            }
            #[cfg(feature = "axum")]
            "axum" => {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                let app = one.clone().into_router("/mcp", HttpConfig::new());
                soon(one.serve_router(listener, app, signal)).await.unwrap();
            }
            _ => soon(one.drain()).await,
        }
        let task = get(&mut connect(&two), &id).await;
        assert_eq!(task["status"], "completed", "{how}: {task}");
    }
}
