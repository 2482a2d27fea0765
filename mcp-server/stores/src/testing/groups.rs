//! Groups of keys.

use std::time::Duration;

use mcp_server::{Condition, KeyGroup, Put, PutOutcome, Store};
use tokio::time::sleep;

use super::steps::{Handles, LONG, check as expect, done, odd_texts, put, put_in, written};

/// A time to live that is over soon.
const SHORT: Duration = Duration::from_millis(300);

pub(super) async fn check<S: Store>(handles: Handles<S>) {
    order_and_limit(&handles).await;
    leaving(&handles).await;
    names(&handles).await;
}

/// Panics unless a group has these keys in this order.
async fn expect_keys<S: Store>(step: &str, store: &S, group: &str, most: usize, keys: &[&str]) {
    let returned = done(step, store.keys(group, most)).await;
    expect(
        step,
        &returned,
        &keys.iter().map(|&key| key.to_owned()).collect(),
    );
}

async fn order_and_limit<S: Store>(Handles { a, b }: &Handles<S>) {
    let group = "order";
    let step = "`keys` of an unknown group";
    expect_keys(step, &**a, group, 10, &[]).await;

    let step = "`put` to a group that is not full";
    for (key, time) in [("g1", LONG), ("g2", LONG / 2), ("g3", LONG * 2)] {
        written(step, done(step, a.put(put_in(group, 3, key, time))).await);
    }
    let step = "`keys`: those that expire first are in front";
    expect_keys(step, &**b, group, 10, &["g2", "g1", "g3"]).await;
    let step = "`keys` with a smaller maximum than the group has keys";
    expect_keys(step, &**b, group, 2, &["g2", "g1"]).await;
    expect_keys(step, &**b, group, 0, &[]).await;

    let step = "`put` of a new key to a full group";
    for (condition, most) in [
        (Condition::Any, 3),
        (Condition::Absent, 3),
        (Condition::Any, 2),
    ] {
        let write = Put {
            condition,
            ..put_in(group, most, "g4", LONG)
        };
        expect(
            step,
            &done(step, b.put(write)).await,
            &PutOutcome::GroupFull,
        );
    }
    expect(step, &done(step, a.get("g4")).await, &None);
    expect_keys(step, &**a, group, 10, &["g2", "g1", "g3"]).await;
    let step = "`put` to another group while one is full";
    written(
        step,
        done(step, b.put(put_in("order 2", 1, "h1", LONG))).await,
    );

    let step = "`put` of a known key to a full group, with another time to live";
    written(
        step,
        done(step, b.put(put_in(group, 3, "g2", LONG * 3))).await,
    );
    expect_keys(step, &**a, group, 10, &["g1", "g3", "g2"]).await;
    let step = "`put` with a conflict leaves the group as it is";
    let write = Put {
        condition: Condition::Absent,
        ..put_in(group, 3, "g1", LONG * 9)
    };
    expect(step, &done(step, b.put(write)).await, &PutOutcome::Conflict);
    expect_keys(step, &**a, group, 10, &["g1", "g3", "g2"]).await;
}

/// Checks that keys leave their group when they are removed or expire.
async fn leaving<S: Store>(Handles { a, b }: &Handles<S>) {
    let (group, step) = ("leaving", "a key that was removed leaves its group");
    for key in ["l1", "l2"] {
        written(step, done(step, a.put(put_in(group, 2, key, LONG))).await);
    }
    expect(step, &done(step, b.remove("l1")).await, &true);
    expect_keys(step, &**a, group, 10, &["l2"]).await;
    written(
        step,
        done(step, a.put(put_in(group, 2, "l3", LONG * 2))).await,
    );
    let outcome = done(step, b.put(put_in(group, 2, "l1", LONG))).await;
    expect(step, &outcome, &PutOutcome::GroupFull);

    let step = "a key that has expired leaves its group";
    written(step, done(step, b.put(put_in(group, 2, "l2", SHORT))).await);
    sleep(SHORT + Duration::from_millis(200)).await;
    expect_keys(step, &**a, group, 10, &["l3"]).await;
    written(
        step,
        done(step, b.put(put_in(group, 2, "l4", LONG * 3))).await,
    );
    expect_keys(step, &**a, group, 10, &["l3", "l4"]).await;

    let step = "a key stays in its group after another member has expired";
    written(
        step,
        done(step, a.put(put_in("mixed", 5, "m1", LONG))).await,
    );
    written(
        step,
        done(step, a.put(put_in("mixed", 5, "m2", SHORT))).await,
    );
    sleep(SHORT + Duration::from_millis(200)).await;
    expect_keys(step, &**b, "mixed", 5, &["m1"]).await;

    let step = "a group whose last key was removed";
    expect(step, &done(step, a.remove("m1")).await, &true);
    expect_keys(step, &**b, "mixed", 5, &[]).await;
    let outcome = done(step, a.put(put_in("mixed", 0, "m1", LONG))).await;
    expect(step, &outcome, &PutOutcome::GroupFull);
}

/// Checks that names of groups and keys are told apart.
async fn names<S: Store>(Handles { a, b }: &Handles<S>) {
    let step = "a group and a key without a group of the same odd name";
    let texts = odd_texts();
    for text in &texts {
        let member = format!("in group {}", &text[..text.len().min(900)]);
        let write = Put {
            group: Some(KeyGroup {
                name: text,
                most: 1,
            }),
            ..put(&member, text.as_bytes(), Condition::Any)
        };
        // Long names differ in their end only, and have the same member.
        if done(step, a.get(&member)).await.is_some() {
            continue;
        }
        written(step, done(step, a.put(write)).await);
        expect_keys(step, &**b, text, 9, &[&member]).await;
        // No check has a value with such a key: others run at the same time.
        let key = format!("{}#", &text[..text.len() - 1]);
        expect(step, &done(step, b.remove(&key)).await, &false);
        expect_keys(step, &**b, text, 9, &[&member]).await;
    }
}
