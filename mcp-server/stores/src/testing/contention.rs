//! Values that many tasks of two processes change at the same time.

use std::time::Duration;

use mcp_server::{Condition, PutOutcome, Store};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::steps::{Handles, LONG, check as expect, done, put, put_in, written};

/// The number of tasks.
const TASKS: usize = 32;
/// How often each task increments.
const INCREMENTS: usize = 2;

pub(super) async fn check<S: Store>(handles: Handles<S>) {
    no_update_is_lost(&handles).await;
    one_wins(&handles).await;
    group_is_never_too_large(&handles).await;
    dropped_operations(&handles).await;
}

async fn no_update_is_lost<S: Store>(handles: &Handles<S>) {
    let step = "compare-and-set by many tasks";
    let (key, mut tasks) = ("counter", JoinSet::new());
    written(
        step,
        done(step, handles.a.put(put(key, b"0", Condition::Absent))).await,
    );
    for at in 0..TASKS {
        let store = handles.either(at);
        tasks.spawn(async move {
            let mut increments = 0;
            while increments < INCREMENTS {
                let found = done(step, store.get(key)).await;
                let found = found.unwrap_or_else(|| panic!("{step}: the value has disappeared"));
                let count = String::from_utf8_lossy(&found.value).parse();
                let next = (count.unwrap_or(0_usize) + 1).to_string();
                let condition = Condition::Version(found.version);
                match done(step, store.put(put(key, next.as_bytes(), condition))).await {
                    PutOutcome::Written(_) => increments += 1,
                    outcome => expect(step, &outcome, &PutOutcome::Conflict),
                }
            }
        });
    }
    tasks.join_all().await;
    let found = done(step, handles.b.get(key)).await.map(|it| it.value);
    let found = found.map(|value| String::from_utf8_lossy(&value).into_owned());
    expect(step, &found, &Some((TASKS * INCREMENTS).to_string()));
}

async fn one_wins<S: Store>(handles: &Handles<S>) {
    let key = "first";
    let (step, mut tasks) = ("`put` with `Absent` by many tasks", JoinSet::new());
    for at in 0..TASKS {
        let store = handles.either(at);
        let value = at.to_string();
        tasks.spawn(async move {
            let outcome = done(
                step,
                store.put(put(key, value.as_bytes(), Condition::Absent)),
            )
            .await;
            matches!(outcome, PutOutcome::Written(_)).then_some(value)
        });
    }
    let winners: Vec<String> = tasks.join_all().await.into_iter().flatten().collect();
    expect(
        &format!("{step}: how many have written"),
        &winners.len(),
        &1,
    );
    let found = done(step, handles.a.get(key)).await.map(|it| it.value);
    expect(
        step,
        &found,
        &winners.first().map(|it| it.clone().into_bytes()),
    );

    let (step, mut tasks) = ("`remove` by many tasks", JoinSet::new());
    for at in 0..TASKS {
        let store = handles.either(at);
        tasks.spawn(async move { done(step, store.remove(key)).await });
    }
    let removed = tasks.join_all().await.into_iter().filter(|it| *it).count();
    expect(&format!("{step}: how many returned `true`"), &removed, &1);
}

async fn group_is_never_too_large<S: Store>(handles: &Handles<S>) {
    let (step, mut tasks) = ("64 puts into a group of 10 keys", JoinSet::new());
    for at in 0..64 {
        let store = handles.either(at);
        tasks.spawn(async move {
            let key = format!("crowd {at}");
            let outcome = done(step, store.put(put_in("crowd", 10, &key, LONG))).await;
            if !matches!(outcome, PutOutcome::Written(_)) {
                expect(step, &outcome, &PutOutcome::GroupFull);
                return None;
            }
            Some(key)
        });
    }
    let mut winners: Vec<String> = tasks.join_all().await.into_iter().flatten().collect();
    expect(
        &format!("{step}: how many have written"),
        &winners.len(),
        &10,
    );
    let mut keys = done(step, handles.a.keys("crowd", 64)).await;
    winners.sort();
    keys.sort();
    expect(step, &keys, &winners);
}

/// Drops operations at different times, and checks that each was made or not, and that the handle
/// can be used.
async fn dropped_operations<S: Store>(handles: &Handles<S>) {
    let step = "after an operation was dropped";
    let (group, key) = ("dropped", "dropped key");
    for at in 0..40_u64 {
        let limit = Duration::from_micros(100 * (at / 4));
        let write = put_in(group, 1, key, LONG);
        let store = handles.either(usize::try_from(at).unwrap_or(0));
        if at % 4 < 2 {
            let _ = timeout(limit, store.put(write)).await;
        } else {
            let _ = timeout(limit, store.remove(key)).await;
        }
        // Other operations of the same handle must not get the result of the dropped one.
        expect(step, &done(step, store.get("never written")).await, &None);
        expect(
            step,
            &done(step, store.remove("never written")).await,
            &false,
        );
    }
    // Whatever was sent has arrived.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let is_present = done(step, handles.a.get(key)).await.is_some();
    let keys = done(step, handles.b.keys(group, 9)).await;
    let expected = if is_present {
        vec![key.to_owned()]
    } else {
        Vec::new()
    };
    expect(step, &keys, &expected);
}
