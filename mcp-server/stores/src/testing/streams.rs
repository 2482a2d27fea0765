//! Several streams of several sessions.

use std::sync::Arc;
use std::time::Duration;

use mcp_server::{Store, StreamKey};
use tokio::time::sleep;

use super::events::{append, expect_page, page, returned};
use super::steps::{Handles, LONG, WAITING_TIME, check as expect, done, odd_texts, within};

pub(super) async fn check<S: Store>(handles: Handles<S>) {
    removal(&handles).await;
    names(&handles).await;
    many_streams(&handles).await;
}

async fn removal<S: Store>(Handles { a, b }: &Handles<S>) {
    let step = "`remove_session` of a session that is unknown";
    done(step, a.remove_session("unknown")).await;

    let key = |session, stream| StreamKey { session, stream };
    let all = [key("s1", "1"), key("s1", "2"), key("s2", "1")];
    let step = "`read` of streams with equal numbers";
    for (at, stream) in all.into_iter().enumerate() {
        done(step, a.open(stream, b"", LONG)).await;
        append(step, &**a, stream, 1, Some(["x", "y", "z"][at])).await;
    }
    for (at, stream) in all.into_iter().enumerate() {
        let expected = Some(page(&[(1, ["x", "y", "z"][at])], false));
        expect_page(step, &**b, stream, 0, expected).await;
    }

    let step = "a reader that waits while its session is removed";
    let store = Arc::clone(b);
    let waiting =
        tokio::spawn(
            async move { returned(within(WAITING_TIME, step, store.read(all[0], 1)).await) },
        );
    sleep(Duration::from_millis(300)).await;
    let step = "`remove_session`";
    done(step, a.remove_session("s1")).await;
    expect_page(step, &**b, all[0], 0, None).await;
    expect_page(step, &**a, all[1], 0, None).await;
    let step = "`read` of another session after `remove_session`";
    expect_page(step, &**b, all[2], 0, Some(page(&[(1, "z")], false))).await;

    let step = "a reader that waits while its session is removed";
    match waiting.await {
        Ok(read) => assert!(
            read.is_none() || read == Some(page(&[], false)),
            "{step}: the store returned {read:?}, expected no event"
        ),
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
    let step = "a stream that was opened again after `remove_session`";
    done(step, b.open(all[0], b"", LONG)).await;
    append(step, &**b, all[0], 1, Some("new")).await;
    expect_page(step, &**a, all[0], 0, Some(page(&[(1, "new")], false))).await;
}

/// Checks that names of sessions and streams are told apart.
async fn names<S: Store>(Handles { a, b }: &Handles<S>) {
    let step = "sessions and streams of odd names";
    let mut names: Vec<(String, String)> = odd_texts()
        .into_iter()
        .map(|text| (text.clone(), text))
        .collect();
    for (session, stream) in [("n", "a:b"), ("n:a", "b"), ("n:a:b", "c"), ("n", "a:b:c")] {
        names.push((session.to_owned(), stream.to_owned()));
    }
    let message = |at: usize| ["even", "odd"][at % 2];
    for (at, (session, stream)) in names.iter().enumerate() {
        let stream = StreamKey { session, stream };
        done(step, a.open(stream, b"", LONG)).await;
        append(step, &**a, stream, 1, Some(message(at))).await;
    }
    for (at, (session, stream)) in names.iter().enumerate() {
        let stream = StreamKey { session, stream };
        expect_page(
            step,
            &**b,
            stream,
            0,
            Some(page(&[(1, message(at))], false)),
        )
        .await;
    }
    for (session, stream) in &names {
        let stream = StreamKey { session, stream };
        done(step, b.remove_session(session)).await;
        expect_page(step, &**a, stream, 0, None).await;
    }
}

/// Checks that the newest streams of a session are there, however many it has.
async fn many_streams<S: Store>(Handles { a, b }: &Handles<S>) {
    let step = "the newest of many streams of a session";
    for at in 0..100 {
        let stream = StreamKey {
            session: "many",
            stream: &at.to_string(),
        };
        done(step, a.open(stream, b"", LONG)).await;
        append(step, &**a, stream, 1, Some("one")).await;
        append(step, &**a, stream, 2, None).await;
        expect_page(step, &**b, stream, 0, Some(page(&[(1, "one")], true))).await;
    }
    done(step, b.remove_session("many")).await;
    for at in [0, 99] {
        let stream = StreamKey {
            session: "many",
            stream: &at.to_string(),
        };
        let read = done(step, a.read(stream, 0)).await;
        expect("`remove_session` with many streams", &returned(read), &None);
    }
}
