//! Tasks that do not end, and intervals out of bounds. The clock of these tests does not run: it
//! jumps to the next timer.

use std::time::Duration;

use mcp_client::{CallError, TaskError};
use serde_json::Value;
use tokio::time::Instant;

use super::{TASKS, announce, builder, state};
use crate::support::script::Script;

/// Receives the next message of the client, however long that takes.
async fn read(script: &mut Script) -> Value {
    let line = script.lines.next_line().await.expect("readable");
    serde_json::from_str(&line.expect("a message")).expect("JSON")
}

#[tokio::test(start_paused = true)]
async fn interval_of_the_server_is_bounded() {
    let second = Duration::from_secs(1);
    for (interval, least, most) in [
        ("0", second / 10, second / 5),
        ("-5", second / 10, second / 5),
        ("1000000000000000", second * 60, second * 61),
        ("2000.5", second * 2, second * 3),
        ("null", second, second * 2),
    ] {
        let (client, mut script) = Script::modern(builder(), TASKS).await;
        let call = client.call_tool("render").timeout(Duration::MAX);
        let calling = tokio::spawn(call.into_future());
        announce(&mut script).await;
        let interval = format!(r#""pollIntervalMs":{interval}"#);
        let answer = state("working", "").replace(r#""pollIntervalMs":100"#, &interval);
        let mut last = None;
        for _ in 0..3 {
            let asked = read(&mut script).await;
            assert_eq!(asked["method"], "tasks/get", "{asked}");
            if let Some(last) = last.replace(Instant::now()) {
                let pause = last.elapsed();
                assert!(pause >= least && pause <= most, "{interval}: {pause:?}");
            }
            script.answer(&asked, &answer).await;
        }
        calling.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn endless_task_ends_with_the_timeout_of_the_call_and_is_cancelled() {
    let (client, mut script) = Script::modern(builder(), TASKS).await;
    let begun = Instant::now();
    let call = client.call_tool("render").timeout(Duration::from_secs(10));
    let calling = tokio::spawn(call.into_future());
    announce(&mut script).await;
    loop {
        let asked = read(&mut script).await;
        if asked["method"] == "tasks/cancel" {
            break;
        }
        script.answer(&asked, &state("working", "")).await;
    }
    assert!(begun.elapsed() < Duration::from_secs(11));
    let called = calling.await.expect("no panic").map(drop);
    assert!(
        matches!(called, Err(CallError::Timeout { .. })),
        "{called:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn task_that_outlives_its_time_has_expired() {
    let (client, mut script) = Script::modern(builder(), TASKS).await;
    let task = client.task("t1");
    let waiting = tokio::spawn(async move { task.wait().await });
    let answer = state("working", "").replace(r#""ttlMs":null"#, r#""ttlMs":5000"#);
    let polling = async {
        loop {
            let asked = read(&mut script).await;
            script.answer(&asked, &answer).await;
        }
    };
    let waited = tokio::select! {
        waited = waiting => waited.expect("no panic").map(drop),
        () = polling => unreachable!(),
    };
    assert!(
        matches!(waited, Err(CallError::Task(TaskError::Expired { .. }))),
        "{waited:?}"
    );
}
