//! Values by key, of one process at a time.

use std::collections::HashSet;
use std::time::Duration;

use mcp_server::{Condition, Put, PutOutcome, Store, VersionedValue};
use tokio::time::sleep;

use super::steps::{Handles, LONG, check as expect, done, odd_bytes, odd_texts, put, written};

/// A time to live that is over soon.
const SHORT: Duration = Duration::from_millis(300);

/// Returns a value that `get` should return.
fn found(value: &[u8], version: u64) -> VersionedValue {
    let value = value.to_vec();
    VersionedValue { value, version }
}

/// Checks reads, writes with each condition, removals, versions, and odd keys and values.
pub(super) async fn check<S: Store>(handles: Handles<S>) {
    conditions(&handles).await;
    versions(&handles).await;
    odd_keys_and_values(&handles).await;
}

async fn conditions<S: Store>(Handles { a, b }: &Handles<S>) {
    let key = "conditions";
    let step = "a key without a value";
    expect(step, &done(step, a.get(key)).await, &None);
    expect(step, &done(step, a.remove(key)).await, &false);
    let outcome = done(step, a.put(put(key, b"0", Condition::Version(1)))).await;
    expect(step, &outcome, &PutOutcome::Conflict);

    let step = "`put` with the condition `Absent` of a key without a value";
    let outcome = done(step, a.put(put(key, b"1", Condition::Absent))).await;
    let first = written(step, outcome);
    let step = "`get` at another handle after `put`";
    expect(
        step,
        &done(step, b.get(key)).await,
        &Some(found(b"1", first)),
    );

    let step = "`put` with the condition `Absent` of a key with a value";
    let outcome = done(step, b.put(put(key, b"2", Condition::Absent))).await;
    expect(step, &outcome, &PutOutcome::Conflict);
    let step = "`get` after `put` had a conflict";
    expect(
        step,
        &done(step, a.get(key)).await,
        &Some(found(b"1", first)),
    );

    let step = "`put` with the condition `Version` of the current version";
    let outcome = done(step, b.put(put(key, b"3", Condition::Version(first)))).await;
    let second = written(step, outcome);
    expect(
        step,
        &done(step, a.get(key)).await,
        &Some(found(b"3", second)),
    );
    let step = "`put` with the condition `Version` of an earlier version";
    let outcome = done(step, a.put(put(key, b"4", Condition::Version(first)))).await;
    expect(step, &outcome, &PutOutcome::Conflict);
    expect(
        step,
        &done(step, b.get(key)).await,
        &Some(found(b"3", second)),
    );

    let step = "`put` with the condition `Any` of a key with a value";
    let third = written(
        step,
        done(step, a.put(put(key, b"5", Condition::Any))).await,
    );
    expect(
        step,
        &done(step, b.get(key)).await,
        &Some(found(b"5", third)),
    );

    let step = "`remove` of a key with a value";
    expect(step, &done(step, b.remove(key)).await, &true);
    let step = "a key whose value was removed";
    expect(step, &done(step, a.get(key)).await, &None);
    expect(step, &done(step, a.remove(key)).await, &false);
    let outcome = done(step, a.put(put(key, b"6", Condition::Version(third)))).await;
    expect(step, &outcome, &PutOutcome::Conflict);
    let outcome = done(step, a.put(put(key, b"7", Condition::Absent))).await;
    let fourth = written(step, outcome);
    expect(
        step,
        &done(step, b.get(key)).await,
        &Some(found(b"7", fourth)),
    );
}

/// Checks that no version of a key occurs twice, however its values disappear in between.
async fn versions<S: Store>(handles: &Handles<S>) {
    let step = "`put` after the value was replaced, was removed, or has expired";
    let (key, mut versions) = ("versions", HashSet::new());
    for at in 0..60 {
        let handle = handles.either(at);
        let expires = at % 3 == 2;
        let write = Put {
            time_to_live: if expires {
                Duration::from_millis(1)
            } else {
                LONG
            },
            ..put(key, b"v", Condition::Any)
        };
        let version = written(step, done(step, handle.put(write)).await);
        assert!(
            versions.insert(version),
            "{step}: the store returned version {version} for the second time, expected a version \
             that the key never had"
        );
        if expires {
            sleep(Duration::from_millis(5)).await;
        } else if at % 3 == 1 {
            expect(step, &done(step, handle.remove(key)).await, &true);
        }
    }
}

async fn odd_keys_and_values<S: Store>(Handles { a, b }: &Handles<S>) {
    let step = "a value of odd content or size";
    for value in [Vec::new(), vec![0], odd_bytes(256), odd_bytes(1 << 20)] {
        let outcome = done(step, a.put(put("odd value", &value, Condition::Any))).await;
        let version = written(step, outcome);
        let read = done(step, b.get("odd value")).await;
        let size = value.len();
        assert!(
            read == Some(found(&value, version)),
            "{step}: the store returned {read:?}, expected {size} equal bytes of version {version}"
        );
    }
    let step = "keys of odd content or size";
    let keys = odd_texts();
    let mut versions = Vec::new();
    for key in &keys {
        let outcome = done(step, a.put(put(key, key.as_bytes(), Condition::Absent))).await;
        versions.push(written(step, outcome));
    }
    for (key, version) in keys.iter().zip(versions) {
        let read = done(step, b.get(key)).await;
        expect(step, &read, &Some(found(key.as_bytes(), version)));
        expect(step, &done(step, b.remove(key)).await, &true);
        expect(step, &done(step, a.get(key)).await, &None);
    }
}

/// Checks that values disappear after their time, and that every write sets the time again.
pub(super) async fn check_expiry<S: Store>(Handles { a, b }: Handles<S>) {
    let write = |key, time_to_live, condition| Put {
        time_to_live,
        ..put(key, b"e", condition)
    };
    let step = "a write with a time to live";
    let century = Duration::from_secs(100 * 365 * 24 * 60 * 60);
    written(
        step,
        done(step, a.put(write("century", century, Condition::Any))).await,
    );
    written(
        step,
        done(step, a.put(write("longer", SHORT, Condition::Any))).await,
    );
    written(
        step,
        done(step, a.put(write("longer", LONG, Condition::Any))).await,
    );
    written(
        step,
        done(step, a.put(write("shorter", LONG, Condition::Any))).await,
    );
    written(
        step,
        done(step, b.put(write("shorter", SHORT, Condition::Any))).await,
    );
    let version = written(
        step,
        done(step, b.put(write("short", SHORT, Condition::Any))).await,
    );
    let present = done(step, a.get("short")).await.is_some();
    expect(
        "`get` before the time to live is over: is there a value",
        &present,
        &true,
    );
    sleep(SHORT + Duration::from_millis(200)).await;

    for (key, expected) in [("century", true), ("longer", true), ("shorter", false)] {
        let step = format!("`get` of the key `{key}` after {SHORT:?}: is there a value");
        expect(&step, &done(&step, b.get(key)).await.is_some(), &expected);
    }
    let step = "a key whose value has expired";
    expect(step, &done(step, a.get("short")).await, &None);
    expect(step, &done(step, b.remove("short")).await, &false);
    let outcome = done(
        step,
        b.put(write("short", LONG, Condition::Version(version))),
    )
    .await;
    expect(step, &outcome, &PutOutcome::Conflict);
    written(
        step,
        done(step, b.put(write("short", LONG, Condition::Absent))).await,
    );
}
